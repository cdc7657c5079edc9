/** Rules for reported hosts: rate allowances and candidates per domain. Pure. */

import { z } from "zod";
import { keyed } from "../../src/domain/keyed.ts";
import { networkGroup } from "../../src/domain/names/address.ts";
import { hostKey, registrableDomain } from "../../src/domain/names/domain-name.ts";
import { DAY_MS, HOUR_MS } from "../../src/ports/time.ts";
import { LIMITS } from "../../src/rpc/limit-table.ts";

/** The token bucket of a reporter group: 50 hosts, refilled by one every ten seconds. */
const BURST = LIMITS.reported_names.by.network.atOnce;
const REFILL_PER_MS = 0.1 / 1_000;
/** Peers used from one report. */
export const MAX_PEERS_TAKEN = 10;
/** Maximum unverified hosts waiting per registrable domain, and unprobed ones among them per group. */
export const MAX_PENDING = LIMITS.places.by.domain.atOnce;
export const MAX_PENDING_OF_GROUP = 2;
/** Maximum hosts below one registrable domain that a group may report per hour, and groups counted. */
const MAX_REPORTS_AN_HOUR = 5;
const MAX_COUNTED_GROUPS = 16;
/** Minimum interval between probes of a host caused by reports. */
export const PROBE_INTERVAL_MS = HOUR_MS;
const MAX_REMEMBERED = 50;
const PENDING_TTL_MS = 7 * DAY_MS;

/** The remaining allowance of a reporter group, and its recent reports. */
export const ReporterGroup = z.looseObject({
  v: z.literal(1),
  tokens: z.number(),
  at: z.number(),
  reported: z.array(z.string()),
});
export type ReporterGroup = z.infer<typeof ReporterGroup>;

/** Unverified hosts of one registrable domain, and who reported them. */
export const Candidates = z.looseObject({
  v: z.literal(1),
  /** Host → time of discovery, milliseconds. */
  hosts: z.record(z.string(), z.number()),
  /** Host → the reporting group (`reporterId`). */
  by: z.record(z.string(), z.string()),
  /** Group → number of hosts it reported in the hour that began with the first. */
  said: z.record(z.string(), z.object({ count: z.int(), since: z.number() })),
});
export type Candidates = z.infer<typeof Candidates>;

/** Keys of both in their bucket. */
export const reporterKey = (group: string): string => `group.${group}`;
export const candidatesKey = (domain: string): string => `domain.${hostKey(domain)}`;

/** The probe state of a waiting host: `settled` ones no longer wait, `probed` ones may be evicted. */
export type WaitingHosts = "settled" | "probed" | "unprobed";

/** The group of a client's address, its /16 or /48, as an HMAC that serves as a bucket key. */
export const addressGroup = (secret: string, address: string): string =>
  groupKey(secret, `address ${(address && networkGroup(address)) || "inside"}`);

const groupKey = (secret: string, group: string): string =>
  keyed(secret, "reporter", group).toString("base64url");

export const siteGroup = (secret: string, host: string): string =>
  groupKey(secret, `site ${registrableDomain(host)}`);

/** Takes hosts from a group's token bucket. @returns those that fit, and the record to store */
export function takeFromBucket(
  reporter: ReporterGroup | undefined,
  hosts: string[],
  now: number,
): { taken: string[]; reporter: ReporterGroup } {
  const before = reporter ?? { v: 1 as const, tokens: BURST, at: now, reported: [] };
  const tokens = Math.min(BURST, before.tokens + Math.max(0, now - before.at) * REFILL_PER_MS);
  const taken = hosts.slice(0, Math.floor(tokens));
  const owners = [...new Set([...taken.map(registrableDomain), ...before.reported])].slice(0, MAX_REMEMBERED);
  return { taken, reporter: { ...before, v: 1, tokens: tokens - taken.length, at: now, reported: owners } };
}

/** A uniform choice of `count` items (Fisher–Yates, stopped early). `random` gives [0, 1). */
export function pick<T>(items: readonly T[], count: number, random: () => number): T[] {
  const left = [...items];
  for (let i = 0; i < Math.min(count, left.length); i++) {
    const j = i + Math.floor(random() * (left.length - i));
    [left[i], left[j]] = [left[j]!, left[i]!];
  }
  return left.slice(0, count);
}

/**
 * The candidates of a registrable domain with `host` added, or undefined if there is no room. A group has at most two
 * unprobed hosts below one domain and reports at most five per hour, so that nobody blocks a shop with invented names
 * below it. The registrable domain itself always has a slot.
 * @param group group of the reporter
 * @param standing probe state of a waiting host
 */
export function addCandidate(
  stored: Candidates | undefined,
  host: string,
  group: string,
  standing: (host: string) => WaitingHosts,
  now: number,
): Candidates | undefined {
  const last = stored?.hosts[host];
  if (last !== undefined && now - last < PROBE_INTERVAL_MS) return undefined;
  const reporterKey = reporterId(group);
  const by = stored?.by ?? {};
  const entries = Object.entries(stored?.hosts ?? {}).filter(
    ([known, at]) => known !== host && standing(known) !== "settled" && now - at < PENDING_TTL_MS,
  );
  const waiting = entries.toSorted(([, a], [, b]) => a - b).map(([known]) => known);
  const said = withReport(stored?.said ?? {}, reporterKey, now);
  const owner = host === registrableDomain(host);
  let leaves: string | undefined;
  if (!owner) {
    const own = waiting.filter((known) => by[known] === reporterKey && standing(known) === "unprobed");
    if (said === undefined || own.length >= MAX_PENDING_OF_GROUP) return undefined;
    if (waiting.length >= MAX_PENDING) {
      leaves = evictable(waiting, by, reporterKey, standing);
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
      [host, reporterKey],
    ]),
    said: said ?? stored?.said ?? {},
  };
}

/** A group's short id in candidate records, long enough to distinguish sixteen groups. */
export const reporterId = (group: string): string => group.slice(0, 10);

/** The hourly counts with one more report by a group; undefined if it exceeds the limit. */
function withReport(
  said: Candidates["said"],
  reporterKey: string,
  now: number,
): Candidates["said"] | undefined {
  const current = Object.entries(said).filter(([, { since }]) => now - since < HOUR_MS);
  const own = current.find(([each]) => each === reporterKey)?.[1] ?? { count: 0, since: now };
  if (own.count >= MAX_REPORTS_AN_HOUR) return undefined;
  const others = current.filter(([each]) => each !== reporterKey);
  const latest = others.toSorted(([, a], [, b]) => b.since - a.since).slice(0, MAX_COUNTED_GROUPS - 1);
  return Object.fromEntries([...latest, [reporterKey, { ...own, count: own.count + 1 }]]);
}

/**
 * The waiting host to evict for a report by `reporterKey`: the oldest probed one, otherwise the newest of the group with the
 * most hosts, if it has at least two more than `reporterKey`. Other unprobed hosts are not evicted.
 */
function evictable(
  waiting: readonly string[],
  by: Candidates["by"],
  reporterKey: string,
  standing: (host: string) => WaitingHosts,
): string | undefined {
  const probed = waiting.find((host) => standing(host) === "probed");
  if (probed !== undefined) return probed;
  const heldBy = (group: string | undefined) => waiting.filter((host) => by[host] === group);
  const own = heldBy(reporterKey).length;
  return waiting
    .map((host) => heldBy(by[host]))
    .filter((held) => held.length >= own + 2)
    .toSorted((a, b) => b.length - a.length)[0]
    ?.at(-1);
}
