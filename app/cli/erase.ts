/** `bridge log erase`: takes the text of a transparency log's entry away, for ever where its leaf only commits to it. */
import type { Config } from "../../src/runtime/config.ts";
import { actOn } from "./parts.ts";
import { CommandError, print } from "./terminal.ts";

const MAX_WHY_CHARS = 100;

/** @throws CommandError with exit code 4 where the log has no such entry */
export async function erase(config: Config, leafIndex: number, options: { why: string }): Promise<void> {
  const why = options.why.trim();
  if (why === "" || why.length > MAX_WHY_CHARS)
    throw new CommandError(`Give a reason of 1 to ${MAX_WHY_CHARS} characters: it is public.`, 2);
  await actOn(config, "erase", { leaf_index: leafIndex, why }, async (runtime) => {
    const log = await runtime.transparency();
    const erasure = await log.erase(leafIndex, why);
    if (!erasure) throw new CommandError(`The log has no entry ${leafIndex}.`, 4);
    print(
      erasure.form === "erased"
        ? `Entry ${leafIndex} is erased: its leaf and all proofs stand. Backups and copies that others made still have it.`
        : `Entry ${leafIndex} is blocked: its leaf is the entry itself and stays in the store, but is shown no more. All proofs stand.`,
    );
  });
}
