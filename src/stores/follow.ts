/** Follows a bucket in memory: every current record, then every change, across reconnects and lost watches. */
import type { Logger } from "pino";
import type { z } from "zod";
import type { Bucket, BucketChange } from "../ports/buckets.ts";
import type { Clock } from "../ports/clock.ts";

const RETRY_MS = 1_000;

export interface FollowOptions<S extends z.ZodType> {
  bucket: Bucket;
  schema: S;
  /** Key filter, such as `tried.>`. */
  key?: string;
  onPut: (key: string, value: z.output<S>, revision: number) => void;
  onRemove: (key: string) => void;
  clock: Clock;
  log: Logger;
}

export interface Subscription {
  stop(): void;
}

/**
 * Calls back for every current record, then for every change. A lost watch restarts and repeats every record. An
 * unreadable record (of a newer version, or damaged) is logged and skipped.
 * @returns after the callbacks for all current records
 */
export async function followRecords<S extends z.ZodType>(options: FollowOptions<S>): Promise<Subscription> {
  const { bucket, schema, key = ">", onPut, onRemove, clock, log } = options;
  const loaded = Promise.withResolvers<void>();
  const stopping = new AbortController();

  const tell = ({ key, entry }: BucketChange): void => {
    try {
      if (entry) onPut(key, schema.parse(entry.json()), entry.revision);
      else onRemove(key);
    } catch (error) {
      log.error({ err: error, bucket: bucket.name, key }, "unreadable record");
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
        if (!stopping.signal.aborted) log.warn({ err: error, key }, "lost the watch of a bucket; retrying");
      });
      await clock.sleep(RETRY_MS, stopping.signal);
    }
  };
  if (await isEmpty(bucket, key)) loaded.resolve();
  void follow();
  await loaded.promise;
  return { stop: () => stopping.abort() };
}

async function isEmpty(bucket: Bucket, key: string): Promise<boolean> {
  for await (const _ of bucket.keys(key)) return false;
  return true;
}
