import { LRUCache } from "lru-cache";
import PQueue from "p-queue";
import type { Logger } from "pino";
import type { SiteRecord } from "../../schemas/site.ts";
import { hostKey, parseHost, registrableDomain } from "../../src/domain/names/domain-name.ts";
import type { Broker } from "../../src/ports/broker.ts";
import type { Clock } from "../../src/ports/clock.ts";
import type { DiscoverySource, Frontier } from "../../src/ports/frontier.ts";
import type { SiteIndex } from "../../src/ports/index.ts";
import type { Work } from "../../src/ports/queue.ts";
import type { Handlers } from "../../src/rpc/contract.ts";
import { fail } from "../../src/rpc/errors.ts";
import { bridgeMetaOf, INSTRUCTIONS, peerOf, peersFor } from "../../src/stores/peers.ts";
import type { Records } from "../../src/stores/records.ts";
import { type Heard, HeardBatch } from "../crawler/contract.ts";
import type { gossip } from "./contract.ts";
import { openNewTable } from "./new-table.ts";
import {
  addCandidate,
  addressGroup,
  type Candidates,
  draw,
  MAX_PEERS_TAKEN,
  PROBE_INTERVAL_MS,
  pick,
  type Reporter,
  siteGroup,
  type Waiting,
} from "./rules.ts";
import type { Holder } from "./tables.ts";
import type { TriedTable } from "./tried-table.ts";

/** Compare-and-set attempts on one record before the hint is dropped: it is only a hint. */
const CONCURRENCY = 32;
/** The table of tried hosts is a sample: of the sites heard in a second, so many are offered a place. */
const OFFERS_A_SECOND = 16;
/** A name that has just got its place gets its token within this time, as a rule and at the latest. */
const TOKEN_WRITTEN_MS = 5_000;
const TOKEN_GRACE_MS = 60_000;

export interface GossipDeps {
  frontier: Frontier;
  sites: Records<SiteRecord>;
  blocks: Records<{ host: string }>;
  candidates: Records<Candidates>;
  reporters: Records<Reporter>;
  places: Records<Holder>;
  tried: TriedTable;
  index: SiteIndex;
  now: () => number;
  secret: string;
  publicUrl: string;
  ownRing: () => Promise<number>;
  random: () => number;
}

/** Takes names from a group's allowance. @returns the names it may say now, and the owners it spoke of lately */
const allow = async (
  deps: GossipDeps,
  group: string,
  hosts: string[],
): Promise<{ taken: string[]; owners: string[] }> => {
  const allowed = await deps.reporters.update(group, (before) => {
    const { taken, reporter } = draw(before, hosts, deps.now());
    const result = { taken, owners: reporter.reported };
    return taken.length === 0 ? { result } : { next: reporter, result };
  });
  return allowed ?? { taken: [], owners: hosts.map(registrableDomain) };
};

/** How far the probe of a waiting host is. */
const waitingOf = async (
  { sites, frontier, now }: GossipDeps,
  host: string,
  heardAt: number,
): Promise<Waiting> => {
  const record = (await sites.get(hostKey(host)))?.value;
  if (record?.status === "enabled") return "settled";
  if (record && record.visits > 0) return "probed";
  if (now() - heardAt <= TOKEN_WRITTEN_MS || (await frontier.has(host))) return "unprobed";
  // Its probe came to nothing and it was forgotten.
  return now() - heardAt > TOKEN_GRACE_MS ? "settled" : "probed";
};

/** Whether a registrable domain has room for one more unverified host; takes the place if so. */
const takePlace = async (deps: GossipDeps, host: string, group: string): Promise<boolean> => {
  const key = hostKey(registrableDomain(host));
  const taken = await deps.candidates.update(key, async (before) => {
    const standings = new Map<string, Waiting>();
    for (const [known, heardAt] of Object.entries(before?.hosts ?? {}))
      standings.set(known, await waitingOf(deps, known, heardAt));
    const standing = (known: string) => standings.get(known) ?? "unprobed";
    const next = addCandidate(before, host, group, standing, deps.now());
    return next ? { next, result: true } : { result: false };
  });
  return taken ?? false;
};

export interface Admission {
  /** Whether the host has a token; remembered, so that names that many beacons repeat cost nothing. */
  isKnown(host: string): Promise<boolean>;
  /**
   * A new host gets a token; of a known one, a report may bring the next visit forward.
   * @param group of who says it: what its place in the table of new hosts depends on
   */
  admit(host: string, source: DiscoverySource, group: string): Promise<void>;
}

