/**
 * Tables of reported hosts, after Bitcoin's address manager (src/addrman.cpp): two tables of buckets. A host's slot
 * depends on a secret, so that nobody can target a slot, and on the source and the host, so that no group reaches more
 * than its share. Pure; the records are in new-table.ts and tried-table.ts.
 */

import { z } from "zod";
import { keyed } from "../../src/domain/keyed.ts";
import { registrableDomain } from "../../src/domain/names/domain-name.ts";
import { DAY_MS } from "../../src/ports/time.ts";

/** Unverified hosts: 65,536 slots; a source group reaches 64 buckets, 6.25 % of them. */
export const NEW_BUCKETS = 1_024;
export const NEW_BUCKETS_PER_SOURCE = 64;
/** Verified hosts: 16,384 slots; a hosting group reaches 8 buckets, 3.1 % of them. */
export const TRIED_BUCKETS = 256;
export const TRIED_BUCKETS_PER_GROUP = 8;
export const BUCKET_SIZE = 64;
/** Candidate slots per host. Bitcoin has one; with four, few hosts are lost before a bucket is nearly full. */
const SLOT_CHOICES = 4;
/** An unverified host holds its slot at least this long, whatever the result of its probe. */
export const SLOT_TTL_MS = 7 * DAY_MS;
/** A tried host that was verified within this time is not evicted. */
export const TRIED_FRESH_MS = DAY_MS;

export interface BucketSlot {
  bucket: number;
  slot: number;
}

/** The holder of a slot. `group`: the HMAC of the source's group (new) or of the host's own (tried). */
export const Holder = z.looseObject({ v: z.literal(1), host: z.string(), group: z.string(), at: z.number() });
export type Holder = z.infer<typeof Holder>;

/** What is known about the holder of a slot. */
export interface HolderStatus {
  /** A visit is scheduled or in progress. */
  hasToken: boolean;
  /** A visit verified it: it no longer depends on its slot. */
  sound: boolean;
}

/**
 * The candidate slots of a host, all in one bucket; it takes the first free one.
 * @param source group of the source: a reporter's network, or the group of the site whose beacon names the host
 */
export function newSlots(secret: string, host: string, source: string): BucketSlot[] {
  const within = keyedIndex(secret, NEW_BUCKETS_PER_SOURCE, "new", source, registrableDomain(host));
  const bucket = keyedIndex(secret, NEW_BUCKETS, "new bucket", source, within);
  return Array.from({ length: SLOT_CHOICES }, (_, choice) => ({
    bucket,
    slot: keyedIndex(secret, BUCKET_SIZE, "new slot", bucket, host, choice),
  }));
}

const keyedIndex = (secret: string, below: number, purpose: string, ...of: (string | number)[]): number =>
  keyed(secret, purpose, ...of).readUIntBE(0, 6) % below;

/** @param group group of the host's operator (hostGroup) */
export function triedSlot(secret: string, host: string, group: string): BucketSlot {
  const within = keyedIndex(secret, TRIED_BUCKETS_PER_GROUP, "tried", host);
  const bucket = keyedIndex(secret, TRIED_BUCKETS, "tried bucket", group, within);
  return { bucket, slot: keyedIndex(secret, BUCKET_SIZE, "tried slot", bucket, host) };
}

export const slotKey = (table: "new" | "tried", { bucket, slot }: BucketSlot): string =>
  `${table}.${bucket}.${slot}`;

/**
 * The group of a host's operator, as far as DNS shows it: the owners of its zone's name servers and the network of its
 * address. Names are cheap; name servers and networks are not. If neither is known, the registrable domain.
 */
export function hostGroup(
  secret: string,
  host: string,
  nameServers: readonly string[],
  network: string | null,
): string {
  const owners = [...new Set(nameServers.map((name) => registrableDomain(name.toLowerCase())))].sort();
  const known = owners.length > 0 || network !== null;
  const who = known ? `${owners.join(",")}\n${network ?? ""}` : registrableDomain(host);
  return keyed(secret, "host group", who).toString("base64url");
}

/** Test before evict: a host whose probe has not ended keeps its slot, up to a week. */
export function canTakeNew(holder: Holder | undefined, status: HolderStatus, now: number): boolean {
  if (holder === undefined || now - holder.at >= SLOT_TTL_MS) return true;
  return status.sound || !status.hasToken;
}

/** A tried host verified within a day keeps its slot; an older one is tested, and replaced if it fails. */
export function judgeTried(
  status: { enabled: boolean; verifiedAt: number | null } | undefined,
  now: number,
): "keep" | "test" | "replace" {
  if (!status?.enabled || status.verifiedAt === null) return "replace";
  return now - status.verifiedAt <= TRIED_FRESH_MS ? "keep" : "test";
}
