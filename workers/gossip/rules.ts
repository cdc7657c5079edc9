/** What is done with a name that somebody says. Pure. */
import { createHmac } from "node:crypto";
import { z } from "zod";
import { networkGroup } from "../../src/domain/address.ts";
import { registrableDomain } from "../../src/domain/domain-name.ts";

/** A reporter group: a bucket of 50 names that refills by one every ten seconds. */
const BURST = 50;
const REFILL_PER_MS = 0.1 / 1_000;
/** Peers taken of one report. */
export const MAX_PEERS_TAKEN = 10;
/** Unverified hosts one registrable domain may have waiting. */
export const MAX_PENDING = 5;
/** A host is probed at most this often because somebody said so. */
export const PROBE_INTERVAL_MS = 3_600_000;
const MAX_REMEMBERED = 50;
const PENDING_TTL_MS = 7 * 86_400_000;

/** What one group of reporters may still say, and what it said lately. */
export const Reporter = z.looseObject({
  v: z.literal(1),
  tokens: z.number(),
  at: z.number(),
  reported: z.array(z.string()),
});
export type Reporter = z.infer<typeof Reporter>;

/** Unverified hosts of one registrable domain: host → when it was heard of, milliseconds. */
export const Candidates = z.looseObject({ v: z.literal(1), hosts: z.record(z.string(), z.number()) });
export type Candidates = z.infer<typeof Candidates>;

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

/**
 * The candidates of a registrable domain with `host` added, or undefined when it was named within the hour or when five
 * wait already. The registrable domain itself always has a place: nobody bars a shop by inventing names below it.
 * @param settled hosts that have been verified since, or forgotten: they no longer wait
 */
export const addCandidate = (
  stored: Candidates | undefined,
  host: string,
  settled: ReadonlySet<string>,
  now: number,
): Candidates | undefined => {
  const waiting = Object.entries(stored?.hosts ?? {}).filter(
    ([known, at]) => known !== host && !settled.has(known) && now - at < PENDING_TTL_MS,
  );
  const last = stored?.hosts[host];
  if (last !== undefined && now - last < PROBE_INTERVAL_MS) return undefined;
  if (waiting.length >= MAX_PENDING && host !== registrableDomain(host)) return undefined;
  return { ...stored, v: 1, hosts: Object.fromEntries([...waiting, [host, now]]) };
};
