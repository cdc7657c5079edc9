/** Composition: what stands behind the ports, built once a process from the settings. */

import { hostname } from "node:os";
import pino, { type Logger } from "pino";
import type { DiscoveryDocument } from "../schemas/discovery-document.ts";
import { SiteRecord } from "../schemas/site.ts";
import type { Indexing } from "../workers/indexer/rules.ts";
import { createResolver } from "./adapters/dns/client.ts";
import { systemDnsServers } from "./adapters/dns/servers.ts";
import { embeddingModel } from "./adapters/embedding-model.ts";
import { createFetcher } from "./adapters/guarded-fetch/fetcher.ts";
import { type Broker, openBroker } from "./adapters/nats/broker.ts";
import { type Frontier, openFrontier } from "./adapters/nats/frontier.ts";
import { openLog } from "./adapters/nats/log.ts";
import { openRecords, type Records } from "./adapters/nats/records.ts";
import { sqliteGenerations } from "./adapters/sqlite/live-index.ts";
import { systemClock } from "./adapters/system-clock.ts";
import { Block } from "./block-list.ts";
import { type Config, ConfigError } from "./config.ts";
import { type Contents, openContents } from "./contents.ts";
import { parseAllowances } from "./domain/address.ts";
import { hostKey } from "./domain/domain-name.ts";
import { ringOf } from "./domain/listing.ts";
import { createGate, GateRecord } from "./gate.ts";
import { homePaths } from "./home.ts";
import { type Identity, openIdentity } from "./identity.ts";
import { uuidv7 } from "./ids.ts";
import { createPolite, type Polite } from "./polite.ts";
import {
  type Clock,
  type Fetcher,
  type IndexGenerations,
  IndexRefused,
  IndexUnavailable,
  type Resolver,
  type SiteIndex,
} from "./ports.ts";
import type { TransparencyLog } from "./transparency.ts";

/** What goes out: built from settings alone, so that `bridge check` needs no broker. */
export interface Outgoing {
  clock: Clock;
  resolver: Resolver;
  fetcher: Fetcher;
  close(): Promise<void>;
}

export interface Runtime extends Outgoing {
  config: Config;
  /** Names this process to others. */
  id: string;
  log: Logger;
  broker: Broker;
  identity: Identity;
  frontier: Frontier;
  sites: Records<SiteRecord>;
  contents: Contents;
  blocks: Records<Block>;
  polite: Polite;
  publicUrl: string;
  /** The registry's own ring, from its own record when it is crawled like any other site; else 1: a document, no TXT known. */
  ownRing: () => Promise<number>;
  ownDocument: () => Promise<DiscoveryDocument>;
  indexGenerations: IndexGenerations;
  /** What the index is made with; reads the model when first asked. */
  indexing(): Indexing;
  /** The index in use. Opened when a role first needs it. */
  index(): Promise<SiteIndex>;
  /** The transparency log. Opened when a role first needs it. */
  transparency(): Promise<TransparencyLog>;
}

export interface Extra {
  /** Certificates trusted beside the system's: the synthetic web's. */
  ca?: string[];
  publicUrl?: string;
  /** How long to try to reach the broker; default: once. */
  waitForBrokerMs?: number;
}

export const createLogger = (config: Config): Logger =>
  pino({ level: config.BRIDGE_LOG_LEVEL }, pino.destination(2));

export const publicUrlOf = (config: Config, port = config.PORT): string => {
  const host = config.HOST.includes(":") ? `[${config.HOST}]` : config.HOST;
  const shown = host === "0.0.0.0" || host === "[::]" ? "127.0.0.1" : host;
  return config.BRIDGE_PUBLIC_URL ?? `http://${shown}:${port}`;
};

/** @throws ConfigError when BRIDGE_EGRESS_ALLOW cannot be read */
export const openOutgoing = (config: Config, extra: Extra = {}): Outgoing => {
  const allow = parseAllowances(config.BRIDGE_EGRESS_ALLOW);
  if (!allow.ok) throw new ConfigError(`BRIDGE_EGRESS_ALLOW: ${allow.reason}`);
  const resolver = createResolver({
    servers: config.BRIDGE_DNS_SERVERS.length > 0 ? config.BRIDGE_DNS_SERVERS : systemDnsServers(),
    validating: config.BRIDGE_DNS_VALIDATING,
    clock: systemClock,
  });
  const fetcher = createFetcher({
    resolver,
    clock: systemClock,
    userAgent: config.BRIDGE_USER_AGENT,
    allow: allow.allowances,
    maxConnections: Math.max(64, config.BRIDGE_CRAWL_CONCURRENCY * 2),
    ...(extra.ca && { ca: extra.ca }),
  });
  const close = async () => {
    await fetcher.close();
    resolver.close();
  };
  return { clock: systemClock, resolver, fetcher, close };
};

