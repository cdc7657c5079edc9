/**
 * Where a name that somebody says is kept, after Bitcoin's address manager (src/addrman.cpp): two tables of buckets
 * whose places follow from a secret, so that nobody can aim at a place, and from who speaks and who is spoken of, so
 * that no group reaches more than its share. Pure; the records are in new-table.ts and tried-table.ts.
 */

import { createHmac } from "node:crypto";
import { z } from "zod";
import { registrableDomain } from "../../src/domain/names/domain-name.ts";
import { DAY_MS } from "../../src/domain/protocols/time.ts";

/** Unverified names: 65,536 places; a source group reaches 64 buckets, 6.25 % of them. */
export const NEW_BUCKETS = 1_024;
export const NEW_BUCKETS_PER_SOURCE = 64;
/** Verified hosts that gossip met: 16,384 places; a hosting group reaches 8 buckets, 3.1 % of them. */
export const TRIED_BUCKETS = 256;
export const TRIED_BUCKETS_PER_GROUP = 8;
export const BUCKET_SIZE = 64;
/** Bitcoin has one; with four hardly any name is lost before a bucket is nearly full. */
const SLOT_CHOICES = 4;
/** An unverified name keeps its place for so long, whatever becomes of its probe. */
export const PLACE_TTL_MS = 7 * DAY_MS;
/** A tried host that was verified within this time is not evicted. */
export const TRIED_FRESH_MS = DAY_MS;

export interface Place {
  bucket: number;
  slot: number;
}

/** Who holds a place. `group`: the source's (new) or the host's own (tried), hidden behind an HMAC. */
export const Holder = z.looseObject({ v: z.literal(1), host: z.string(), group: z.string(), at: z.number() });
export type Holder = z.infer<typeof Holder>;

const draw = (secret: string, below: number, ...parts: (string | number)[]): number =>
  createHmac("sha256", secret).update(parts.join("\n")).digest().readUIntBE(0, 6) % below;

/**
 * The places that a name may take, the first one that is free: all in one bucket.
 * @param source the group of who says it: a reporter's network, or the group of the site whose beacon it is
 */
export const newPlaces = (secret: string, host: string, source: string): Place[] => {
  const within = draw(secret, NEW_BUCKETS_PER_SOURCE, "new", source, registrableDomain(host));
  const bucket = draw(secret, NEW_BUCKETS, "new bucket", source, within);
  return Array.from({ length: SLOT_CHOICES }, (_, choice) => ({
    bucket,
    slot: draw(secret, BUCKET_SIZE, "new slot", bucket, host, choice),
  }));
};

/** @param group who runs it (hostGroup) */
export const triedPlace = (secret: string, host: string, group: string): Place => {
  const within = draw(secret, TRIED_BUCKETS_PER_GROUP, "tried", host);
  const bucket = draw(secret, TRIED_BUCKETS, "tried bucket", group, within);
  return { bucket, slot: draw(secret, BUCKET_SIZE, "tried slot", bucket, host) };
};

export const placeKey = (table: "new" | "tried", { bucket, slot }: Place): string =>
  `${table}.${bucket}.${slot}`;

/**
 * Who runs a host, as far as DNS shows it: the owners of its zone's name servers and the network of its address. Names
 * are cheap and come in millions; name servers and networks are not. Where neither is known, the registrable domain.
 */
export const hostGroup = (
  secret: string,
  host: string,
  nameServers: readonly string[],
  network: string | null,
): string => {
  const owners = [...new Set(nameServers.map((name) => registrableDomain(name.toLowerCase())))].sort();
  const known = owners.length > 0 || network !== null;
  const who = known ? `${owners.join(",")}\n${network ?? ""}` : registrableDomain(host);
  return createHmac("sha256", secret).update(`host group\n${who}`).digest("base64url");
};

/** What is known of who holds a place. */
export interface Standing {
  /** A visit is still to come, or under way. */
  hasToken: boolean;
  /** A visit found it sound: it stands on its own. */
  sound: boolean;
}

/** Test before evict: a name that has not been probed to its end keeps its place, up to a week. */
export const canTakeNew = (holder: Holder | undefined, standing: Standing, now: number): boolean => {
  if (holder === undefined || now - holder.at >= PLACE_TTL_MS) return true;
  return standing.sound || !standing.hasToken;
};

/** A tried host that was verified within a day keeps its place; one that may be dead is tested, and replaced when it is. */
export const judgeTried = (
  standing: { enabled: boolean; verifiedAt: number | null } | undefined,
  now: number,
): "keep" | "test" | "replace" => {
  if (!standing?.enabled || standing.verifiedAt === null) return "replace";
  return now - standing.verifiedAt <= TRIED_FRESH_MS ? "keep" : "test";
};
