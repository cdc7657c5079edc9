/** The crawler as a role: visits, and the audit that finds hosts which fell silent. */
import { Registration } from "../../schemas/ring4.ts";
import { SitePages } from "../../schemas/site-pages.ts";
import { openLooks } from "../../src/crawl/look.ts";
import { openPageReading } from "../../src/crawl/pages/page-reading.ts";
import type { Clock } from "../../src/ports/clock.ts";
import type { RunningRole, Runtime } from "../../src/runtime/runtime.ts";
import { openAccountStore } from "../../src/stores/accounts.ts";
import { followBlocks, followNetworks } from "../../src/stores/block-list.ts";
import { openClaims } from "../../src/stores/claims.ts";
import { openPresences } from "../../src/stores/presences.ts";
import { openRecords } from "../../src/stores/records.ts";
import { openConfirmedReports } from "../../src/stores/reports.ts";
import { configuredAccess } from "../../src/stores/site-access.ts";
import { startAudit, visitBlocked, visitBlockedNetworks } from "./audit.ts";
import { DeadLetter, type DiscoveredHosts, MAX_DISCOVERED } from "./contract.ts";
import { startImports } from "./imports.ts";
import { logChanges, openChanges } from "./log-changes.ts";
import { startCrawler } from "./worker-pool.ts";

const BATCH_MS = 20;

export async function start(runtime: Runtime): Promise<RunningRole> {
  const { config, broker, resolver, clock, log, frontier, sites, contents, polite } = runtime;
  const accounts = openAccountStore(broker);
  const onWide = () => visitBlocked(runtime);
  const blocks = await followBlocks(broker.buckets.blocks, { log, clock, onWide });
  const networks = await followNetworks(runtime, () => visitBlockedNetworks(runtime));
  const reading = openPageReading(config.BRIDGE_CRAWL_CONCURRENCY, runtime.pageThread);
  const changes = openChanges(runtime);
  const crawler = startCrawler({
    broker,
    frontier,
    sites,
    contents,
    pages: openRecords(broker.buckets.contents, SitePages),
    blocks,
    blockedNetworks: runtime.blockedNetworks,
    polite,
    way: runtime.way,
    clock,
    log,
    looks: openLooks(broker.buckets),
    presences: openPresences(broker.buckets.contents),
    claimsOf: openClaims(broker.buckets).claimsOf,
    documents: reading,
    resolver,
    counters: broker.counters,
    controlGroup: config.BRIDGE_CONTROL_GROUP,
    deadLetters: openRecords(broker.buckets.dead_letters, DeadLetter),
    registrations: openRecords(broker.buckets.registrations, Registration),
    confirmed: openConfirmedReports(broker.buckets),
    accessTo: (siteId) => configuredAccess(accounts, siteId),
    emitDiscovered: createDiscoveryEmitter(clock, (batch) =>
      broker.discoveredHosts.publish(JSON.stringify(batch)),
    ),
    logChanges: (host, left) => logChanges(changes, host, left),
    now: broker.now,
    concurrency: config.BRIDGE_CRAWL_CONCURRENCY,
    leaseMs: config.leaseMs,
    visit: {
      resolver,
      robotsToken: config.BRIDGE_USER_AGENT.split("/")[0]!,
      pagesPerVisit: config.pagesPerVisit,
      httpsPort: config.BRIDGE_HTTPS_PORT,
      now: broker.now,
      readPage: reading.read,
    },
  });
  const audit = startAudit(runtime);
  const imports = startImports(runtime);
  return {
    crawler: crawler.stats,
    read: async () => ({ ...crawler.stats, ...crawler.recent.read(), ...(await frontier.lag()) }),
    trouble: () => runtime.way.trouble,
    drain: async () => {
      await imports.drain();
      await audit.drain();
      await crawler.drain();
      await reading.close();
      blocks.stop();
      networks.stop();
    },
  };
}

/**
 * Sends the hosts that beacons name to gossip in batches: visits that end within a moment of each other share a message.
 * @param publish stores one message; resolves when the broker has it
 * @returns a function that resolves when what it was given is stored, so that a visit can be acked after it
 */
function createDiscoveryEmitter(
  clock: Clock,
  publish: (batch: DiscoveredHosts[]) => Promise<unknown>,
): (discovered: DiscoveredHosts) => Promise<void> {
  let waiting: { batch: DiscoveredHosts[]; sent: Promise<void> } | undefined;
  const open = () => {
    const batch: DiscoveredHosts[] = [];
    const sent = clock.sleep(BATCH_MS).then(async () => {
      if (waiting?.batch === batch) waiting = undefined;
      await publish(batch);
    });
    return { batch, sent };
  };
  return (discovered) => {
    waiting ??= open();
    const { batch, sent } = waiting;
    batch.push(discovered);
    // A full batch takes no more; it leaves when its time is up.
    if (batch.length >= MAX_DISCOVERED) waiting = undefined;
    return sent;
  };
}
