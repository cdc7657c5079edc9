/** The crawler: takes due hosts, as many at once as it may, and lets each visit end. */
import { startWorkLoop } from "../../src/concurrency/work-loop.ts";
import type { Token } from "../../src/ports/frontier.ts";
import type { CrawlerStats } from "../../src/runtime/runtime.ts";
import { type CrawlerContext, type CrawlerDeps, handleDueHost } from "./due-host.ts";
import { countRecentVisits, type RecentVisits } from "./recent-visits.ts";
import { watchStalls } from "./stalls.ts";

/** While our own way out is broken, what would show that it is not is tried this often. */
const TRIAL_EVERY_MS = 5_000;
/** … with so many hosts at once: one by one, whoever has a thousand dead hosts due would hold up the crawl for hours. */
const TRIAL_HOSTS = 8;
/** Visits under way at a shutdown may finish for this long; then they go back to the frontier. */
const DRAIN_MS = 3_000;

export interface Crawler {
  readonly stats: CrawlerStats;
  readonly recent: Pick<RecentVisits, "read">;
  /** Takes no new hosts; visits under way finish within 3 s or go back to the frontier. */
  drain(): Promise<void>;
}

/** Starts taking due hosts. Any number of these run at once, here or in other processes. */
export function startCrawler(deps: CrawlerDeps): Crawler {
  const { clock, concurrency, frontier, leaseMs, log } = deps;
  const ending = new AbortController();
  const { signal } = ending;
  const stats = { visits: 0, verified: 0, partial: 0, failed: 0, deferred: 0, deadLetters: 0 };
  const recent = countRecentVisits(clock);
  // Well below the longest request (polite.ts): a shorter pause makes none fail.
  const stalls = watchStalls(clock, leaseMs / 10, signal);
  const context: CrawlerContext = { ...deps, stats, recent, signal, stalls };
  const { drain } = startWorkLoop<Token>({
    concurrency,
    clock,
    log,
    ending,
    drainMs: DRAIN_MS,
    what: "the frontier",
    take: frontier.take,
    handle: (token) => handleDueHost(context, token),
    hold: (begin, underWay, stopping) => stand(deps, begin, underWay, stopping),
  });
  return { stats, recent, drain };
}

/**
 * Takes nothing until our own way out works again: DNS is asked every few seconds, and where it answers, a few hosts are visited
 * whose answer would show that the network is there.
 */
async function stand(
  { way, clock, log, frontier }: CrawlerDeps,
  begin: (token: Token) => void,
  underWay: () => number,
  signal: AbortSignal,
): Promise<void> {
  if (way.trouble === undefined) return;
  log.error({ reason: way.trouble }, "the crawl stands still");
  while (!signal.aborted && way.trouble !== undefined) {
    await clock.sleep(TRIAL_EVERY_MS, signal);
    if (signal.aborted || (await way.look())) continue;
    if (way.cause === "network" && underWay() === 0)
      await frontier.take(TRIAL_HOSTS, begin, signal).catch(() => undefined);
  }
  if (!signal.aborted) log.info("the crawl goes on");
}
