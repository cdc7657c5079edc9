/** The block list: hosts that operators or owners excluded, replicated in memory because every visit checks it. */

import type { Logger } from "pino";
import { z } from "zod";
import { hostKey, keyHost } from "../domain/names/domain-name.ts";
import type { Broker } from "../ports/broker.ts";
import type { Bucket } from "../ports/buckets.ts";
import type { Clock } from "../ports/clock.ts";
import type { Frontier } from "../ports/frontier.ts";
import { iso } from "../ports/time.ts";
import { followRecords } from "./follow.ts";
import type { Records } from "./records.ts";

export const Block = z.looseObject({
  v: z.literal(1),
  host: z.string(),
  at: z.string(),
  why: z.string(),
  /** Who blocked it. An owner may unblock their own site, unless the operator blocked it. */
  by: z.enum(["operator", "owner"]).optional(),
});
export type Block = z.infer<typeof Block>;

/** Upper bound of a block's propagation to every process; the last visit to a blocked host waits this long. */
const BLOCK_SPREAD_MS = 2_000;

export interface BlockList {
  has(host: string): boolean;
  stop(): void;
}

/** Resolves when all current blocks are loaded; then follows changes, across reconnects. */
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

export interface BlockingDeps {
  broker: Pick<Broker, "now">;
  blocks: Records<Block>;
  frontier: Pick<Frontier, "bringForward" | "add">;
  clock: Clock;
}

/** Blocks a host from rediscovery, and lets the crawler remove its records. */
export const blockHost = async (
  { broker, blocks, frontier, clock }: BlockingDeps,
  host: string,
  { why, by }: { why: string; by: "operator" | "owner" },
): Promise<void> => {
  const now = broker.now();
  await blocks.put(hostKey(host), { v: 1, host, at: iso(now), why, by });
  // Delayed: the visit that removes it must run after every crawler knows the block.
  const at = now + BLOCK_SPREAD_MS;
  const last = { source: "audit", heardAt: Math.floor(now), visited: true } as const;
  // A host without a token gets one for a last visit, which removes its records.
  if (!(await frontier.bringForward(host, at)) && !(await frontier.add(host, at, last))) {
    // A visit is in progress. It removes the host, unless it ends before its crawler knows the block.
    await clock.sleep(BLOCK_SPREAD_MS);
    await frontier.bringForward(host, broker.now());
  }
};
