/** The robots.txt of the sites that are read, remembered for a day: one memory for the crawl, sessions and page reads of a process. */

import { LRUCache } from "lru-cache";
import { decodeText } from "../pages/text-encoding.ts";
import type { FetchFailure } from "../ports/http.ts";
import { DAY_MS } from "../ports/time.ts";
import type { HopRefusal, Visit } from "./polite.ts";
import { parseRobots, type Robots } from "./robots.ts";

const ROBOTS_BYTES = 512 * 1024;
/** RFC 9309 section 2.3.1.2: at least five, also to other hosts. */
const ROBOTS_REDIRECTS = 5;
const ROBOTS_TTL_MS = DAY_MS;
/** robots.txt that could not be read is asked for again sooner. */
const ROBOTS_FAILED_TTL_MS = 600_000;

export interface KnownRobots {
  rules: Robots;
  /** False when it could not be read: all is disallowed for now, which says nothing of the site. */
  read: boolean;
  /** Why it could not be read; "" where it was. */
  detail: string;
  /** What kept it from being asked for, where no answer came. */
  failure?: FetchFailure;
}

const known = new LRUCache<string, KnownRobots>({ max: 5_000, ttl: ROBOTS_TTL_MS });

/** The rules of an origin where they are known by now; nothing is asked for. */
export const knownRobots = (origin: string): KnownRobots | undefined => known.get(origin);

/** The same, of rules that are fetched in the turn of this visit when they are not known. */
export const robotsRefusal = async (visit: Visit, url: URL, token: string): Promise<HopRefusal | undefined> =>
  refusalByRobots(await robotsOf(visit, url.origin, token), url, token);

/**
 * Why an address is not asked for: the one rule for whoever reads pages. Where no answer came at all, that is said, not that
 * robots.txt forbids something.
 */
export function refusalByRobots(robots: KnownRobots, url: URL, token: string): HopRefusal | undefined {
  if (robotsAllow(robots, url, token)) return undefined;
  const detail = robots.read
    ? `robots.txt of ${url.host} does not allow ${url.pathname.slice(0, 200)}`
    : `robots.txt of ${url.host} cannot be read: nothing is allowed until it can`;
  return robots.failure
    ? { failure: robots.failure, detail: robots.detail }
    : { failure: "robots_disallowed", detail };
}

/** Whether the rules let the crawler of this token fetch the address. */
export const robotsAllow = ({ rules }: KnownRobots, url: URL, token: string): boolean =>
  rules.allows(url.pathname + url.search, token);

/** The rules of an origin, fetched in the turn of this visit when they are not known. Slows the visit to what they ask. */
export async function robotsOf(visit: Visit, origin: string, token: string): Promise<KnownRobots> {
  const robots = known.get(origin) ?? (await readRobots(visit, origin));
  const delayMs = robots.rules.crawlDelayMs(token);
  if (delayMs) visit.slowTo(delayMs);
  return robots;
}

async function readRobots(visit: Visit, origin: string): Promise<KnownRobots> {
  const result = await visit.fetch(`${origin}/robots.txt`, {
    maxBodyBytes: ROBOTS_BYTES,
    truncate: true,
    maxRedirects: ROBOTS_REDIRECTS,
  });
  // A longer chain, a loop, or one that leads to a private address hides rules that may be there: it is not read.
  const rules = result.ok
    ? parseRobots(decodeText(result.body, result.headers["content-type"] ?? ""), result.status)
    : parseRobots("", "unreachable");
  const read = result.ok && result.status < 500 && result.status !== 429 && !isRedirect(result.status);
  // A request of ours that was held back says nothing about the site.
  const asked = result.ok || (result.failure !== "not_admitted" && result.failure !== "aborted");
  const detail = read ? "" : result.ok ? `it answered ${result.status}` : result.detail;
  const robots = { rules, read, detail, ...(!result.ok && { failure: result.failure }) };
  if (asked) known.set(origin, robots, { ttl: read ? ROBOTS_TTL_MS : ROBOTS_FAILED_TTL_MS });
  return robots;
}

/** A redirect that leads nowhere: without a Location, or of a kind that is not followed. */
const isRedirect = (status: number): boolean => status >= 300 && status < 400;
