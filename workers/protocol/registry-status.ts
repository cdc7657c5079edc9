/** The state of the crawl and the census, read from the broker at most once in a while, however many ask. */
import { setImmediate as turn } from "node:timers/promises";
import { LRUCache } from "lru-cache";
import { type Census, CensusDay } from "../../schemas/census.ts";
import type { SiteRecord } from "../../schemas/site.ts";
import type { LastVisit } from "../../schemas/visits.ts";
import { FRAME, openCensus } from "../../src/agent-web/census.ts";
import { agentWebToday } from "../../src/agent-web/counts.ts";
import type { SiteStores } from "../../src/crawl/known-site.ts";
import { lastVisit } from "../../src/crawl/last-visit.ts";
import { visitsToday } from "../../src/crawl/visit-counts.ts";
import type { Counters } from "../../src/ports/counters.ts";
import type { Frontier } from "../../src/ports/frontier.ts";
import { iso } from "../../src/ports/time.ts";
import { hostBlock } from "../../src/stores/block-list.ts";
import { HEAD, type openLogHeads } from "../../src/stores/log-heads.ts";
import type { Records } from "../../src/stores/records.ts";
import { SAID, shownWitnesses, type WitnessesSaid } from "../../src/stores/witnesses.ts";
import { MAX_RECENT, type RegistryStatus } from "./registry-contract.ts";

/** A reading serves everybody for this long. */
const FRESH_MS = 1_000;
const CENSUS_FRESH_MS = 60_000;
/** Numbers of days that are asked for often: those of the page, and all. */
const MOST_CUTS = 4;
/** Newest writes that are looked at for those to name. */
const LOOKED_AT = 3 * MAX_RECENT;

export interface StatusDeps extends Pick<SiteStores, "blocks"> {
  sites: Pick<Records<SiteRecord>, "newest">;
  frontier: Pick<Frontier, "lag">;
  counters: Pick<Counters, "list">;
  heads: Pick<ReturnType<typeof openLogHeads>, "get">;
  witnesses: Pick<Records<WitnessesSaid>, "get">;
  /** Broker milliseconds. */
  now: () => number;
}

/** @returns the status as it was at most a second ago */
export const createStatus = (deps: StatusDeps): (() => Promise<RegistryStatus>) =>
  readSeldom(() => readStatus(deps), FRESH_MS, deps.now);

/** The census as all who ask are answered: its days are some hundred kilobytes, validated and serialized once. */
export interface ServedCensus extends Omit<Census, "days"> {
  /** JSON of so many of the newest days, the oldest first: the same bytes to everybody. */
  newest(days: number): Uint8Array;
}

/** @returns the census as it was at most a minute ago */
export function createCensus({
  counters,
  now,
}: Pick<StatusDeps, "counters" | "now">): () => Promise<ServedCensus> {
  const days = openCensus(counters, now);
  const texts = new WeakMap<CensusDay, string>();
  const read = async (): Promise<ServedCensus> => {
    const at = iso(now());
    const all: string[] = [];
    for (const day of await days()) {
      const text = texts.get(day) ?? JSON.stringify(CensusDay.parse(day));
      // A day takes a millisecond or two: others have their turn.
      if (!texts.has(day)) await turn();
      texts.set(day, text);
      all.push(text);
    }
    const cuts = new LRUCache<number, Uint8Array>({ max: MOST_CUTS });
    const newest = (count: number): Uint8Array => {
      const bytes = cuts.get(count) ?? Buffer.from(`[${all.slice(-count).join(",")}]`);
      cuts.set(count, bytes);
      return bytes;
    };
    return { at, frame: FRAME, newest };
  };
  return readSeldom(read, CENSUS_FRESH_MS, now);
}

/** A reading that serves everybody for a while, however many ask; one that failed serves nobody else. */
function readSeldom<T>(read: () => Promise<T>, freshMs: number, now: () => number): () => Promise<T> {
  let reading: Promise<T> | undefined;
  let readAt = Number.NEGATIVE_INFINITY;
  return () => {
    if (reading && now() - readAt < freshMs) return reading;
    readAt = now();
    const next = read();
    reading = next;
    next.catch(() => {
      if (reading === next) reading = undefined;
    });
    return next;
  };
}

async function readStatus(deps: StatusDeps): Promise<RegistryStatus> {
  const [lag, recent, visits, agent_web, head, said] = await Promise.all([
    deps.frontier.lag(),
    recentOf(deps),
    visitsToday(deps.counters, deps.now()),
    agentWebToday(deps.counters, deps.now()),
    deps.heads.get(HEAD),
    deps.witnesses.get(SAID),
  ]);
  return {
    at: iso(deps.now()),
    crawl: { hosts: lag.tokens, due: lag.due, in_progress: lag.inFlight },
    visits,
    agent_web,
    log: { size: head?.value.size ?? 0, witnesses: shownWitnesses(said?.value) },
    recent,
  };
}

async function recentOf({ sites, blocks, now }: StatusDeps): Promise<LastVisit[]> {
  const written = (await sites.newest(LOOKED_AT)).filter(
    ({ visits, verified_at }) => visits > 0 && verified_at !== null,
  );
  const isBlocked = await Promise.all(written.map(async ({ siteId }) => hostBlock(blocks, siteId)));
  return written
    .filter((_, i) => isBlocked[i] === undefined)
    .slice(0, MAX_RECENT)
    .map((record) => lastVisit(record, now()));
}
