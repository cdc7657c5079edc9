/** Admission of reported hosts: rate allowances, candidates of a domain, and slots. */

import type { Looks } from "../../src/crawl/look.ts";
import { hostKey, isNeverPublic, registrableDomain } from "../../src/domain/names/domain-name.ts";
import type { DiscoverySource } from "../../src/ports/frontier.ts";
import type { Runtime } from "../../src/runtime/runtime.ts";
import { type Block, hostBlock } from "../../src/stores/block-list.ts";
import type { PeersFor } from "../../src/stores/peers.ts";
import { recentlyUsed } from "../../src/stores/recently-used.ts";
import type { Records } from "../../src/stores/records.ts";
import { openNewTable } from "./new-table.ts";
import {
  addCandidate,
  type Candidates,
  candidatesKey,
  PROBE_INTERVAL_MS,
  type ReporterGroup,
  reporterKey,
  takeFromBucket,
  type WaitingHosts,
} from "./rules.ts";
import type { Holder } from "./tables.ts";
import type { TriedTable } from "./tried-table.ts";

export interface GossipDeps extends Pick<Runtime, "frontier" | "sites" | "publicUrl" | "ownRing"> {
  blocks: Records<Block>;
  looks: Pick<Looks, "get" | "presence">;
  candidates: Records<Candidates>;
  reporters: Records<ReporterGroup>;
  slots: Records<Holder>;
  tried: TriedTable;
  peersFor: PeersFor;
  now: () => number;
  secret: string;
  random: () => number;
}

/** Time between taking a slot and writing the token: normally, and at most. */
const TOKEN_WRITTEN_MS = 5_000;

const TOKEN_GRACE_MS = 60_000;

export interface HostAdmission {
  /** Whether the host has a token; cached, so that hosts that many beacons repeat cost nothing. */
  isKnown(host: string): Promise<boolean>;
  /**
   * Gives a new host a token. For a known host, a report may bring the next visit forward.
   * @param group group of the source, which determines the host's slot in the new table
   */
  admit(host: string, source: DiscoverySource, group: string): Promise<void>;
}

/** Charges hosts to a group's allowance. @returns the admitted hosts, and the owners that the group named recently */
export async function chargeAllowance(
  deps: GossipDeps,
  group: string,
  hosts: string[],
): Promise<{ taken: string[]; owners: string[] }> {
  const allowed = await deps.reporters.update(reporterKey(group), (before) => {
    const { taken, reporter } = takeFromBucket(before, hosts, deps.now());
    const result = { taken, owners: reporter.reported };
    return taken.length === 0 ? { result } : { next: reporter, result };
  });
  return allowed ?? { taken: [], owners: hosts.map(registrableDomain) };
}

/** The admission of every reported host: the crawl probes a new host, at most once per hour. */
export function createAdmission(deps: GossipDeps): HostAdmission {
  const known = recentlyUsed<true>(200_000, PROBE_INTERVAL_MS);
  const newTable = openNewTable(deps);
  const bringForward = async (host: string): Promise<void> => {
    const site = await deps.sites.get(hostKey(host));
    if (!site) return;
    const earliest = Date.parse(site.value.last_visit_at) + PROBE_INTERVAL_MS;
    await deps.frontier.bringForward(host, Math.max(deps.now(), earliest));
  };
  const isKnown = async (host: string): Promise<boolean> => {
    if (known.has(host)) return true;
    const has = await deps.frontier.has(host);
    if (has) known.set(host, true);
    return has;
  };
  return {
    isKnown,
    admit: async (host, source, group) => {
      if (isNeverPublic(host)) return;
      if (await isKnown(host)) {
        await deps.tried.offer(host);
        if (source === "report") await bringForward(host);
        return;
      }
      if (await hostBlock(deps.blocks, host)) return;
      // The slot comes first: a group that has filled its slots writes nothing more. A slot without a token is free
      // again.
      if (!(await newTable.take(host, group)) || !(await takeSlot(deps, host, group))) return;
      await deps.frontier.add(host, deps.now(), {
        source,
        discoveredAt: Math.floor(deps.now()),
        visited: false,
      });
      known.set(host, true);
    },
  };
}

/** Takes a slot for one more unverified host of a registrable domain. @returns false if there is none */
async function takeSlot(deps: GossipDeps, host: string, group: string): Promise<boolean> {
  const key = candidatesKey(registrableDomain(host));
  const taken = await deps.candidates.update(key, async (before) => {
    const standings = new Map<string, WaitingHosts>();
    for (const [known, discoveredAt] of Object.entries(before?.hosts ?? {}))
      standings.set(known, await waitingOf(deps, known, discoveredAt));
    const standing = (known: string) => standings.get(known) ?? "unprobed";
    const next = addCandidate(before, host, group, standing, deps.now());
    return next ? { next, result: true } : { result: false };
  });
  return taken ?? false;
}

/** The state of a waiting host's probe. */
async function waitingOf(
  { sites, frontier, now }: GossipDeps,
  host: string,
  discoveredAt: number,
): Promise<WaitingHosts> {
  const record = (await sites.get(hostKey(host)))?.value;
  if (record?.status === "enabled") return "settled";
  if (record && record.visits > 0) return "probed";
  if (now() - discoveredAt <= TOKEN_WRITTEN_MS || (await frontier.has(host))) return "unprobed";
  // Its probe failed and its record was removed.
  return now() - discoveredAt > TOKEN_GRACE_MS ? "settled" : "probed";
}
