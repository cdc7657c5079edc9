/**
 * A crawler of a simulation: a process with a connection of its own, and in it the frontier's adapter, the gate, visits and
 * repair as they are in production.
 */

import pino from "pino";
import { SiteRecord } from "../../schemas/site.ts";
import { SitePages } from "../../schemas/site-pages.ts";
import { openBroker } from "../../src/adapters/nats/broker.ts";
import { openFrontier } from "../../src/adapters/nats/frontier.ts";
import type { NatsBroker } from "../../src/adapters/nats/nats-broker.ts";
import { openLooks } from "../../src/crawl/look.ts";
import { createGate, type Gate, GateRecord } from "../../src/egress/gate.ts";
import { openOwnWay } from "../../src/egress/own-way.ts";
import { createPolite } from "../../src/egress/polite.ts";
import type { Frontier } from "../../src/ports/frontier.ts";
import type { Fetcher } from "../../src/ports/http.ts";
import { Block, followBlocks } from "../../src/stores/block-list.ts";
import { openContents } from "../../src/stores/contents.ts";
import { openPresences } from "../../src/stores/presences.ts";
import { openRecords } from "../../src/stores/records.ts";
import { startAudit } from "../../workers/crawler/audit.ts";
import { DeadLetter } from "../../workers/crawler/contract.ts";
import { type Crawler, startCrawler } from "../../workers/crawler/worker-pool.ts";
import { connectOver, type Network } from "./network.ts";
import type { Machine } from "./virtual-time.ts";
import type { SimulatedWeb } from "./web.ts";

export const PREFIX = "sim";
export const LEASE_MS = 20_000;
export const HOST_DELAY_MS = 1_000;
export const ADDRESS_DELAY_MS = 250;
const NO_RECORDS = { outcome: "none", nxdomain: true, ttlSeconds: 60, dnssec: "insecure" } as const;
const CONCURRENCY = 16;
const START_AGAIN_MS = 1_000;

/** Parts of production code that a test puts an earlier form in place of, to see that the simulation notices. */
export interface Variants {
  frontier?: (frontier: Frontier, broker: NatsBroker) => Frontier;
  gate?: (gate: Gate) => Gate;
  fetcher?: (fetcher: Fetcher) => Fetcher;
  clockErrorMs?: (broker: NatsBroker) => () => number;
}

const log = pino({ level: process.env.SIMULATION_LOG ?? "silent" });

export const openOver = (network: Network, machine: Machine, setUp = false): Promise<NatsBroker> =>
  openBroker({
    url: "nats://127.0.0.1:4222",
    name: machine.name,
    clock: machine.clock,
    prefix: PREFIX,
    connect: connectOver(network),
    waitMs: 60_000,
    setUp,
  });

export interface Started {
  broker: NatsBroker;
  frontier: Frontier;
  crawler: Crawler;
}

/** What the process does once it has its broker. */
async function crawlOn(
  broker: NatsBroker,
  machine: Machine,
  web: SimulatedWeb,
  variants: Variants,
): Promise<Started> {
  const { clock } = machine;
  const { now, buckets } = broker;
  broker.connectionState.failFast();
  const clockErrorMs = variants.clockErrorMs?.(broker) ?? broker.clockErrorMs;
  const plain = openFrontier(broker, LEASE_MS);
  const frontier = variants.frontier?.(plain, broker) ?? plain;
  const gate = createGate({
    records: openRecords(buckets.gate, GateRecord),
    now,
    clockErrorMs,
    clock,
    holder: machine.name,
    leaseMs: LEASE_MS,
  });
  const resolver = web.resolver(machine);
  const way = openOwnWay({ resolver, clock });
  const fetcher = way.watching(web.fetcher(machine));
  const polite = createPolite({
    gate: variants.gate?.(gate) ?? gate,
    fetcher: variants.fetcher?.(fetcher) ?? fetcher,
    now,
    clockErrorMs,
    clock,
    leaseMs: LEASE_MS,
    hostDelayMs: HOST_DELAY_MS,
    ipDelayMs: ADDRESS_DELAY_MS,
  });
  const sites = openRecords(buckets.sites, SiteRecord);
  const blocks = await followBlocks(buckets.blocks, { log, clock, onWide: async () => undefined });
  const crawler = startCrawler({
    broker,
    frontier,
    sites,
    contents: openContents(buckets.contents),
    pages: openRecords(buckets.contents, SitePages),
    blocks,
    blockedNetworks: { has: () => false },
    polite,
    way,
    clock,
    log,
    looks: openLooks(buckets),
    presences: openPresences(buckets.contents),
    claimsOf: async () => [],
    counters: broker.counters,
    controlGroup: new Map(),
    resolver: { txt: async () => NO_RECORDS, serviceBindings: async () => NO_RECORDS },
    documents: {
      descriptor: async () => undefined,
      frontPage: async () => undefined,
      mcpAnswer: async () => undefined,
      mcpTools: async () => undefined,
      screened: async () => undefined,
    },
    deadLetters: openRecords(buckets.dead_letters, DeadLetter),
    registrations: { get: async () => undefined },
    confirmed: { get: async () => undefined },
    accessTo: async () => "none",
    emitDiscovered: async () => undefined,
    logChanges: async () => new Map(),
    now,
    concurrency: CONCURRENCY,
    leaseMs: LEASE_MS,
    visit: {
      resolver,
      robotsToken: "BridgeBot",
      pagesPerVisit: 0,
      httpsPort: 443,
      now,
      readPage: async () => undefined,
    },
  });
  startAudit({ frontier, sites, blocks: openRecords(buckets.blocks, Block), broker, clock, log });
  return { broker, frontier, crawler };
}

/** Starts it; a broker that is away is waited for. */
export const startProcess = (
  network: Network,
  machine: Machine,
  web: SimulatedWeb,
  variants: Variants = {},
): Promise<Started> =>
  machine.enter(async () => {
    for (;;) {
      try {
        return await crawlOn(await openOver(network, machine), machine, web, variants);
      } catch (error) {
        log.warn({ err: error }, "a start failed");
        await machine.clock.sleep(START_AGAIN_MS);
      }
    }
  });
