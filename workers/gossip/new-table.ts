/** The table of unverified hosts, one record per slot, taken by compare-and-set. */

import type { SiteRecord } from "../../schemas/site.ts";
import { hostKey } from "../../src/domain/names/domain-name.ts";
import type { Frontier } from "../../src/ports/frontier.ts";
import { recentlyUsed } from "../../src/stores/recently-used.ts";
import type { Records } from "../../src/stores/records.ts";
import {
  BUCKET_SIZE,
  canTakeNew,
  type Holder,
  type HolderStatus,
  NEW_BUCKETS,
  newSlots,
  slotKey,
} from "./tables.ts";

export interface NewTableDeps {
  slots: Records<Holder>;
  frontier: Pick<Frontier, "has">;
  sites: Pick<Records<SiteRecord>, "get">;
  secret: string;
  now: () => number;
}

/** Cache lifetime of occupied slots, so that floods cause no reads. */
const HELD_TTL_MS = 5_000;

export interface NewTable {
  /**
   * Takes a slot for a host that `source` names. The invariant that bounds the frontier: a reported, unverified host
   * has a token only while it holds a slot.
   * @returns false if none of its slots is free
   */
  take(host: string, source: string): Promise<boolean>;
}

export function openNewTable(deps: NewTableDeps): NewTable {
  const held = recentlyUsed<true>(NEW_BUCKETS * BUCKET_SIZE, HELD_TTL_MS);

  /** Takes one slot, unless its holder's probe has not ended, or another writer is first. */
  const takeSlot = async (key: string, next: Holder): Promise<boolean> => {
    if (held.has(key)) return false;
    const stored = await deps.slots.get(key);
    const holder = stored?.value;
    const status = holder && holder.host !== next.host ? await statusOf(deps, holder.host) : undefined;
    if (status && !canTakeNew(holder, status, deps.now())) {
      held.set(key, true);
      return false;
    }
    return (await deps.slots.compareAndSet(key, next, stored?.revision ?? 0)) !== undefined;
  };

  return {
    take: async (host, source) => {
      const next: Holder = { v: 1, host, group: source, at: Math.floor(deps.now()) };
      for (const slot of newSlots(deps.secret, host, source))
        if (await takeSlot(slotKey("new", slot), next)) return true;
      return false;
    },
  };
}

async function statusOf({ frontier, sites }: NewTableDeps, host: string): Promise<HolderStatus> {
  const record = (await sites.get(hostKey(host)))?.value;
  if (record && record.ring > 0) return { hasToken: true, sound: true };
  return { hasToken: await frontier.has(host), sound: false };
}
