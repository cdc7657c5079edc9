/** The crawler: takes due hosts, visits each, stores what it saw, schedules the next visit, acks. */
import type { Logger } from "pino";
import type { SiteRecord } from "../../schemas/site.ts";
import type { Frontier, Token } from "../../src/adapters/nats/frontier.ts";
import { ACK_WAIT_MS } from "../../src/adapters/nats/frontier.ts";
import type { Records } from "../../src/adapters/nats/records.ts";
import type { BlockList } from "../../src/block-list.ts";
import type { Contents } from "../../src/contents.ts";
import { hostKey } from "../../src/domain/domain-name.ts";
import type { Polite, Visit } from "../../src/polite.ts";
import type { Clock } from "../../src/ports.ts";
import type { DeadLetter, Heard } from "./contract.ts";
import { afterVisit } from "./rules.ts";
import { type VisitOptions, type VisitResult, visitHost } from "./visit.ts";

/** After this many deliveries without an end, the visit is a dead letter. */
const MAX_DELIVERIES = 5;
/** A slot further away than this sends the token back instead of holding a worker. */
const MAX_WAIT_MS = 5_000;
const DEAD_LETTER_DELAY_MS = 86_400_000;
const PAUSE_AFTER_ERROR_MS = 1_000;
/** Visits under way at a shutdown may finish for this long; then they go back to the frontier. */
const DRAIN_MS = 3_000;

export interface CrawlerStats {
  visits: number;
  verified: number;
  partial: number;
  failed: number;
  deferred: number;
  deadLetters: number;
}

export interface CrawlerDeps {
  frontier: Frontier;
  sites: Records<SiteRecord>;
  contents: Contents;
  deadLetters: Records<DeadLetter>;
  blocks: Pick<BlockList, "has">;
  polite: Polite;
  emitHeard: (heard: Heard) => Promise<void>;
  visit: VisitOptions;
  clock: Clock;
  now: () => number;
  concurrency: number;
  log: Logger;
}

export interface Crawler {
  readonly stats: CrawlerStats;
  /** Takes no new hosts; visits under way finish within 3 s or go back to the frontier. */
  drain(): Promise<void>;
}

const iso = (ms: number): string => new Date(ms).toISOString();

/** Everything of a host goes: its record, its contents, and its token when the caller does not reschedule. */
const forget = async (deps: CrawlerDeps, host: string): Promise<void> => {
  await deps.sites.remove(hostKey(host));
  await deps.contents.remove(host);
};

const count = (stats: CrawlerStats, record: SiteRecord): void => {
  stats.visits++;
  if (record.reason === "verified" && record.failures === 0) stats.verified++;
  else if (record.failures === 0) stats.partial++;
  else stats.failed++;
};

/** Stores what a visit saw. Idempotent: a visit that is done twice leaves what one leaves. */
const settle = async (
  deps: CrawlerDeps,
  token: Token,
  previous: SiteRecord | undefined,
  result: VisitResult & { kind: "seen" },
  stats: CrawlerStats,
): Promise<void> => {
  const { observation, content, heard } = result;
  const outcome = afterVisit(previous, token.host, observation, deps.now(), token.data.heardAt);
  const changed =
    previous?.content_sha256 !== outcome.record.content_sha256 ||
    previous?.document_sha256 !== outcome.record.document_sha256;
  // Contents first: whoever reads the record finds contents at least as new.
  if (content && changed) await deps.contents.put(token.host, content);
  if (heard.length > 0) await deps.emitHeard({ source: token.host, hosts: heard });
  count(stats, outcome.record);
  if (outcome.nextAt === undefined) {
    await forget(deps, token.host);
    token.drop();
    return;
  }
  await deps.sites.put(hostKey(token.host), outcome.record);
  await token.next(outcome.nextAt);
};

