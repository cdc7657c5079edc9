/** Starts the roles of a worker process, announces each on NATS, and stops them in the order that loses nothing. */

import { VERSIONS } from "../schemas/common.ts";
import { startAudit } from "../workers/crawler/audit.ts";
import { DeadLetter, heardSubject } from "../workers/crawler/contract.ts";
import { type CrawlerStats, startCrawler } from "../workers/crawler/handlers.ts";
import { createHeardEmitter } from "../workers/crawler/heard.ts";
import { gossip } from "../workers/gossip/contract.ts";
import { createAdmission, gossipHandlers, startListener } from "../workers/gossip/handlers.ts";
import { Candidates, Reporter } from "../workers/gossip/rules.ts";
import type { Role } from "../workers/index.ts";
import { startIndexer } from "../workers/indexer/handlers.ts";
import { protocol } from "../workers/protocol/contract.ts";
import { protocolHandlers } from "../workers/protocol/handlers.ts";
import { search } from "../workers/search/contract.ts";
import { searchHandlers } from "../workers/search/handlers.ts";
import { announce, type EndpointStats } from "./adapters/nats/discovery.ts";
import { openRecords } from "./adapters/nats/records.ts";
import { followBlocks } from "./block-list.ts";
import { operationSubject } from "./contract.ts";
import type { Metrics } from "./metrics.ts";
import { replaceForeignIndex } from "./own-index.ts";
import { IndexUnavailable, type SiteIndex } from "./ports.ts";
import type { Runtime } from "./runtime.ts";
import { type Serving, serve } from "./serve.ts";

export interface RunningRole {
  role: Role;
  /** Counts, for status and metrics. */
  read: () => Promise<Record<string, number>>;
  drain(): Promise<void>;
  serving?: Serving;
  crawler?: CrawlerStats;
}

const startCrawlerRole = async (runtime: Runtime): Promise<RunningRole> => {
  const { config, broker, resolver, clock, log, frontier, sites, contents, polite } = runtime;
  const blocks = await followBlocks(broker.buckets.blocks);
  const crawler = startCrawler({
    frontier,
    sites,
    contents,
    blocks,
    polite,
    clock,
    log,
    deadLetters: openRecords(broker.buckets.dead_letters, DeadLetter),
    emitHeard: createHeardEmitter((batch) =>
      broker.js.publish(heardSubject(broker.prefix), JSON.stringify(batch)),
    ),
    now: broker.now,
    concurrency: config.BRIDGE_CRAWL_CONCURRENCY,
    leaseMs: config.BRIDGE_LEASE_MS,
    visit: {
      resolver,
      robotsToken: config.BRIDGE_USER_AGENT.split("/")[0]!,
      pagesPerVisit: config.BRIDGE_PAGES_PER_VISIT,
      httpsPort: config.BRIDGE_HTTPS_PORT,
      now: broker.now,
    },
  });
  const audit = startAudit({ frontier, sites, blocks: runtime.blocks, broker, clock, log });
  return {
    role: "crawler",
    crawler: crawler.stats,
    read: async () => ({ ...crawler.stats, ...(await frontier.lag()) }),
    drain: async () => {
      await audit.drain();
      await crawler.drain();
      blocks.stop();
    },
  };
};

/** An engine that is away must not hide how far the indexer lags. */
const statsIfThere = async (index: SiteIndex) => {
  try {
    return await index.stats();
  } catch (error) {
    if (error instanceof IndexUnavailable) return undefined;
    throw error;
  }
};

const startIndexerRole = async (runtime: Runtime): Promise<RunningRole> => {
  const { broker, contents, clock, log, identity } = runtime;
  const index = await runtime.index();
  if (await replaceForeignIndex(broker, index, runtime.indexGenerations, clock))
    log.warn("the index held sites of another broker's store; a new one is being filled");
  const indexer = startIndexer({ broker, index, contents, clock, log, sampleSecret: identity.secret });
  return {
    role: "indexer",
    read: async () => ({ ...indexer.stats, lag: await indexer.lag(), ...(await statsIfThere(index)) }),
    drain: indexer.drain,
  };
};

