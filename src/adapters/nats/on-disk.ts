/**
 * Has the disk keep what the embedded broker acknowledged. nats-server acknowledges what it has handed to the kernel, and has it
 * written once a second (server.ts): a power cut takes that second along. fsync of its files, by whichever process, waits until the disk has
 * them: the log does so before it signs, since a tree that was signed must not be forgotten.
 */
import { existsSync } from "node:fs";
import { open, readdir } from "node:fs/promises";
import { join } from "node:path";

/** Of nats-server, where no account is configured. */
const STREAMS = join("store", "jetstream", "$G", "streams");
const BLOCK = /^(\d{1,15})\.blk$/;

/**
 * @param folder of the embedded broker; a store elsewhere has a promise of its own (sync_interval)
 * @param streams their names there
 * @returns resolves when the disk has what these streams had before it was called; undefined where the broker has no store in `folder`
 */
export function diskOf(folder: string, streams: readonly string[]): (() => Promise<void>) | undefined {
  const messages = streams.map((name) => join(folder, STREAMS, name, "msgs"));
  if (!messages.every((each) => existsSync(each))) return undefined;
  const flushes = messages.map(flushing);
  return async () => {
    await Promise.all(flushes.map((flush) => flush()));
  };
}

/** Messages are appended to the last of a stream's blocks: those before the last one that was flushed do not change. */
function flushing(folder: string): () => Promise<void> {
  let flushed = 0;
  return async () => {
    const numbers = (await readdir(folder)).flatMap((name) => BLOCK.exec(name)?.[1] ?? []).map(Number);
    const last = Math.max(flushed, ...numbers);
    const files = numbers
      .filter((number) => number >= flushed)
      .map((number) => join(folder, `${number}.blk`));
    // The folder has the names of new blocks.
    await Promise.all([...files, ...(last > flushed ? [folder] : [])].map(flush));
    flushed = last;
  };
}

async function flush(path: string): Promise<void> {
  const file = await open(path, "r");
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}
