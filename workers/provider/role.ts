/** The provider API as a role: its operations, the probes they share, and the webhooks on their way. */

import { openVerdicts } from "../../src/crawl/known-site.ts";
import { type Looks, openLooks } from "../../src/crawl/look.ts";
import { openPageReading, type PageReading } from "../../src/crawl/pages/page-reading.ts";
import { parseAllowances } from "../../src/domain/names/address.ts";
import type { RunningRole, Runtime } from "../../src/runtime/runtime.ts";
import { followNetworks, hostBlock } from "../../src/stores/block-list.ts";
import { openRecords } from "../../src/stores/records.ts";
import { INTERACTIVE_LOOKUP_MS } from "./context.ts";
import { provider } from "./contract.ts";
import { createDomainConnector, type DomainConnector } from "./domain-connect.ts";
import { createDrafter, type Drafter } from "./drafter.ts";
import { createFollowUps } from "./follow-ups.ts";
import { providerHandlers } from "./handlers.ts";
import { createProber, type Prober, type ProberDeps } from "./prober.ts";
import { openRequestKey } from "./request-key.ts";
import { BatchRecord } from "./webhook-rules.ts";
import { startWebhooks } from "./webhooks.ts";

/** A probe that ends after every deadline would only be thrown away. */
const PROBE_GRACE_MS = 2_000;
/** Pages of agent runs that may wait to be read. */
const MAX_PAGES_WAITING = 256;
/** A front page for a draft, its waits included: less than its operation waits. */
const DRAFT_MS = 18_000;
/** A look at a DNS provider, its waits included: less than its operation waits. */
const CONNECT_MS = 15_000;
/** Batches under way at a shutdown may finish for this long. */
const DRAIN_MS = 3_000;

export async function start(runtime: Runtime): Promise<RunningRole> {
  const connector = openConnector(runtime);
  const networks = await followNetworks(runtime);
  const { broker, config, clock, log, polite, resolver, sites, publicUrl, limiter } = runtime;
  const allow = parseAllowances(config.BRIDGE_EGRESS_ALLOW);
  const batches = openRecords(broker.buckets.batches, BatchRecord);
  const pages = openPageReading(MAX_PAGES_WAITING, runtime.pageThread);
  const looks = openLooks(broker.buckets);
  const prober = openProber(runtime, looks, pages.read);
  const followUps = createFollowUps(clock, (error) =>
    log.warn({ err: error }, "the rest of a batch was not told of"),
  );
  const drafter = openDrafter(runtime, pages.facts);
  const schedule = config.webhookRetryMs;
  const webhooks = await startWebhooks({
    broker,
    polite,
    batches,
    clock,
    log,
    schedule,
    leaseMs: config.leaseMs,
    random: Math.random,
    limiter,
  });
  const handlers = providerHandlers({
    prober,
    looks,
    pauseMs: config.BRIDGE_HOST_DELAY_MS,
    followUps,
    drafter,
    connector,
    webhooks,
    limiter,
    sites,
    blocks: runtime.blocks,
    frontier: runtime.frontier,
    batches,
    verdictOn: openVerdicts(runtime, broker.buckets),
    resolver,
    allow: allow.ok ? allow.allowances : [],
    now: broker.now,
    clock,
    publicUrl,
    deadlineMs: config.batchDeadlineMs,
    schedule,
  });
  const serving = runtime.serve(provider, handlers);
  return {
    servings: [serving],
    read: async () => ({ ...prober.stats, ...webhooks.stats }),
    drain: async () => {
      const answered = serving.drain();
      const ended = new AbortController();
      await Promise.race([answered.finally(() => ended.abort()), clock.sleep(DRAIN_MS, ended.signal)]);
      // Batches that still wait are answered with what they have.
      await Promise.all([prober.drain(), drafter.drain(), connector.drain(), followUps.drain()]);
      await webhooks.drain();
      networks.stop();
      await pages.close();
      await answered;
    },
  };
}

function openConnector(runtime: Runtime): DomainConnector {
  const { broker, config, clock, polite, resolver, publicUrl } = runtime;
  return createDomainConnector({
    polite,
    clock,
    resolver,
    publicUrl,
    timeoutMs: CONNECT_MS,
    lookupMs: INTERACTIVE_LOOKUP_MS,
    leaseMs: config.leaseMs,
    // An owner waits, and the provider has said in DNS that it wants to be asked.
    hostDelayMs: config.BRIDGE_IP_DELAY_MS,
    now: broker.now,
    key: openRequestKey(config, publicUrl),
  });
}

function openProber(runtime: Runtime, looks: Looks, readPage: ProberDeps["readPage"]): Prober {
  const { broker, config, clock, polite, resolver, sites } = runtime;
  return createProber({
    readPage,
    onHung: bringForward(runtime),
    polite,
    sites,
    timeoutMs: config.batchDeadlineMs + PROBE_GRACE_MS,
    leaseMs: config.leaseMs,
    pauseMs: config.BRIDGE_HOST_DELAY_MS,
    addressPauseMs: config.BRIDGE_IP_DELAY_MS,
    looks,
    resolver,
    clock,
    onLost: (error) => runtime.log.warn({ err: error }, "a look was not kept"),
    onSeen: tellCrawl(runtime),
    visit: {
      resolver,
      robotsToken: robotsTokenOf(runtime),
      httpsPort: config.BRIDGE_HTTPS_PORT,
      now: broker.now,
    },
  });
}

/** The crawl visits a host that hung a thread at once, and puts it into quarantine for all. */
const bringForward =
  ({ frontier, broker, log }: Runtime): ProberDeps["onHung"] =>
  (host) => {
    frontier.bringForward(host, Math.floor(broker.now())).catch((error: unknown) => {
      log.debug({ err: error, host }, "the visit of a host that hung a thread was not brought forward");
    });
  };

/** What a probe found is news to the crawl: a verified site that is not known gets a token, a changed one is visited soon. */
function tellCrawl({ frontier, broker, blocks, log }: Runtime): ProberDeps["onSeen"] {
  const tell: (...seen: Parameters<ProberDeps["onSeen"]>) => Promise<void> = async (host, seen, record) => {
    const now = Math.floor(broker.now());
    if (record) {
      if (record.ring !== seen.ring && seen.conclusion !== "failure") await frontier.bringForward(host, now);
    } else if (seen.ring === 3 && !(await hostBlock(blocks, host))) {
      await frontier.add(host, now, { source: "report", discoveredAt: now, visited: false });
    }
  };
  return (host, seen, record) => {
    // A hint that is lost is found again by the crawl itself.
    tell(host, seen, record).catch((error: unknown) => log.debug({ err: error, host }, "a hint was lost"));
  };
}

const robotsTokenOf = ({ config }: Runtime): string => config.BRIDGE_USER_AGENT.split("/")[0]!;

function openDrafter(runtime: Runtime, readFacts: PageReading["facts"]): Drafter {
  const { broker, config, clock, polite, sites, blocks } = runtime;
  return createDrafter({
    readFacts,
    polite,
    sites,
    blocks,
    clock,
    onHung: bringForward(runtime),
    timeoutMs: DRAFT_MS,
    leaseMs: config.leaseMs,
    // Its owner waits, and asks once: the pause is a session's.
    hostDelayMs: config.BRIDGE_IP_DELAY_MS,
    robotsToken: robotsTokenOf(runtime),
    httpsPort: config.BRIDGE_HTTPS_PORT,
    now: broker.now,
  });
}
