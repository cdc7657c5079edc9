/** A bucket followed in memory: every record of now, then every change, across reconnects. */
import type { KV } from "@nats-io/kv";
import type { z } from "zod";

export interface Following {
  stop(): void;
}

/**
 * Tells of every record that is there, then of every change as it comes.
 * @returns once every record of now was told
 */
export const followRecords = async <S extends z.ZodType>(
  bucket: KV,
  schema: S,
  onPut: (key: string, value: z.output<S>) => void,
  onRemove: (key: string) => void,
): Promise<Following> => {
  const loaded = Promise.withResolvers<void>();
  if ((await bucket.status()).values === 0) loaded.resolve();
  const watch = await bucket.watch({});
  const follow = async (): Promise<void> => {
    for await (const entry of watch) {
      if (entry.operation === "PUT") onPut(entry.key, schema.parse(entry.json()));
      else onRemove(entry.key);
      if (entry.delta === 0) loaded.resolve();
    }
  };
  follow().catch(() => undefined);
  await loaded.promise;
  return { stop: () => watch.stop() };
};
