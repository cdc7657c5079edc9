/**
 * The table of verified hosts. Peers in replies come from it first: an operator with ten thousand verified hosts still
 * holds only a few slots.
 */

import type { Logger } from "pino";
import type { SiteRecord } from "../../schemas/site.ts";
import { networkGroup } from "../../src/domain/names/address.ts";
import { hostKey, registrableDomain } from "../../src/domain/names/domain-name.ts";
import type { Bucket } from "../../src/ports/buckets.ts";
import type { Clock } from "../../src/ports/clock.ts";
import type { Resolver } from "../../src/ports/dns.ts";
import type { Frontier } from "../../src/ports/frontier.ts";
import { HOUR_MS } from "../../src/ports/time.ts";
import { followRecords } from "../../src/stores/follow.ts";
import { recentlyUsed } from "../../src/stores/recently-used.ts";
import { openRecords, type Records } from "../../src/stores/records.ts";
import { Holder, hostGroup, judgeTried, slotKey, triedSlot } from "./tables.ts";

/** A host is checked again after this long: it may have moved, or lost its slot. */
const LOOKED_AT_TTL_MS = 6 * HOUR_MS;
const MAX_LOOKED_AT = 100_000;
const LOOKUP_MS = 2_000;

export interface TriedTableDeps {
  bucket: Bucket;
  frontier: Pick<Frontier, "bringForward">;
  sites: Pick<Records<SiteRecord>, "get">;
  resolver: Resolver;
  secret: string;
  clock: Clock;
  now: () => number;
  log: Logger;
}

export interface TriedTable {
  /** Whether a host holds a slot, as far as this process knows. */
  has(host: string): boolean;
  readonly size: number;
  /** The group of a site's operator: its name servers and network. */
  groupOf(record: SiteRecord): Promise<string>;
  /** Gives a verified host its slot, unless a live host holds it. Cheap for recently offered hosts. */
  offer(host: string): Promise<void>;
  stop(): void;
}

/** Opens the table and follows the changes of other processes. */
export async function openTriedTable(deps: TriedTableDeps): Promise<TriedTable> {
  const { bucket, frontier, sites, resolver, secret, clock, now, log } = deps;
  const slots = openRecords(bucket, Holder);
  const holders = new Map<string, { host: string; revision: number }>();
  const hosts = new Map<string, string>();
  const lookedAt = recentlyUsed<true>(MAX_LOOKED_AT, LOOKED_AT_TTL_MS);

  const remove = (key: string): void => {
    const before = holders.get(key)?.host;
    holders.delete(key);
    if (before !== undefined && hosts.get(before) === key) hosts.delete(before);
  };
  const put = (key: string, host: string, revision: number): void => {
    // This process knows its own writes before the watch reports them.
    if ((holders.get(key)?.revision ?? 0) >= revision) return;
    remove(key);
    holders.set(key, { host, revision });
    hosts.set(host, key);
  };

  const groupOf = async (record: SiteRecord): Promise<string> => {
    const owner = registrableDomain(record.siteId);
    const answer = await resolver.nameServers(owner, AbortSignal.timeout(LOOKUP_MS));
    const names = answer.outcome === "found" ? answer.records : [];
    return hostGroup(secret, record.siteId, names, record.address && networkGroup(record.address));
  };

  /** Tests the holder of a slot before eviction. @returns whether the slot can be taken */
  const isFree = async (holder: string): Promise<boolean> => {
    const verdict = judgeTried(statusOf((await sites.get(hostKey(holder)))?.value), now());
    if (verdict === "test") await frontier.bringForward(holder, now());
    return verdict === "replace";
  };

  const offerSlot = async (record: SiteRecord): Promise<void> => {
    const group = await groupOf(record);
    const key = slotKey("tried", triedSlot(secret, record.siteId, group));
    // The holder as of the watch: the compare-and-set fails if the slot has changed since.
    const holder = holders.get(key);
    if (holder?.host === record.siteId) return;
    if (holder && !(await isFree(holder.host))) return;
    const next: Holder = { v: 1, host: record.siteId, group, at: Math.floor(now()) };
    const written = await slots.compareAndSet(key, next, holder?.revision ?? 0);
    if (written !== undefined) put(key, record.siteId, written);
  };

  const following = await followRecords({
    bucket,
    schema: Holder,
    key: "tried.>",
    onPut: (key, { host }, revision) => put(key, host, revision),
    onRemove: remove,
    clock,
    log,
  });

  return {
    has: (host) => hosts.has(host),
    get size() {
      return hosts.size;
    },
    groupOf,
    offer: async (host) => {
      if (lookedAt.has(host)) return;
      const record = (await sites.get(hostKey(host)))?.value;
      if (record?.status !== "enabled") return;
      lookedAt.set(host, true);
      await offerSlot(record);
    },
    stop: following.stop,
  };
}

const statusOf = (record: SiteRecord | undefined) =>
  record && {
    enabled: record.status === "enabled",
    verifiedAt: record.verified_at === null ? null : Date.parse(record.verified_at),
  };
