/** What a visit learns of a host beside our own format, and what is kept of it. */
import { randomBytes } from "node:crypto";
import type { AgentPresence, Claim, ControlGroup } from "../../schemas/agent-web.ts";
import type { SiteRecord, VisitReason } from "../../schemas/site.ts";
import { countHost, isFirstOfDay } from "../../src/agent-web/census.ts";
import { countLook } from "../../src/agent-web/counts.ts";
import { lookAround, type SeenAround } from "../../src/agent-web/look-around.ts";
import { hasFaults, isFound, isWaitedFor, nextLookAt } from "../../src/agent-web/presence.ts";
import type { PresenceReading } from "../../src/agent-web/reading.ts";
import type { RecordResolver } from "../../src/agent-web/records/ask.ts";
import type { Looks } from "../../src/crawl/look.ts";
import type { CheckOptions, PageOptions } from "../../src/crawl/stages/context.ts";
import type { VisitResult } from "../../src/crawl/visit.ts";
import { countProbes } from "../../src/crawl/visit-counts.ts";
import type { Visit } from "../../src/egress/polite.ts";
import type { Counters } from "../../src/ports/counters.ts";
import type { DiscoverySource } from "../../src/ports/frontier.ts";
import type { Presences } from "../../src/stores/presences.ts";
import { type Leaves, withLeaves } from "./log-changes.ts";

export interface PresenceDeps {
  presences: Presences;
  looks: Pick<Looks, "get">;
  /** What third parties say of a host. */
  claimsOf: (host: string) => Promise<Claim[]>;
  documents: PresenceReading;
  resolver: RecordResolver;
  blocks: { has(host: string): boolean };
  counters: Pick<Counters, "add">;
  /** Hosts of which it is known what a look has to see. */
  controlGroup: ReadonlyMap<string, ControlGroup>;
  visit: CheckOptions & Pick<PageOptions, "pagesPerVisit">;
  /** Broker milliseconds. */
  now: () => number;
}

/** What a host publishes for agents, before a visit and after it. */
export interface SeenPresence {
  claims: readonly Claim[];
  before: AgentPresence | undefined;
  /** Undefined: nothing was learned; "closed": the host does not let it be kept. */
  seen: SeenAround | "closed" | undefined;
}

/** The visit that a look was part of. */
export interface OfVisit {
  source: DiscoverySource;
  /** The host's record before it. */
  previous: SiteRecord | undefined;
  /** And after it. */
  record: SiteRecord;
}

/** What a visit ends with that found nobody to ask, or what must not be asked again now. */
const NOT_LOOKED_AT: ReadonlySet<VisitReason> = new Set([
  "dns_failed",
  "unreachable",
  "address_refused",
  "quarantined",
]);

/** Looks at what a host publishes for agents beside our own format, unless it did not answer or must not be read. */
export async function seePresence(
  {
    visit: options,
    documents,
    resolver,
    presences,
    claimsOf,
    blocks,
    signal,
    now,
  }: PresenceDeps & { signal: AbortSignal },
  visit: Visit,
  host: string,
  visited: VisitResult,
  isFirst: boolean,
): Promise<SeenPresence> {
  const [before, claims] = await Promise.all([presences.get(host), claimsOf(host)]);
  if (!isLookedAt(options, visited, isFirst)) return { before, claims, seen: undefined };
  const { httpsPort, robotsToken } = options;
  const random = () => randomBytes(8).toString("hex");
  const asked = {
    visit,
    host,
    httpsPort,
    robotsToken,
    previous: before,
    claims,
    reading: documents,
    resolver,
    recordOf: (other: string) => presences.get(other),
    isOver: () => signal.aborted || blocks.has(host),
    now,
    random,
  };
  return { before, claims, seen: await lookAround(asked) };
}

/**
 * Whether a visit looks at more than our own format. A crawl that reads no pages does not; and the listing of a site of our own format
 * does not wait for it: its second visit does.
 */
const isLookedAt = (
  { pagesPerVisit }: PresenceDeps["visit"],
  visited: VisitResult,
  isFirst: boolean,
): visited is VisitResult & { kind: "seen" } =>
  pagesPerVisit > 0 &&
  visited.kind === "seen" &&
  !NOT_LOOKED_AT.has(visited.seen.reason) &&
  !(isFirst && visited.seen.ring > 0);

/** Keeps what there is. @returns when to look at the host again for it; undefined: there is nothing */
export async function storePresence(
  deps: PresenceDeps,
  host: string,
  looked: SeenPresence,
  visit: OfVisit,
  leaves: Leaves,
): Promise<number | undefined> {
  const { before, seen, claims } = looked;
  const { presences, now } = deps;
  if (seen !== undefined) await countSeen(deps, host, before, seen, visit);
  const presence = keptPresence(looked);
  if (presence) {
    if (seen !== undefined) await presences.put(withLeaves(presence, leaves));
    return nextLookAt(before, presence, claims, now());
  }
  if (before) await presences.remove(host);
  return undefined;
}

/** What a visit leaves of a host's presence; undefined: nothing. */
export function keptPresence({ before, seen }: SeenPresence): AgentPresence | undefined {
  const presence = seen === undefined ? before : seen === "closed" ? undefined : seen.presence;
  return presence && (isFound(presence) || isWaitedFor(presence) || hasFaults(presence))
    ? presence
    : undefined;
}

/** Counts a look, and its host where it is the first of the day. */
async function countSeen(
  { counters, controlGroup, looks, now }: PresenceDeps,
  host: string,
  before: AgentPresence | undefined,
  seen: SeenAround | "closed",
  { source, previous, record }: OfVisit,
): Promise<void> {
  const lookAt = before || previous ? undefined : (await looks.get(host))?.at;
  const isFirst = isFirstOfDay({ presence: before, record: previous, lookAt }, now());
  const [presence, asked] = seen === "closed" ? [seen, []] : [seen.presence, seen.asked];
  const isVerified = record.status === "enabled";
  await Promise.all([
    presence !== "closed" &&
      countLook(counters, before, presence, controlGroup.get(host)).then((probed) =>
        countProbes(counters, probed, now()),
      ),
    isFirst && countHost(counters, { source, presence, asked, isVerified }),
  ]);
}

/** Whether a host has nothing of our own format, and never had: what it publishes otherwise is all that is kept of it. */
export const isOnlyFound = (
  { seen }: SeenPresence,
  { reason, status, verified_at, last_ok_at }: SiteRecord,
): boolean =>
  seen !== undefined &&
  reason === "no_txt" &&
  status === "disabled" &&
  verified_at === null &&
  last_ok_at === null;
