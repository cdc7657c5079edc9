/** The sentence encoder is installed while the registry runs: searches use it as soon as it is there. */
import { execFile } from "node:child_process";
import { constants, setPriority } from "node:os";
import { fileURLToPath } from "node:url";

const INSTALLER = fileURLToPath(new URL("../../deploy/encoder.ts", import.meta.url));

/**
 * In a process of its own, which goes behind all others: what it makes takes seconds of processor time.
 * @param signal ends it
 * @param say told what came of it, in one line
 */
export function installWhileRunning(signal: AbortSignal, say: (line: string) => void): void {
  say("search: the sentence encoder is being installed; searches use it as soon as it is there");
  const installer = execFile(process.execPath, [INSTALLER], { signal }, (error, _out, said) => {
    if (signal.aborted) return;
    const why = said.trim().split("\n").at(-1);
    say(
      error
        ? `search: goes on with static vectors. ${why}`
        : "search: the sentence encoder is installed and in use",
    );
  });
  installer.unref();
  if (installer.pid !== undefined) setPriority(installer.pid, constants.priority.PRIORITY_LOW);
}
