/**
 * A disk whose power can be cut: ext4 on a loop device. What reached its image is what a real disk would have; the rest is in the
 * page cache of the file system, which writes it when it is told to (fsync) or after its own while. A copy of the image, mounted,
 * is what a machine finds after the cut: the journal is replayed, and what was not written is gone.
 */
import { execFileSync, spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export interface PowerCutDisk {
  folder: string;
  /** Cuts the power. Nothing may write to the disk any more. @returns the folder with what survived */
  cut(): string;
  /** Lets go of both. */
  remove(): void;
}

const MEGABYTES = 192;

/** @returns undefined where loop devices or ext4 are refused */
export function openPowerCutDisk(): PowerCutDisk | undefined {
  const home = mkdtempSync(join(tmpdir(), "bridge-power-cut-"));
  const [image, survived] = [join(home, "image"), join(home, "survived")];
  const [folder, after] = [join(home, "before"), join(home, "after")];
  for (const each of [folder, after]) mkdirSync(each);
  writeFileSync(image, "");
  truncateSync(image, MEGABYTES * 2 ** 20);
  const remove = (): void => {
    for (const each of [folder, after]) spawnSync("umount", ["-l", each]);
    rmSync(home, { recursive: true, force: true });
  };
  try {
    execFileSync("mkfs.ext4", ["-q", "-F", image], { stdio: "ignore" });
    mount(image, folder);
  } catch {
    remove();
    return undefined;
  }
  return {
    folder,
    cut: () => {
      copyFileSync(image, survived);
      mount(survived, after);
      return after;
    },
    remove,
  };
}

/** The journal is committed by fsync alone: its usual five seconds would be the disk's luck, not the program's promise. */
const mount = (image: string, folder: string): void =>
  void execFileSync("mount", ["-o", "loop,commit=300", image, folder], { stdio: "ignore" });
