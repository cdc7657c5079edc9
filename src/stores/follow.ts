/** A bucket followed in memory: every record of now, then every change, across reconnects and lost watches. */
import { setTimeout as delay } from "node:timers/promises";
import type { Logger } from "pino";
import type { z } from "zod";
import type { Bucket, BucketChange } from "../ports/buckets.ts";

const RETRY_MS = 1_000;

export interface FollowOptions<S extends z.ZodType> {
  bucket: Bucket;
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

const isEmpty = async (bucket: Bucket, key: string): Promise<boolean> => {
  for await (const _ of bucket.keys(key)) return false;
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

  const tell = ({ key, entry }: BucketChange): void => {
    try {
      if (entry) onPut(key, schema.parse(entry.json()), entry.revision);
      else onRemove(key);
    } catch (error) {
      log.error({ err: error, bucket: bucket.name, key }, "record cannot be read");
    }
  };
  const watchOnce = async (): Promise<void> => {
    for await (const change of bucket.watch(key, stopping.signal)) {
      tell(change);
      if (change.pending === 0) loaded.resolve();
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
