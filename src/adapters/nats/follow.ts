/** A bucket followed in memory: every record of now, then every change, across reconnects and lost watches. */
import { setTimeout as delay } from "node:timers/promises";
import type { KV, KvWatchEntry } from "@nats-io/kv";
import type { Logger } from "pino";
import type { z } from "zod";

const RETRY_MS = 1_000;

export interface FollowOptions<S extends z.ZodType> {
  bucket: KV;
  schema: S;
  /** Only keys of this form, such as `tried.>`. */
  key?: string;
  onPut: (key: string, value: z.output<S>, revision: number) => void;
  onRemove: (key: string) => void;
  log: Logger;
}

export interface Following {
  stop(): void;
}

const isEmpty = async (bucket: KV, key: string): Promise<boolean> => {
  for await (const _ of await bucket.keys(key)) return false;
  return true;
};

/**
 * Tells of every record that is there, then of every change as it comes. A watch that is lost is begun anew and tells of
 * every record again; a record that cannot be read (a newer version's, or damaged) is logged and passed over.
 * @returns once every record of now was told
 */
export const followRecords = async <S extends z.ZodType>(options: FollowOptions<S>): Promise<Following> => {
  const { bucket, schema, key = ">", onPut, onRemove, log } = options;
  const loaded = Promise.withResolvers<void>();
  const stopping = new AbortController();

  const tell = (entry: KvWatchEntry): void => {
    try {
      if (entry.operation === "PUT") onPut(entry.key, schema.parse(entry.json()), entry.revision);
      else onRemove(entry.key);
    } catch (error) {
      log.error({ err: error, bucket: entry.bucket, key: entry.key }, "record cannot be read");
    }
  };
  const watchOnce = async (): Promise<void> => {
    const watch = await bucket.watch({ key });
    const stop = () => watch.stop();
    if (stopping.signal.aborted) stop();
    stopping.signal.addEventListener("abort", stop, { once: true });
    try {
      for await (const entry of watch) {
        tell(entry);
        if (entry.delta === 0) loaded.resolve();
      }
    } finally {
      stopping.signal.removeEventListener("abort", stop);
    }
  };
  const follow = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      await watchOnce().catch((error: unknown) => {
        if (!stopping.signal.aborted) log.warn({ err: error, key }, "a bucket is not followed; trying again");
      });
      await delay(RETRY_MS, undefined, { signal: stopping.signal }).catch(() => undefined);
    }
  };
  if (await isEmpty(bucket, key)) loaded.resolve();
  void follow();
  await loaded.promise;
  return { stop: () => stopping.abort() };
};
