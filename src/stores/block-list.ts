/**
 * The block list: hosts that operators or owners excluded, domains that operators excluded with all below them
 * (`*.spam.example`), and networks that nothing is fetched from (`203.0.113.0/24`). Crawlers keep it in memory, because
 * every visit checks it.
 */

import PQueue from "p-queue";
import type { Logger } from "pino";
import { z } from "zod";
import { type Networks, parseNetwork } from "../domain/names/address.ts";
import { hostKey } from "../domain/names/domain-name.ts";
import { parsePastedDomain } from "../domain/names/pasted-domain.ts";
import type { Broker } from "../ports/broker.ts";
import type { Bucket } from "../ports/buckets.ts";
import type { Clock } from "../ports/clock.ts";
import type { Frontier } from "../ports/frontier.ts";
import { iso } from "../ports/time.ts";
import { followRecords } from "./follow.ts";
import { allRecords, type Records } from "./records.ts";

export const Block = z.looseObject({
  v: z.literal(1),
  /** A host, `*.` and a domain, or a network. */
  host: z.string(),
  at: z.string(),
  why: z.string(),
  /** Who blocked it. An owner may unblock their own site, unless the operator blocked it. */
  by: z.enum(["operator", "owner"]).optional(),
  /** Name of the operator, for operators alone. */
  who: z.string().optional(),
});
export type Block = z.infer<typeof Block>;

/** Upper bound of a block's propagation to every process; the last visit to a blocked host waits this long. */
const BLOCK_SPREAD_MS = 2_000;

/** Begins the key of a domain that is blocked with all below it. No host's key has this character. */
const WIDE = "=/";

/** Begins the key of a network. */
const NETWORK = "=n.";

/** Labels of a domain that can be blocked with all below it: each more would be one more look-up for every host. */
const MAX_WIDE_LABELS = 6;

export type BlockTarget = { ok: true; target: string } | { ok: false; detail: string };

export interface BlockList {
  has(host: string): boolean;
  stop(): void;
}

/** What a role that visits sites has of its runtime. */
export interface VisitingRuntime {
  broker: Pick<Broker, "buckets">;
  blockedNetworks: Networks;
  clock: Clock;
  log: Logger;
}

export interface BlockingDeps {
  broker: Pick<Broker, "now">;
  blocks: Records<Block>;
  frontier: Pick<Frontier, "bringForward" | "add">;
  clock: Clock;
}

export interface BlockReason {
  why: string;
  by: "operator" | "owner";
  /** Name of the operator. */
  who?: string;
}

/** Of many: a block of a host that is being visited waits until every crawler knows it. */
const BLOCKED_AT_ONCE = 64;

/** The block of a host: its own, or the widest of those above it. */
export async function hostBlock<B>(
  blocks: { get(key: string): Promise<{ value: B } | undefined> },
  host: string,
): Promise<B | undefined> {
  const found = await Promise.all(keysOfBlocks(host).map((key) => blocks.get(key)));
  return found.find((block) => block !== undefined)?.value;
}

/** Where a block of this host can stand: under its own key, or under that of a domain that it is or is below. */
function keysOfBlocks(host: string): string[] {
  const labels = host.split(".");
  const widest = Math.min(labels.length, MAX_WIDE_LABELS);
  const domains = Array.from({ length: widest - 1 }, (_, i) => labels.slice(-(i + 2)).join("."));
  return [hostKey(host), ...domains.map(wideKey)];
}

const wideKey = (domain: string): string => WIDE + hostKey(domain);

/** What a person names: a host in any pasted form, `*.` and a domain, a network in CIDR notation, or an address. */
export function parseBlockTarget(text: string): BlockTarget {
  const trimmed = text.trim();
  const network = parseNetwork(trimmed);
  if (network !== undefined) return { ok: true, target: network };
  if (/^[0-9a-f.:]{2,45}\/\d{1,4}$/i.test(trimmed))
    return { ok: false, detail: "is no network of at least 8 bits (IPv4) or 20 (IPv6)" };
  const wide = trimmed.startsWith("*.");
  const parsed = parsePastedDomain(wide ? trimmed.slice(2) : trimmed);
  if (!parsed.ok) return parsed;
  if (wide && parsed.host.split(".").length > MAX_WIDE_LABELS)
    return { ok: false, detail: `has more than ${MAX_WIDE_LABELS} labels; block the host itself` };
  return { ok: true, target: wide ? `*.${parsed.host}` : parsed.host };
}

/**
 * Resolves when all current blocks are loaded; then follows changes, across reconnects.
 * @param onWide called after a domain was blocked with all below it, once every process knows that
 */