/** Runs one visit with its leases; the broker is told every third of ack_wait that it is still under way. */
const visitAndSettle = async (
  deps: CrawlerDeps,
  token: Token,
  visit: Visit,
  stats: CrawlerStats,
  signal: AbortSignal,
): Promise<void> => {
  const ticker = setInterval(() => {
    token.working();
    visit.renew().catch(() => undefined);
  }, ACK_WAIT_MS / 3);
  try {
    const first = !token.data.visited && token.deliveries === 1;
    const record = first ? undefined : (await deps.sites.get(hostKey(token.host)))?.value;
    const content = record?.content_sha256 ? await deps.contents.get(token.host) : undefined;
    const result = await visitHost(visit, token.host, record && { record, content }, deps.visit);
    // What an interrupted visit saw is not what the site is.
    if (signal.aborted) token.giveBack();
    else if (result.kind === "seen") await settle(deps, token, record, result, stats);
    else {
      stats.deferred++;
      await token.next(result.retryAt);
    }
  } finally {
    clearInterval(ticker);
    await visit.close();
  }
};

const bury = async (deps: CrawlerDeps, token: Token, error: string, stats: CrawlerStats): Promise<void> => {
  stats.deadLetters++;
  const { host, deliveries } = token;
  await deps.deadLetters.put(hostKey(host), {
    v: 1,
    host,
    deliveries,
    error: error.slice(0, 4_000),
    at: iso(deps.now()),
  });
  await token.next(deps.now() + DEAD_LETTER_DELAY_MS);
};

/** One token from due to its successor. A token whose earlier worker got as far as the successor is only acked. */
const work = async (
  deps: CrawlerDeps,
  token: Token,
  stats: CrawlerStats,
  signal: AbortSignal,
): Promise<void> => {
  if (token.deliveries > 1 && (await token.hasSuccessor())) return token.drop();
  if (token.deliveries > MAX_DELIVERIES)
    return bury(deps, token, "Five workers took this host and none finished its visit.", stats);
  if (deps.blocks.has(token.host)) {
    await forget(deps, token.host);
    return token.drop();
  }
  const entry = await deps.polite.open(token.host, MAX_WAIT_MS, signal);
  if (signal.aborted && !entry.ok) return token.giveBack();
  if (!entry.ok) {
    stats.deferred++;
    return token.next(entry.retryAt);
  }
  await visitAndSettle(deps, token, entry.visit, stats, signal);
};

/** Starts taking due hosts. Any number of these run at once, here or in other processes. */
export const startCrawler = (deps: CrawlerDeps): Crawler => {
  const stats: CrawlerStats = { visits: 0, verified: 0, partial: 0, failed: 0, deferred: 0, deadLetters: 0 };
  const stopping = new AbortController();
  const hurrying = new AbortController();
  const underWay = new Set<Promise<void>>();
  let slotFreed = Promise.withResolvers<void>();

  const begin = (token: Token): void => {
    const visit = work(deps, token, stats, hurrying.signal)
      // Not acked: the broker hands the token to a worker again after ack_wait.
      .catch((error: unknown) => deps.log.error({ err: error, host: token.host }, "visit failed"))
      .finally(() => {
        underWay.delete(visit);
        slotFreed.resolve();
      });
    underWay.add(visit);
  };

  const loop = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      const free = deps.concurrency - underWay.size;
      if (free === 0) {
        slotFreed = Promise.withResolvers<void>();
        await slotFreed.promise;
        continue;
      }
      try {
        await deps.frontier.take(free, begin, stopping.signal);
      } catch (error) {
        deps.log.warn({ err: error }, "the frontier cannot be read; trying again");
        await deps.clock.sleep(PAUSE_AFTER_ERROR_MS, stopping.signal);
      }
    }
  };
  const running = loop();
  return {
    stats,
    drain: async () => {
      stopping.abort();
      slotFreed.resolve();
      const deadline = setTimeout(() => hurrying.abort(), DRAIN_MS);
      await running;
      await Promise.all(underWay);
      clearTimeout(deadline);
    },
  };
};
