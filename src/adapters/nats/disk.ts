/**
 * Notices that the broker's disk is full, and that it has room again. nats-server 2.15 answers no write to a stream
 * once one has failed, even after space was freed: it has to be started anew then.
 */
import { open, rm, statfs, writeFile } from "node:fs/promises";
import { join } from "node:path";

/** Less than this is full: a store writes blocks, not bytes. */
const FULL_BELOW_BYTES = 64 << 10;
/** What must fit before the broker is started anew, so that it does not stumble at once again. */
const ROOM_BYTES = 2 << 20;
const MAX_READ_BYTES = 256 << 10;
const TROUBLE = /critical write error|failed to store a msg|no space left|quota exceeded|will be disabled/i;

export interface DiskWatch {
  /** Whether the disk is full, or was since the last call so that the broker met it. */
  inTrouble(): Promise<boolean>;
  /** Whether enough can be written: tried, because quotas and read-only mounts show in no count. */
  hasRoom(): Promise<boolean>;
  /** Forgets what the log said so far. */
  reset(): Promise<void>;
  /** For the operator: how much is free. */
  describe(): Promise<string>;
}

/** Watches the disk of `folder` and what the server writes into `log`. */
export function watchDisk(folder: string, log: string): DiskWatch {
  let seen = 0;
  /** What the log gained since the last look; a log that was cut is read from its start. */
  const news = async (): Promise<string> => {
    const file = await open(log).catch(() => undefined);
    if (!file) return "";
    try {
      const { size } = await file.stat();
      const from = size < seen ? 0 : Math.max(seen, size - MAX_READ_BYTES);
      seen = size;
      const { buffer, bytesRead } = await file.read(Buffer.alloc(size - from), 0, size - from, from);
      return buffer.toString("utf8", 0, bytesRead);
    } finally {
      await file.close();
    }
  };
  return {
    inTrouble: async () => {
      const said = TROUBLE.test(await news().catch(() => ""));
      return said || (await freeBytes(folder).catch(() => Number.POSITIVE_INFINITY)) < FULL_BELOW_BYTES;
    },
    hasRoom: () => canWrite(folder),
    reset: async () => void (await news().catch(() => "")),
    describe: () => describeDisk(folder),
  };
}

async function freeBytes(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
}

/** Whether `bytes` can be written into a folder. */
export async function canWrite(folder: string, bytes = ROOM_BYTES): Promise<boolean> {
  const probe = join(folder, "room.probe");
  try {
    await writeFile(probe, Buffer.alloc(bytes, 0x5a));
    return true;
  } catch {
    return false;
  } finally {
    await rm(probe, { force: true }).catch(() => undefined);
  }
}

/** "0.3 MB free on the disk of <folder>" */
export const describeDisk = async (folder: string): Promise<string> =>
  `${((await freeBytes(folder).catch(() => 0)) / 1e6).toFixed(1)} MB free on the disk of ${folder}`;