export async function followBlocks(
  bucket: Bucket,
  { log, clock, onWide }: { log: Logger; clock: Clock; onWide: () => Promise<unknown> },
): Promise<BlockList> {
  const keys = new Set<string>();
  const next = afterSpread({ log, clock }, onWide, "blocked hosts wait for the next audit");
  const following = await followRecords({
    bucket,
    schema: z.unknown(),
    onPut: (key) => {
      if (isWide(key) && !keys.has(key)) next.tell();
      keys.add(key);
    },
    onRemove: (key) => keys.delete(key),
    clock,
    log,
  });
  next.isLoaded = true;
  return {
    has: (host) => isBlockedBy(keys, host),
    stop: () => {
      next.stop();
      following.stop();
    },
  };
}

/**
 * Does what follows a block, once every process knows of it; what was blocked before the start had its turn.
 * @param otherwise for the log: what becomes of it where that fails
 */
function afterSpread(
  { log, clock }: { log: Logger; clock: Clock },
  work: () => Promise<unknown>,
  otherwise: string,
): { isLoaded: boolean; tell(): void; stop(): void } {
  const stopping = new AbortController();
  const wait = async (): Promise<void> => {
    await clock.sleep(BLOCK_SPREAD_MS, stopping.signal);
    if (!stopping.signal.aborted) await work();
  };
  return {
    isLoaded: false,
    tell() {
      if (this.isLoaded) wait().catch((error: unknown) => log.warn({ err: error }, otherwise));
    },
    stop: () => stopping.abort(),
  };
}

const isWide = (key: string): boolean => key.startsWith(WIDE);

/** Whether one of these keys blocks the host. */
export const isBlockedBy = (keys: ReadonlySet<string>, host: string): boolean =>
  keysOfBlocks(host).some((key) => keys.has(key));

/**
 * Keeps the fetcher of a process from the networks that operators blocked.
 * @param onBlocked called after a network was blocked, once every process knows that
 * @returns once all current ones are known; with what ends it
 */
export async function followNetworks(
  { broker, blockedNetworks, clock, log }: VisitingRuntime,
  onBlocked: () => Promise<unknown> = async () => undefined,
): Promise<{ stop(): void }> {
  const known = new Set<string>();
  const next = afterSpread({ log, clock }, onBlocked, "blocked sites wait for their next visits");
  const following = await followRecords({
    bucket: broker.buckets.blocks,
    schema: Block,
    key: `${NETWORK}>`,
    onPut: (key, { host }) => {
      blockedNetworks.add(key, host);
      // A lost watch repeats every record, and roles of one process share the networks.
      if (!known.has(key)) next.tell();
      known.add(key);
    },
    onRemove: (key) => {
      blockedNetworks.remove(key);
      known.delete(key);
    },
    clock,
    log,
  });
  next.isLoaded = true;
  return {
    stop: () => {
      next.stop();
      following.stop();
    },
  };
}

/** Blocks many. @param done called after each */
export async function blockHosts(
  deps: BlockingDeps,
  targets: readonly string[],
  reason: BlockReason,
  done: (target: string) => void = () => undefined,
): Promise<void> {
  const queue = new PQueue({ concurrency: BLOCKED_AT_ONCE });
  await queue.addAll(targets.map((target) => () => blockHost(deps, target, reason).then(() => done(target))));
}

/**
 * Blocks a host from rediscovery, and lets the crawlers remove its records. Where a domain is blocked with all below it, or a
 * network, crawlers visit those hosts once they know of it (workers/crawler/audit.ts).
 * @param host canonical, `*.` and a domain, or a network
 */
export async function blockHost(
  { broker, blocks, frontier, clock }: BlockingDeps,
  host: string,
  reason: BlockReason,
): Promise<void> {
  const now = broker.now();
  await blocks.put(blockKey(host), { v: 1, host, at: iso(now), ...reason });
  if (!isHostKey(blockKey(host))) return;
  // Delayed: the visit that removes it must run after every crawler knows the block.
  const at = now + BLOCK_SPREAD_MS;
  const last = { source: "audit", discoveredAt: Math.floor(now), visited: true } as const;
  // A host without a token gets one for a last visit, which removes its records.
  if (!(await frontier.bringForward(host, at)) && !(await frontier.add(host, at, last))) {
    // A visit is in progress. It removes the host, unless it ends before its crawler knows the block.
    await clock.sleep(BLOCK_SPREAD_MS);
    await frontier.bringForward(host, broker.now());
  }
}

/** Key of what is blocked. @param target a host, `*.` and a domain, or a network */
export function blockKey(target: string): string {
  if (isNetwork(target)) return NETWORK + hostKey(target).replaceAll(":", "_");
  return target.startsWith("*.") ? wideKey(target.slice(2)) : hostKey(target);
}

const isNetwork = (target: string): boolean => target.includes("/");

/** Whether a key stands for one host alone. */
const isHostKey = (key: string): boolean => !isWide(key) && !isNetworkKey(key);
const isNetworkKey = (key: string): boolean => key.startsWith(NETWORK);

/** All that is blocked, by name. */
export const allBlocks = async (blocks: Pick<Records<Block>, "keys" | "get">): Promise<Block[]> =>
  (await allRecords(blocks)).sort((a, b) => (a.host < b.host ? -1 : 1));
