/** The hosts an operator barred, followed in memory: asked at every visit, changed a few times a year. */

import type { Logger } from "pino";
import { z } from "zod";
import { hostKey, keyHost } from "../domain/names/domain-name.ts";
import type { Broker } from "../ports/broker.ts";
import type { Bucket } from "../ports/buckets.ts";
import type { Clock } from "../ports/clock.ts";
import type { Frontier } from "../ports/frontier.ts";
import { followRecords } from "./follow.ts";
import type { Records } from "./records.ts";

export const Block = z.looseObject({
  v: z.literal(1),
  host: z.string(),
  at: z.string(),
  why: z.string(),
  /** Who barred it: an owner may let it in again, but not what the operator barred. */
  by: z.enum(["operator", "owner"]).optional(),
});
export type Block = z.infer<typeof Block>;

/** A block reaches every process well within this; the last visit to a blocked host waits so long. */
const BLOCK_SPREAD_MS = 2_000;

export interface BlockList {
  has(host: string): boolean;
  stop(): void;
}

/** Resolves once every block of now is known; follows changes from then on, across reconnects. */
export const followBlocks = async (bucket: Bucket, log: Logger): Promise<BlockList> => {
  const hosts = new Set<string>();
  const following = await followRecords({
    bucket,
    schema: z.unknown(),
    onPut: (key) => hosts.add(keyHost(key)),
    onRemove: (key) => hosts.delete(keyHost(key)),
    log,
  });
  return { has: (host) => hosts.has(host), stop: following.stop };
};

export interface BarringDeps {
  broker: Pick<Broker, "now">;
  blocks: Records<Block>;
  frontier: Pick<Frontier, "bringForward" | "add">;
  clock: Clock;
}

/** Bars a host from being found, and has the crawler remove what is known of it. */
export const barHost = async (
  { broker, blocks, frontier, clock }: BarringDeps,
  host: string,
  { why, by }: { why: string; by: "operator" | "owner" },
): Promise<void> => {
  const now = broker.now();
  await blocks.put(hostKey(host), { v: 1, host, at: new Date(now).toISOString(), why, by });
  // Not at once: the visit that removes it must find every crawler told.
  const at = now + BLOCK_SPREAD_MS;
  const last = { source: "audit", heardAt: Math.floor(now), visited: true } as const;
  // Without a token there is nobody to remove what is left of it: give it one last visit.
  if (!(await frontier.bringForward(host, at)) && !(await frontier.add(host, at, last))) {
    // Being visited: that visit removes it, unless it ended before its crawler was told.
    await clock.sleep(BLOCK_SPREAD_MS);
    await frontier.bringForward(host, broker.now());
  }
};
