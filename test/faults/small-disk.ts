/** A disk that is quickly full: a tmpfs of a few megabytes, where this user may mount one. */
import { execFileSync } from "node:child_process";
import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { processesOf } from "./programs.ts";

export interface SmallDisk {
  folder: string;
  /** Writes until nothing more fits. */
  fill(): void;
  /** Gives back what `fill` took. */
  free(): void;
  /** Ends what still runs on it, and lets go of it. */
  remove(): void;
}

/** @returns undefined where mounting is refused */
export function mountSmallDisk(megabytes: number): SmallDisk | undefined {
  const folder = mkdtempSync(join(tmpdir(), "bridge-small-disk-"));
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", `size=${megabytes}m`, "tmpfs", folder], { stdio: "ignore" });
  } catch {
    rmSync(folder, { recursive: true });
    return undefined;
  }
  const ballast = join(folder, "ballast");
  return {
    folder,
    fill: () => {
      const file = openSync(ballast, "a");
      try {
        // Big steps first, then whatever is left between them.
        for (const bytes of [1 << 20, 4 << 10, 1])
          for (let written = bytes; written === bytes; ) written = tryWrite(file, bytes);
      } finally {
        closeSync(file);
      }
    },
    free: () => rmSync(ballast, { force: true }),
    remove: () => {
      for (const pid of processesOf(folder)) process.kill(pid, "SIGKILL");
      execFileSync("umount", ["-l", folder], { stdio: "ignore" });
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function tryWrite(file: number, bytes: number): number {
  try {
    return writeSync(file, Buffer.alloc(bytes, 1));
  } catch {
    return 0;
  }
}
