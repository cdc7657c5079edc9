/** The account after a fault: what a correct registry holds, against what this one holds. Nothing lost, nothing double. */

import { SOUND_SHARE } from "../../app/cli/world.ts";
import { readBrokerUrl } from "../../app/processes/home.ts";
import { SiteRecord } from "../../schemas/site.ts";
import { systemClock } from "../../src/adapters/clock/system-clock.ts";
import { openBroker } from "../../src/adapters/nats/broker.ts";
import { openFrontier } from "../../src/adapters/nats/frontier.ts";
import type { NatsBroker } from "../../src/adapters/nats/nats-broker.ts";
import { hostKey } from "../../src/domain/names/domain-name.ts";
import type { Frontier } from "../../src/ports/frontier.ts";
import { LOOK_EVERY_MS } from "../../src/stores/queue-upkeep.ts";
import { openRecords, type Records } from "../../src/stores/records.ts";
import { type ForkedWorld, forkWorld, type WorldSettings } from "../../world/control.ts";
import { type JudgeOptions, judgePoliteness, type PolitenessReport } from "../../world/request-log.ts";
import type { SiteSpec } from "../../world/world.ts";
import { hostsOf } from "../support/frontier-hosts.ts";
import { until } from "./programs.ts";

/** A look into a registry from outside, beside its own processes. */
export interface Inspector {
  broker: NatsBroker;
  frontier: Frontier;
  sites: Records<SiteRecord>;
  close(): Promise<void>;
}

export async function inspect(
  natsUrl: string,
  { prefix = "bridge", leaseMs = 20_000, replicas = 1, ca = "" } = {},
): Promise<Inspector> {
  const broker = await openBroker({
    url: natsUrl,
    prefix,
    replicas,
    setUp: true,
    name: "account",
    clock: systemClock,
    ...(ca && { tls: { ca } }),
  });
  return {
    broker,
    frontier: openFrontier(broker, leaseMs),
    sites: openRecords(broker.buckets.sites, SiteRecord),
    close: broker.close,
  };
}

export const inspectHome = (home: string, options: { leaseMs: number }): Promise<Inspector> =>
  inspect(readBrokerUrl(home)!, options);

export interface Account {
  /** Hosts of the synthetic web. */
  sites: number;
  tokens: number;
  /** Messages of the frontier beyond one a host. */
  doubleTokens: number;
  lostTokens: string[];
  /** Steady sites whose record is not what a correct registry holds. */
  wrong: { host: string; kind: string; expected: unknown; seen: unknown }[];
  /** Domains that the directory lists more than once. */
  listedTwice: string[];
  listedWrongly: string[];
  notListed: string[];
}

export const isClean = (account: Account): boolean =>
  account.doubleTokens +
    account.lostTokens.length +
    account.wrong.length +
    account.listedTwice.length +
    account.listedWrongly.length +
    account.notListed.length ===
  0;

/** All domains of the directory, page after page; undefined when it cannot be read now. */
export async function listedDomains(url: string): Promise<string[] | undefined> {
  const domains: string[] = [];
  for (let offset = 0; ; offset += 100) {
    const reply = await fetch(`${url}/api/discovery/registry?limit=100&offset=${offset}`).catch(
      () => undefined,
    );
    if (reply?.status !== 200) return undefined;
    const { listings } = (await reply.json()) as { listings: { domain: string }[] };
    domains.push(...listings.map(({ domain }) => domain));
    if (listings.length < 100) return domains;
  }
}

async function compareRecords(inspector: Inspector, oracle: readonly SiteSpec[]): Promise<Account["wrong"]> {
  const wrong: Account["wrong"] = [];
  for (const { host, kind, expected, steady } of oracle) {
    if (!steady) continue;
    const record = (await inspector.sites.get(hostKey(host)))?.value;
    const seen = record && { ring: record.ring, status: record.status, reason: record.reason };
    const same =
      seen?.ring === expected.ring && seen.status === expected.status && seen.reason === expected.reason;
    if (!same) wrong.push({ host, kind, expected, seen: record && { ...seen, detail: record.detail } });
  }
  return wrong;
}

/** Draws up the account of a registry that crawled this web. */
export async function drawAccount(
  inspector: Inspector,
  url: string,
  oracle: readonly SiteSpec[],
): Promise<Account> {
  const [hosts, lag, wrong, listed = []] = await Promise.all([
    hostsOf(inspector.frontier),
    inspector.frontier.lag(),
    compareRecords(inspector, oracle),
    listedDomains(url),
  ]);
  const steady = oracle.filter((site) => site.steady);
  const enabled = new Set(
    steady.filter(({ expected }) => expected.status === "enabled").map(({ host }) => host),
  );
  const unsteady = new Set(oracle.filter((site) => !site.steady).map(({ host }) => host));
  const once = new Set(listed);
  return {
    sites: oracle.length,
    tokens: hosts.size,
    doubleTokens: lag.tokens - hosts.size,
    lostTokens: oracle.filter(({ host }) => !hosts.has(host)).map(({ host }) => host),
    wrong,
    listedTwice: [...once].filter((domain) => listed.indexOf(domain) !== listed.lastIndexOf(domain)),
    listedWrongly: [...once].filter((domain) => !enabled.has(domain) && !unsteady.has(domain)),
    notListed: [...enabled].filter((host) => !once.has(host)),
  };
}

/** What a registry may take to mend itself: its next look for acked messages that remain, and what visits are under way. */
const MENDED_MS = LOOK_EVERY_MS + 45_000;

/** Draws accounts until one is clean, or gives the last one after `ms`. */
export async function untilClean(
  inspector: Inspector,
  url: string,
  oracle: readonly SiteSpec[],
  ms = MENDED_MS,
): Promise<Account> {
  let account: Account | undefined;
  await until(
    "a clean account",
    async () => {
      account = await drawAccount(inspector, url, oracle).catch(() => undefined);
      return account !== undefined && isClean(account);
    },
    ms,
  ).catch(() => undefined);
  return account ?? drawAccount(inspector, url, oracle);
}

/** What a clean account reads; compared with what was drawn, a difference names the hosts. */
export const clean = (account: Account): Account => ({
  ...account,
  doubleTokens: 0,
  lostTokens: [],
  wrong: [],
  listedTwice: [],
  listedWrongly: [],
  notListed: [],
});

/**
 * Judges what the sites saw. A handshake that a killed or stopped process left half done is no request: the server
 * learns of it only when its connection breaks. Gaps run from start to start: a web that is starved of its processor by
 * all that starts here notes late that a reply was sent, but notes each request before it answers it, so that only a
 * visitor who was early falls short of the delay. (Its sites answer at once.)
 */
export async function judgeRequests(world: ForkedWorld, options: JudgeOptions): Promise<PolitenessReport> {
  const entries = await world.requests(undefined, 500_000);
  return judgePoliteness(
    entries.filter(({ path }) => path !== "(handshake)").map((entry) => ({ ...entry, endMs: entry.startMs })),
    options,
  );
}

/**
 * The sites of a web as `bridge up --sites n` makes it, known without running it. Leases are short here, and requests
 * shorter still: what becomes of slow sites is not told.
 */
export async function oracleOf(settings: Partial<WorldSettings>): Promise<SiteSpec[]> {
  const world = await forkWorld({ soundShare: SOUND_SHARE, ...settings });
  await world.stop();
  return world.hosts.map((site) => ({ ...site, steady: site.steady && site.kind !== "slow" }));
}
