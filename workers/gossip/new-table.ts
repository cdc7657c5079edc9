/** The table of unverified names, one record a place: whoever wants a place takes it by compare-and-set, or goes without. */
import { LRUCache } from "lru-cache";
import type { SiteRecord } from "../../schemas/site.ts";
import { hostKey } from "../../src/domain/names/domain-name.ts";
import type { Frontier } from "../../src/ports/frontier.ts";
import type { Records } from "../../src/stores/records.ts";
import {
  BUCKET_SIZE,
  canTakeNew,
  type Holder,
  NEW_BUCKETS,
  newPlaces,
  placeKey,
  type Standing,
} from "./tables.ts";

export interface NewTableDeps {
  places: Records<Holder>;
  frontier: Pick<Frontier, "has">;
  sites: Pick<Records<SiteRecord>, "get">;
  secret: string;
  now: () => number;
}

const standingOf = async ({ frontier, sites }: NewTableDeps, host: string): Promise<Standing> => {
  const record = (await sites.get(hostKey(host)))?.value;
  if (record && record.ring > 0) return { hasToken: true, sound: true };
  return { hasToken: await frontier.has(host), sound: false };
};

/** A place that was seen held is not asked about again for so long: what floods costs no reads. */
const HELD_TTL_MS = 5_000;

export interface NewTable {
  /**
   * Takes a place for a name that `source` says; the invariant that bounds the frontier: a host that strangers named
   * and that nobody verified has a token only while it holds a place.
   * @returns false when none of its places is free
   */
  take(host: string, source: string): Promise<boolean>;
}

export const openNewTable = (deps: NewTableDeps): NewTable => {
  const held = new LRUCache<string, true>({ max: NEW_BUCKETS * BUCKET_SIZE, ttl: HELD_TTL_MS });

  /** Takes one place, unless it is held by a name whose probe has not ended, or somebody was quicker. */
  const takePlace = async (key: string, next: Holder): Promise<boolean> => {
    if (held.has(key)) return false;
    const stored = await deps.places.get(key);
    const holder = stored?.value;
    const standing = holder && holder.host !== next.host ? await standingOf(deps, holder.host) : undefined;
    if (standing && !canTakeNew(holder, standing, deps.now())) {
      held.set(key, true);
      return false;
    }
    return (await deps.places.compareAndSet(key, next, stored?.revision ?? 0)) !== undefined;
  };

  return {
    take: async (host, source) => {
      const next: Holder = { v: 1, host, group: source, at: Math.floor(deps.now()) };
      for (const place of newPlaces(deps.secret, host, source))
        if (await takePlace(placeKey("new", place), next)) return true;
      return false;
    },
  };
};
