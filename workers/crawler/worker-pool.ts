/** The crawler: takes due hosts, as many at once as it may, and lets each visit end. */

import { warnOnChange } from "../../src/concurrency/warn-on-change.ts";
import type { Token } from "../../src/ports/frontier.ts";
import type { CrawlerStats } from "../../src/runtime/runtime.ts";
import { type CrawlerContext, type CrawlerDeps, watchStalls } from "./context.ts";
import { handleDueHost } from "./due-host.ts";
import { countRecentVisits, type RecentVisits } from "./recent-visits.ts";

const PAUSE_AFTER_ERROR_MS = 1_000;
/** Places fall free in swarms: one request of the broker for several of them. */
const GATHER_MS = 20;
/** While our own way out is broken, what would show that it is not is tried this often. */
const TRIAL_EVERY_MS = 5_000;
/** … with so many hosts at once: one by one, whoever has a thousand dead hosts due would hold up the crawl for hours. */
const TRIAL_HOSTS = 8;
/** Visits under way at a shutdown may finish for this long; then they go back to the frontier. */
const DRAIN_MS = 3_000;
/** … and this long to do so: a broker that does not answer must not hold up the end. */
const GIVE_BACK_MS = 2_000;

export interface Crawler {
  readonly stats: CrawlerStats;
  readonly recent: Pick<RecentVisits, "read">;
  /** Takes no new hosts; visits under way finish within 3 s or go back to the frontier. */
  drain(): Promise<void>;
}

class WorkerPool implements Crawler {
  readonly stats: CrawlerStats = {
    visits: 0,
    verified: 0,
    partial: 0,
    failed: 0,
    deferred: 0,
    deadLetters: 0,
  };
  readonly recent: RecentVisits;
  readonly #context: CrawlerContext;
  readonly #stopping = new AbortController();
  readonly #hurrying = new AbortController();
  readonly #underWay = new Set<Promise<void>>();
  readonly #running: Promise<void>;
  #placeFreed = Promise.withResolvers<void>();

  constructor(deps: CrawlerDeps) {
    const { signal } = this.#hurrying;
    // Well below the longest request (polite.ts): a shorter pause makes none fail.
    const stalls = watchStalls(deps.clock, deps.leaseMs / 10, signal);
    this.recent = countRecentVisits(deps.clock);
    const { stats, recent } = this;
    this.#context = { ...deps, stats, recent, signal, stalls };
    this.#running = this.#loop();
  }

  async drain(): Promise<void> {
    const { clock } = this.#context;
    this.#stopping.abort();
    this.#placeFreed.resolve();
    const ended = new AbortController();
    const visits = this.#running.then(() => Promise.all(this.#underWay)).finally(() => ended.abort());
    await Promise.race([visits, clock.sleep(DRAIN_MS, ended.signal)]);
    this.#hurrying.abort();
    // What does not end even now is not acked: the broker hands it to a worker again.
    await Promise.race([visits, clock.sleep(GIVE_BACK_MS, ended.signal)]);
  }

  async #loop(): Promise<void> {
    const { concurrency, frontier, clock, log } = this.#context;
    const { signal } = this.#stopping;
    const changes = warnOnChange(log);
    const begin = (token: Token): void => this.#begin(token);
    while (!signal.aborted) {
      if (this.#context.way.trouble !== undefined) {
        await this.#stand(begin);
        continue;
      }
      const free = concurrency - this.#underWay.size;
      if (free === 0) {
        this.#placeFreed = Promise.withResolvers<void>();
        await this.#placeFreed.promise;
        await clock.sleep(GATHER_MS, signal);
        continue;
      }
      try {
        await frontier.take(free, begin, signal);
      } catch (error) {
        changes.warn("the frontier cannot be read; trying again", error);
        await clock.sleep(PAUSE_AFTER_ERROR_MS, signal);
      }
    }
  }

  /**
   * Takes nothing until our own way out works again: DNS is asked every few seconds, and where it answers, a few hosts are visited
   * whose answer would show that the network is there.
   */
  async #stand(begin: (token: Token) => void): Promise<void> {
    const { way, clock, log, frontier } = this.#context;
    const { signal } = this.#stopping;
    log.error({ reason: way.trouble }, "the crawl stands still");
    while (!signal.aborted && way.trouble !== undefined) {
      await clock.sleep(TRIAL_EVERY_MS, signal);
      if (signal.aborted || (await way.look())) continue;
      if (way.cause === "network" && this.#underWay.size === 0)
        await frontier.take(TRIAL_HOSTS, begin, signal).catch(() => undefined);
    }
    if (!signal.aborted) log.info("the crawl goes on");
  }

  #begin(token: Token): void {
    const visit = handleDueHost(this.#context, token).finally(() => {
      this.#underWay.delete(visit);
      this.#placeFreed.resolve();
    });
    this.#underWay.add(visit);
  }
}

/** Starts taking due hosts. Any number of these run at once, here or in other processes. */
export const startCrawler = (deps: CrawlerDeps): Crawler => new WorkerPool(deps);
