/** The hosts an operator barred, followed in memory: asked at every visit, changed a few times a year. */
import type { KV } from "@nats-io/kv";
import { keyHost } from "./domain/domain-name.ts";

/** A block reaches every process well within this; the last visit to a blocked host waits so long. */
export const BLOCK_SPREAD_MS = 2_000;

export interface BlockList {
  has(host: string): boolean;
  stop(): void;
}

/** Resolves once every block of now is known; follows changes from then on, across reconnects. */
export const followBlocks = async (bucket: KV): Promise<BlockList> => {
  const hosts = new Set<string>();
  const loaded = Promise.withResolvers<void>();
  const { values } = await bucket.status();
  if (values === 0) loaded.resolve();
  const watch = await bucket.watch({});
  const follow = async (): Promise<void> => {
    for await (const entry of watch) {
      if (entry.operation === "PUT") hosts.add(keyHost(entry.key));
      else hosts.delete(keyHost(entry.key));
      if (entry.delta === 0) loaded.resolve();
    }
  };
  follow().catch(() => undefined);
  await loaded.promise;
  return { has: (host) => hosts.has(host), stop: () => watch.stop() };
};
