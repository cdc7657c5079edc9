/** What is done with a name that somebody says. Pure. */

import { createHmac } from "node:crypto";
import { z } from "zod";
import { networkGroup } from "../../src/domain/names/address.ts";
import { registrableDomain } from "../../src/domain/names/domain-name.ts";
import { DAY_MS, HOUR_MS } from "../../src/domain/protocols/time.ts";
import { LIMITS } from "../../src/rpc/limit-table.ts";

/** A reporter group: a bucket of 50 names that refills by one every ten seconds. */
const BURST = LIMITS.reported_names.by.network.atOnce;
const REFILL_PER_MS = 0.1 / 1_000;
/** Peers taken of one report. */
export const MAX_PEERS_TAKEN = 10;
/** Unverified hosts one registrable domain may have waiting, and those of one group that are still to be probed. */
export const MAX_PENDING = LIMITS.places_of_a_domain.by.domain.atOnce;
export const MAX_PENDING_OF_GROUP = LIMITS.places_of_a_domain.by.network.atOnce;
/** Names below one registrable domain that a group may say in an hour, and groups whose count is kept. */
const MAX_SAID_AN_HOUR = 5;
const MAX_SAYERS = 16;
/** A host is probed at most this often because somebody said so. */
export const PROBE_INTERVAL_MS = 3_600_000;
const MAX_REMEMBERED = 50;
const PENDING_TTL_MS = 7 * DAY_MS;

/** What one group of reporters may still say, and what it said lately. */
export const Reporter = z.looseObject({
  v: z.literal(1),
  tokens: z.number(),
  at: z.number(),
  reported: z.array(z.string()),
});
export type Reporter = z.infer<typeof Reporter>;

/** Unverified hosts of one registrable domain, and who said them. */
export const Candidates = z.looseObject({
  v: z.literal(1),
  /** Host → when it was heard of, milliseconds. */
  hosts: z.record(z.string(), z.number()),
  /** Host → the group that said it (`sayerOf`). Older versions kept none. */
  by: z.record(z.string(), z.string()).default({}),
  /** Group → the names it has said in an hour that began with the first of them. */
  said: z.record(z.string(), z.object({ count: z.int(), since: z.number() })).default({}),
});
export type Candidates = z.infer<typeof Candidates>;

/** How far the probe of a waiting host is: `settled` ones wait no longer, `probed` ones may be evicted. */
export type Waiting = "settled" | "probed" | "unprobed";

/** The group a client's address belongs to: its /16 or /48, hidden behind an HMAC, as a bucket key. */
export const addressGroup = (secret: string, address: string): string =>
  groupKey(secret, `address ${(address && networkGroup(address)) || "inside"}`);
export const siteGroup = (secret: string, host: string): string =>
  groupKey(secret, `site ${registrableDomain(host)}`);
const groupKey = (secret: string, group: string): string =>
  createHmac("sha256", secret).update(`reporter\n${group}`).digest("base64url");

/** Takes up to `wanted` names from a group's allowance. @returns how many, and the record to store */
export const draw = (
  reporter: Reporter | undefined,
  hosts: string[],
  now: number,
): { taken: string[]; reporter: Reporter } => {
  const before = reporter ?? { v: 1 as const, tokens: BURST, at: now, reported: [] };
  const tokens = Math.min(BURST, before.tokens + Math.max(0, now - before.at) * REFILL_PER_MS);
  const taken = hosts.slice(0, Math.floor(tokens));
  const owners = [...new Set([...taken.map(registrableDomain), ...before.reported])].slice(0, MAX_REMEMBERED);
  return { taken, reporter: { ...before, v: 1, tokens: tokens - taken.length, at: now, reported: owners } };
};

/** A uniform choice of `count` items (Fisher–Yates, stopped early). `random` gives [0, 1). */
export const pick = <T>(items: readonly T[], count: number, random: () => number): T[] => {
  const left = [...items];
  for (let i = 0; i < Math.min(count, left.length); i++) {
    const j = i + Math.floor(random() * (left.length - i));
    [left[i], left[j]] = [left[j]!, left[i]!];
  }
  return left.slice(0, count);
};

/** A group as candidates name it: enough of it to tell sixteen apart. */
export const sayerOf = (group: string): string => group.slice(0, 10);

/** Names that a group said in its hour, with one more; undefined when that is too many. */
const saidWith = (said: Candidates["said"], sayer: string, now: number): Candidates["said"] | undefined => {
  const current = Object.entries(said).filter(([, { since }]) => now - since < HOUR_MS);
  const own = current.find(([each]) => each === sayer)?.[1] ?? { count: 0, since: now };
  if (own.count >= MAX_SAID_AN_HOUR) return undefined;
  const others = current.filter(([each]) => each !== sayer);
  const latest = others.toSorted(([, a], [, b]) => b.since - a.since).slice(0, MAX_SAYERS - 1);
  return Object.fromEntries([...latest, [sayer, { ...own, count: own.count + 1 }]]);
};

/**
 * Which of the waiting gives way to a name of `sayer`: the oldest that was probed, else the newest of the group that holds
 * the most, if that is two more than `sayer` has. A name that is still to be probed yields to nobody else.
 */
const evictable = (
  waiting: readonly string[],
  by: Candidates["by"],
  sayer: string,
  standing: (host: string) => Waiting,
): string | undefined => {
  const probed = waiting.find((host) => standing(host) === "probed");
  if (probed !== undefined) return probed;
  const heldBy = (group: string | undefined) => waiting.filter((host) => by[host] === group);
  const own = heldBy(sayer).length;
  return waiting
    .map((host) => heldBy(by[host]))
    .filter((held) => held.length >= own + 2)
    .toSorted((a, b) => b.length - a.length)[0]
    ?.at(-1);
};

/**
 * The candidates of a registrable domain with `host` added, or undefined when there is no room. A group has at most two
 * names waiting to be probed below one domain and says at most five an hour, so that nobody bars a shop by inventing names
 * below it; the registrable domain itself always has a place.
 * @param group of who says it
 * @param standing how far the probes of those are that wait
 */
export const addCandidate = (
  stored: Candidates | undefined,
  host: string,
  group: string,
  standing: (host: string) => Waiting,
  now: number,
): Candidates | undefined => {
  const last = stored?.hosts[host];
  if (last !== undefined && now - last < PROBE_INTERVAL_MS) return undefined;
  const sayer = sayerOf(group);
  const by = stored?.by ?? {};
  const entries = Object.entries(stored?.hosts ?? {}).filter(
    ([known, at]) => known !== host && standing(known) !== "settled" && now - at < PENDING_TTL_MS,
  );
  const waiting = entries.toSorted(([, a], [, b]) => a - b).map(([known]) => known);
  const said = saidWith(stored?.said ?? {}, sayer, now);
  const owner = host === registrableDomain(host);
  let leaves: string | undefined;
  if (!owner) {
    const own = waiting.filter((known) => by[known] === sayer && standing(known) === "unprobed");
    if (said === undefined || own.length >= MAX_PENDING_OF_GROUP) return undefined;
    if (waiting.length >= MAX_PENDING) {
      leaves = evictable(waiting, by, sayer, standing);
      if (leaves === undefined) return undefined;
    }
  }
  const kept = waiting.filter((known) => known !== leaves);
  return {
    ...stored,
    v: 1,
    hosts: Object.fromEntries([...kept.map((known) => [known, stored!.hosts[known]!]), [host, now]]),
    by: Object.fromEntries([
      ...kept.flatMap((known) => (by[known] ? [[known, by[known]]] : [])),
      [host, sayer],
    ]),
    said: said ?? stored?.said ?? {},
  };
};