/** The one way of every name that strangers say: a new host is probed by the crawl, at most one a domain an hour. */
export const createAdmission = (deps: GossipDeps): Admission => {
  const known = new LRUCache<string, true>({ max: 200_000, ttl: PROBE_INTERVAL_MS });
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
      if (await isKnown(host)) {
        await deps.tried.offer(host);
        if (source === "report") await bringForward(host);
        return;
      }
      if (await deps.blocks.get(hostKey(host))) return;
      // A place first: a group that has filled its own writes nothing more. One that gets no token is free again.
      if (!(await newTable.take(host, group)) || !(await takePlace(deps, host, group))) return;
      await deps.frontier.add(host, deps.now(), { source, heardAt: Math.floor(deps.now()), visited: false });
      known.set(host, true);
    },
  };
};

export const gossipHandlers = (deps: GossipDeps, admission: Admission): Handlers<typeof gossip> => ({
  report: async ({ body }, { clientAddress }) => {
    const hosts = new Set<string>();
    if (body.domain !== undefined) {
      const parsed = parseHost(body.domain);
      if (!parsed.ok)
        return fail(
          "invalid_domain",
          `domain: ${parsed.reason}. Send a public host name such as shop.example.`,
          {
            errors: [{ pointer: "/body/domain", code: parsed.reason, message: "not a public host name" }],
          },
        );
      hosts.add(parsed.host);
    }
    for (const { domain } of pick(body.gossip_peers ?? [], MAX_PEERS_TAKEN, deps.random)) {
      const parsed = parseHost(domain);
      if (parsed.ok) hosts.add(parsed.host);
    }
    const group = addressGroup(deps.secret, clientAddress);
    const { taken, owners } = await allow(deps, group, [...hosts]);
    await Promise.all(taken.map((host) => admission.admit(host, "report", group)));
    const exclude = new Set([...owners, ...[...hosts].map(registrableDomain)]);
    const peers = await peersFor(deps, group, exclude, deps.tried.has);
    return {
      count: peers.length,
      peers: peers.map(peerOf),
      instructions: INSTRUCTIONS,
      bridge_meta: bridgeMetaOf(deps.publicUrl, await deps.ownRing()),
    };
  },
});

/** The group of a site as a source: all sites of one make count as one. */
const sourceGroup = async ({ sites, tried, secret }: GossipDeps, source: string): Promise<string> => {
  const record = (await sites.get(hostKey(source)))?.value;
  return record ? tried.groupOf(record) : siteGroup(secret, source);
};

export interface Listener {
  readonly stats: { heard: number; admitted: number };
  drain(): Promise<void>;
}

/** Follows what beacons name: the same path as a report, with the naming site as the source. */
export const startListener = (
  deps: GossipDeps,
  admission: Admission,
  broker: Broker,
  clock: Clock,
  log: Logger,
): Listener => {
  const stats = { heard: 0, admitted: 0 };
  const stopping = new AbortController();
  const queue = new PQueue({ concurrency: CONCURRENCY });
  let offers = { second: 0, left: 0 };
  const mayOffer = (): boolean => {
    const second = Math.floor(clock.monotonicMs() / 1_000);
    if (offers.second !== second) offers = { second, left: OFFERS_A_SECOND };
    return offers.left-- > 0;
  };

  const hear = async ({ source, hosts }: Heard): Promise<void> => {
    const owner = registrableDomain(source);
    const others = hosts.filter((host) => registrableDomain(host) !== owner);
    const known = await Promise.all(others.map((host) => admission.isKnown(host)));
    const fresh = others.filter((_, i) => !known[i]);
    const taken = fresh.length > 0 ? (await allow(deps, siteGroup(deps.secret, source), fresh)).taken : [];
    if (mayOffer()) await deps.tried.offer(source);
    if (taken.length > 0) {
      const group = await sourceGroup(deps, source);
      await Promise.all(taken.map((host) => admission.admit(host, "beacon", group)));
    }
    stats.heard += hosts.length;
    stats.admitted += taken.length;
  };
  const listen = async (message: Work): Promise<void> => {
    const batch = HeardBatch.safeParse(message.json());
    if (batch.success) for (const heard of batch.data) await hear(heard);
    message.ack();
  };

  const follow = async (): Promise<void> => {
    for await (const message of broker.discoveredHosts.follow(stopping.signal)) {
      // Not acked: sent again, at most five times. It is only a hint.
      queue
        .add(() => listen(message))
        .catch((error: unknown) => log.warn({ err: error }, "a hint was not read"));
      await queue.onSizeLessThan(CONCURRENCY * 4);
    }
  };
  const loop = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      await follow().catch((error: unknown) =>
        log.warn({ err: error }, "hints cannot be followed; trying again"),
      );
      await clock.sleep(1_000, stopping.signal);
    }
  };
  const running = loop();
  return {
    stats,
    drain: async () => {
      stopping.abort();
      await running;
      await queue.onIdle();
    },
  };
};
