/** `bridge block` and `bridge blocks`: what must not be listed or found again. */
import PQueue from "p-queue";
import type { Config } from "../../src/runtime/config.ts";
import { blockHost, blockKey, parseBlockTarget } from "../../src/stores/block-list.ts";
import { allRecords } from "../../src/stores/records.ts";
import { actOn, namesIn, readText, withRuntime } from "./parts.ts";
import { CommandError, print, printable, say } from "./terminal.ts";

const targetOf = (text: string): string => {
  const parsed = parseBlockTarget(text);
  if (parsed.ok) return parsed.target;
  throw new CommandError(`${JSON.stringify(text)} cannot be blocked: it ${parsed.detail}.`, 2);
};

/** What is named by words and in a file. @throws CommandError for none */
const namedTargets = (words: readonly string[], file: string | undefined): string[] => {
  const targets = [...words, ...(file ? namesIn(readText(file)) : [])].map(targetOf);
  if (targets.length === 0) throw new CommandError("Name what to block, or give --file.", 2);
  return [...new Set(targets)];
};

const BLOCKED_AT_ONCE = 64;

/** Blocks hosts and domains, or lifts their blocks. The crawlers remove the records of blocked hosts. */
export const block = async (
  config: Config,
  domains: readonly string[],
  options: { why: string; remove: boolean; file?: string },
): Promise<void> => {
  const { why, remove } = options;
  const targets = namedTargets(domains, options.file);
  const queue = new PQueue({ concurrency: BLOCKED_AT_ONCE });
  await actOn(config, "block", { targets, why, remove }, ({ broker, blocks, frontier, clock }) =>
    queue.addAll(
      targets.map((target) => async () => {
        if (remove) {
          await blocks.remove(blockKey(target));
          print(`${target} can be reported and discovered again.`);
          return;
        }
        await blockHost({ broker, blocks, frontier, clock }, target, { why, by: "operator" });
        const of = target.startsWith("*.")
          ? "the records, texts and listings below it"
          : "its record, text and listing";
        print(`${target} is blocked; ${of} are being removed.`);
      }),
    ),
  );
};

/** Lists what is blocked, by name. @returns their number */
export const listBlocks = (config: Config, options: { json: boolean }): Promise<number> =>
  withRuntime(config, async ({ blocks }) => {
    const found = (await allRecords(blocks)).sort((a, b) => (a.host < b.host ? -1 : 1));
    if (options.json) print(JSON.stringify(found));
    else
      for (const { host, at, why, by } of found)
        print(printable(`${host}  ${at}  ${by ?? "operator"}  ${why}`));
    if (found.length === 0 && !options.json) say("Nothing is blocked.");
    return found.length;
  });