const startGossipRole = async (runtime: Runtime): Promise<RunningRole> => {
  const { broker, clock, log, frontier, sites, blocks, publicUrl, ownRing, identity } = runtime;
  const deps = {
    frontier,
    sites,
    blocks,
    candidates: openRecords(broker.buckets.candidates, Candidates),
    reporters: openRecords(broker.buckets.reporters, Reporter),
    index: await runtime.index(),
    now: broker.now,
    secret: identity.secret,
    publicUrl,
    ownRing,
    random: Math.random,
  };
  const admission = createAdmission(deps);
  const serving = serve(broker.connection, broker.prefix, gossip, gossipHandlers(deps, admission), log);
  const listener = await startListener(deps, admission, broker, clock, log);
  return {
    role: "gossip",
    serving,
    read: async () => ({ ...listener.stats }),
    drain: async () => {
      await serving.drain();
      await listener.drain();
    },
  };
};

const startSearchRole = async (runtime: Runtime): Promise<RunningRole> => {
  const { broker, log, publicUrl, ownRing, identity } = runtime;
  const deps = {
    index: await runtime.index(),
    now: broker.now,
    publicUrl,
    ownRing,
    cursorSecret: identity.secret,
  };
  const serving = serve(broker.connection, broker.prefix, search, searchHandlers(deps), log);
  return { role: "search", serving, read: async () => ({}), drain: serving.drain };
};

const startProtocolRole = async (runtime: Runtime): Promise<RunningRole> => {
  const { broker, log, contents, publicUrl, ownRing, ownDocument, identity } = runtime;
  await ownDocument();
  const deps = {
    index: await runtime.index(),
    contents,
    now: broker.now,
    publicUrl,
    secret: identity.secret,
    ownDocument,
    ownRing,
  };
  const serving = serve(broker.connection, broker.prefix, protocol, protocolHandlers(deps), log);
  return { role: "protocol", serving, read: async () => ({}), drain: serving.drain };
};

const STARTERS: Record<Role, (runtime: Runtime) => Promise<RunningRole>> = {
  crawler: startCrawlerRole,
  indexer: startIndexerRole,
  gossip: startGossipRole,
  search: startSearchRole,
  protocol: startProtocolRole,
};

const DESCRIPTIONS: Record<Role, string> = {
  crawler: "visits due hosts",
  indexer: "writes site records into the index",
  gossip: "judges what strangers report",
  search: "answers searches",
  protocol: "discovery documents and the beacon",
};

const endpointStats = (prefix: string, serving: Serving | undefined): EndpointStats[] =>
  [...(serving?.stats ?? [])].map(([name, counts]) => ({
    name,
    subject: operationSubject(prefix, serving!.service.name, name),
    num_requests: counts.requests,
    num_errors: counts.failures + counts.faults,
    processing_time: Math.round(counts.processingMs * 1e6),
    average_processing_time: Math.round((counts.processingMs * 1e6) / Math.max(1, counts.requests)),
  }));

/** Starts roles in this process; each is announced on NATS and shown in metrics. */
export const startRoles = async (
  runtime: Runtime,
  roles: readonly Role[],
  metrics: Metrics,
): Promise<RunningRole[]> => {
  const { broker, id } = runtime;
  return Promise.all(
    roles.map(async (role) => {
      const running = await STARTERS[role](runtime);
      const unannounce = announce(broker.connection, broker.prefix, id, {
        role,
        description: DESCRIPTIONS[role],
        version: VERSIONS.bridge,
        endpoints: () => endpointStats(broker.prefix, running.serving),
        data: running.read,
      });
      metrics.watchRole(role, running.read);
      return {
        ...running,
        drain: async () => {
          unannounce();
          await running.drain();
        },
      };
    }),
  );
};
