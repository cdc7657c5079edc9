/** What the functions of one running crawler share. */

import type { ConfirmedReports } from "../../schemas/bounty.ts";
import type { Access } from "../../schemas/license.ts";
import type { Registration } from "../../schemas/ring4.ts";
import type { SitePages } from "../../schemas/site-pages.ts";
import type { Looks } from "../../src/crawl/look.ts";
import type { CheckOptions, PageOptions } from "../../src/crawl/stages/context.ts";
import type { OwnWay } from "../../src/egress/own-way.ts";
import type { Clock } from "../../src/ports/clock.ts";
import type { CrawlerStats, Runtime } from "../../src/runtime/runtime.ts";
import type { Records } from "../../src/stores/records.ts";
import type { DeadLetter, DiscoveredHosts } from "./contract.ts";
import type { RecentVisits } from "./recent-visits.ts";

interface StallWatch {
  /** Whether it stood still at any time since `monotonicMs`. */
  since(monotonicMs: number): boolean;
}

export interface CrawlerDeps
  extends Pick<Runtime, "broker" | "frontier" | "sites" | "contents" | "polite" | "clock" | "log"> {
  pages: Pick<Records<SitePages>, "get" | "put" | "remove">;
  looks: Pick<Looks, "put">;
  deadLetters: Records<DeadLetter>;
  registrations: Pick<Records<Registration>, "get">;
  confirmed: Pick<Records<ConfirmedReports>, "get">;
  /** How the owner of a site lets agents in. */
  accessTo: (siteId: string) => Promise<Access>;
  blocks: { has(host: string): boolean };
  blockedNetworks: { has(address: string): boolean };
  emitDiscovered: (discovered: DiscoveredHosts) => Promise<void>;
  visit: CheckOptions & PageOptions;
  /** Whether what fails may be for our own way out. */
  way: Pick<OwnWay, "trouble" | "cause" | "mayBeOurs" | "dnsAnswered" | "look">;
  /** Broker milliseconds. */
  now: () => number;
  concurrency: number;
  /** A worker that is silent this long has lost its token. */
  leaseMs: number;
}

export interface CrawlerContext extends CrawlerDeps {
  stats: CrawlerStats;
  recent: RecentVisits;
  /** Aborts when visits under way have to end. */
  signal: AbortSignal;
  stalls: StallWatch;
}

const PAUSE_AFTER_FAULT_MS = 1_000;

/**
 * Watches, until `signal` aborts, whether this process itself stands still (stopped, swapped out, its machine asleep):
 * requests that failed across such a moment say nothing of the site. @param stallMs a pause longer than this is a stall
 */
export function watchStalls(clock: Clock, stallMs: number, signal: AbortSignal): StallWatch {
  let beatAtMs = clock.monotonicMs();
  let stalledAtMs = Number.NEGATIVE_INFINITY;
  const look = (): void => {
    const now = clock.monotonicMs();
    if (now - beatAtMs > stallMs) stalledAtMs = now;
    beatAtMs = now;
  };
  const beat = async (): Promise<void> => {
    while (!signal.aborted) {
      await clock.sleep(stallMs / 2, signal);
      look();
    }
  };
  void beat();
  return {
    since: (monotonicMs) => {
      // After a stall, whoever asks may run before the beat does.
      look();
      return stalledAtMs >= monotonicMs;
    },
  };
}

/**
 * Repeats an action until the broker takes it: one that is away, full or restarting loses no visit, and what it keeps
 * us from is no failure of the site. Throws what is not the broker's fault, and anything once the signal aborts.
 */
export async function retryFaults<T>(
  { broker, clock, log, signal }: Pick<CrawlerContext, "broker" | "clock" | "log" | "signal">,
  action: (attempt: number) => Promise<T>,
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await action(attempt);
    } catch (error) {
      if (!broker.isFault(error) || signal.aborted) throw error;
      log.debug({ reason: String(error) }, "the broker does not answer; trying again");
      await clock.sleep(PAUSE_AFTER_FAULT_MS, signal);
    }
  }
}