/** @throws ConfigError when the file of certificates cannot be read */
const generationsOf = async (config: Config): Promise<IndexGenerations> => {
  const { BRIDGE_ELASTICSEARCH_URL: url, BRIDGE_ELASTICSEARCH_API_KEY: apiKey } = config;
  const caFile = config.BRIDGE_ELASTICSEARCH_CA;
  if (url === undefined) return sqliteGenerations(homePaths(config.BRIDGE_HOME).index);
  const settings = { url, ...(apiKey && { apiKey }), ...(caFile && { caFile }) };
  // The client is 40 MB of memory, which a registry with an index of its own need not hold.
  const { elasticsearchGenerations } = await import("./adapters/elasticsearch/generations.ts");
  try {
    return elasticsearchGenerations(settings, config.BRIDGE_NATS_PREFIX);
  } catch (error) {
    throw new ConfigError(`BRIDGE_ELASTICSEARCH_CA: ${(error as Error).message}`);
  }
};

const INDEX_PATIENCE_MS = 60_000;
const INDEX_PAUSE_MS = 1_000;
const INDEX_SETTINGS = {
  certificate: "BRIDGE_ELASTICSEARCH_CA",
  credentials: "BRIDGE_ELASTICSEARCH_API_KEY",
} as const;

/**
 * Opens the index in use; an engine that is still starting, or away for a moment, is waited for.
 * @throws ConfigError when it refuses us
 */
const openIndex = async (generations: IndexGenerations, clock: Clock, log: Logger): Promise<SiteIndex> => {
  for (const giveUpAt = clock.monotonicMs() + INDEX_PATIENCE_MS; ; ) {
    try {
      return await generations.openLive();
    } catch (error) {
      if (error instanceof IndexRefused)
        throw new ConfigError(`${INDEX_SETTINGS[error.wrong]}: ${error.message}`, { cause: error });
      if (!(error instanceof IndexUnavailable) || clock.monotonicMs() > giveUpAt) throw error;
      log.warn({ reason: error.message }, "waiting for the index");
      await clock.sleep(INDEX_PAUSE_MS);
    }
  }
};

/** What the registry says of itself names all it offers: read when it is first asked for, not by every worker. */
const ownDocumentOf = (
  { buckets, now }: Broker,
  identity: Identity,
  publicUrl: string,
): Runtime["ownDocument"] => {
  const open = async () => {
    const [{ services }, { openOwnDocument }] = await Promise.all([
      import("../workers/index.ts"),
      import("../workers/protocol/own-document.ts"),
    ]);
    return openOwnDocument(buckets.service, identity, publicUrl, services, now);
  };
  let opened: ReturnType<typeof open> | undefined;
  return async () => {
    opened ??= open();
    return (await opened)();
  };
};

const ownRingOf = (sites: Records<SiteRecord>, publicUrl: string) => {
  const host = new URL(publicUrl).hostname;
  return async (): Promise<number> => {
    const record = (await sites.get(hostKey(host)))?.value;
    return (record && ringOf(record)) || 1;
  };
};

/**
 * Joins the broker and builds everything a worker or front needs.
 * @throws ConfigError for settings that cannot be used; Error when the broker cannot be reached
 */
export const openRuntime = async (config: Config, natsUrl: string, extra: Extra = {}): Promise<Runtime> => {
  const indexGenerations = await generationsOf(config);
  const outgoing = openOutgoing(config, extra);
  const { clock, fetcher } = outgoing;
  const id = `${hostname()}-${uuidv7()}`;
  const log = createLogger(config);
  const broker = await openBroker({
    url: natsUrl,
    prefix: config.BRIDGE_NATS_PREFIX,
    replicas: config.BRIDGE_NATS_REPLICAS,
    name: `bridge ${id}`,
    clock,
    ...(extra.waitForBrokerMs && { waitMs: extra.waitForBrokerMs }),
  });
  const { buckets, now, clockErrorMs } = broker;
  const identity = await openIdentity(buckets.service);
  const gate = createGate({
    records: openRecords(buckets.gate, GateRecord),
    now,
    clockErrorMs,
    clock,
    holder: id,
    leaseMs: config.BRIDGE_LEASE_MS,
  });
  const publicUrl = extra.publicUrl ?? publicUrlOf(config);
  const sites = openRecords(buckets.sites, SiteRecord);
  let index: Promise<SiteIndex> | undefined;
  let transparency: Promise<TransparencyLog> | undefined;
  return {
    ...outgoing,
    config,
    id,
    log,
    broker,
    identity,
    frontier: await openFrontier(broker, config.BRIDGE_LEASE_MS),
    sites,
    contents: openContents(buckets.contents),
    blocks: openRecords(buckets.blocks, Block),
    polite: createPolite({
      gate,
      fetcher,
      now,
      clockErrorMs,
      clock,
      leaseMs: config.BRIDGE_LEASE_MS,
      hostDelayMs: config.BRIDGE_HOST_DELAY_MS,
      ipDelayMs: config.BRIDGE_IP_DELAY_MS,
    }),
    publicUrl,
    ownRing: ownRingOf(sites, publicUrl),
    ownDocument: ownDocumentOf(broker, identity, publicUrl),
    indexGenerations,
    indexing: () => ({
      sampleSecret: identity.secret,
      model: config.BRIDGE_SEARCH_MEANING ? embeddingModel() : undefined,
    }),
    transparency: () => (transparency ??= openLog(broker, identity, publicUrl, clock)),
    index: () => (index ??= openIndex(indexGenerations, clock, log)),
    close: async () => {
      await (await index?.catch(() => undefined))?.close();
      await indexGenerations.close();
      await outgoing.close();
      await broker.close();
    },
  };
};
