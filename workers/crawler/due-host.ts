/** One due host: visited with its leases, judged and stored; or put off, or buried. */
import type { ConfirmedReports } from "../../schemas/bounty.ts";
import type { Access } from "../../schemas/license.ts";
import type { Registration } from "../../schemas/ring4.ts";
import { MAX_REPORTED, type SiteRecord } from "../../schemas/site.ts";
import type { SitePages } from "../../schemas/site-pages.ts";
import { isFound, protocolsOf } from "../../src/agent-web/presence.ts";
import { every } from "../../src/concurrency/every.ts";
import { afterVisit, type VisitOutcome } from "../../src/crawl/judgement.ts";
import type { Looks } from "../../src/crawl/look.ts";
import { quarantinedUntil } from "../../src/crawl/quarantine.ts";
import type { CheckOptions, PageOptions } from "../../src/crawl/stages/context.ts";
import { type VisitResult, visitHost } from "../../src/crawl/visit.ts";
import { countVisit } from "../../src/crawl/visit-counts.ts";
import type { VisitFindings } from "../../src/crawl/visit-findings.ts";
import { hostKey, registrableDomain } from "../../src/domain/names/domain-name.ts";
import { lookalikeOf, namesakesOf } from "../../src/domain/names/resemblance.ts";
import { keysOfDomain } from "../../src/egress/domain-keys.ts";
import type { OwnWay } from "../../src/egress/own-way.ts";
import type { Visit } from "../../src/egress/polite.ts";
import type { Token } from "../../src/ports/frontier.ts";
import { DAY_MS, iso } from "../../src/ports/time.ts";
import type { CrawlerStats, Runtime } from "../../src/runtime/runtime.ts";
import { pagesKey } from "../../src/stores/contents.ts";
import type { Records, StoredRecord } from "../../src/stores/records.ts";
import { confirmedReports } from "../../src/stores/reports.ts";
import { visitSeconds, visits } from "../../src/telemetry/instruments.ts";
import { newTraceparent, withinScope } from "../../src/telemetry/scope.ts";
import { type TraceSpan, traced } from "../../src/telemetry/tracing.ts";
import type { DeadLetter, DiscoveredHosts } from "./contract.ts";
import type { Leaves, Left } from "./log-changes.ts";
import {
  isOnlyFound,
  keptPresence,
  type PresenceDeps,
  type SeenPresence,
  seePresence,
  storePresence,
} from "./presence.ts";
import type { RecentVisits } from "./recent-visits.ts";
import type { StallWatch } from "./stalls.ts";

/** A visit that throws at this delivery is a dead letter. */
const MAX_DELIVERIES = 5;
/**
 * So is one that this many workers took without a word. Far more, because a worker that dies takes a hundred innocent
 * hosts with it: only one that kills every worker reaches this.
 */
const MAX_VANISHED = 25;
/** A slot further away than this sends the token back instead of holding a worker. */
const MAX_WAIT_MS = 5_000;
const DEAD_LETTER_DELAY_MS = DAY_MS;
/** A visit that failed while this process stood still is made again. */
const RETRY_STALLED_MS = 1_000;
/** A visit that threw is tried again after this long, doubled each time. */
const RETRY_FIRST_MS = 250;

/** After this long a visit that our own way out may have spoiled is made again. */
const RETRY_WAY_MS = 15_000;
const PAUSE_AFTER_FAULT_MS = 1_000;

export interface CrawlerDeps
  extends PresenceDeps,
    Pick<Runtime, "broker" | "frontier" | "sites" | "contents" | "polite" | "clock" | "log"> {
  pages: Pick<Records<SitePages>, "get" | "put" | "remove">;
  looks: Pick<Looks, "get" | "put">;
  deadLetters: Records<DeadLetter>;
  registrations: Pick<Records<Registration>, "get">;
  confirmed: Pick<Records<ConfirmedReports>, "get">;
  /** How the owner of a site lets agents in. */
  accessTo: (siteId: string) => Promise<Access>;
  blocks: { has(host: string): boolean };
  blockedNetworks: { has(address: string): boolean };
  emitDiscovered: (discovered: DiscoveredHosts) => Promise<void>;
  /** Has the transparency log say what changed of a host. */
  logChanges: (host: string, left: Left) => Promise<Leaves>;
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

/** One visit's end: what it saw, and what was stored before it began. */
interface EndedVisit {
  token: Token;
  visit: Visit;
  previous: StoredRecord<SiteRecord> | undefined;
  result: VisitResult & { kind: "seen" };
  presence: SeenPresence;
}

type Judged = EndedVisit & { outcome: VisitOutcome };

/**
 * Works on a due host for as long as it takes; the broker is told every third of a lease that its visit is under way.
 * Never rejects: its token is ended, given back, or comes back by itself.
 */
export async function handleDueHost(context: CrawlerContext, token: Token): Promise<void> {
  const stopTelling = every(context.clock, context.leaseMs / 3, token.working);
  try {
    await withinScope({ traceparent: newTraceparent() }, () =>
      traced("visit", { kind: "consumer", attributes: { "bridge.host": token.host } }, (span) =>
        workOrFail(context, token, span),
      ),
    );
  } finally {
    stopTelling();
  }
}

async function workOrFail(context: CrawlerContext, token: Token, span: TraceSpan): Promise<void> {
  try {
    await retryFaults(context, (attempt) => work(context, token, attempt));
  } catch (error) {
    span.fail("failed");
    // The broker's fault, at a shutdown: not the visit's.
    if (context.broker.isFault(error)) token.giveBack();
    else await failed(context, token, error);
  }
}

/** One token from due to its successor. One that an earlier worker or attempt brought that far is only acked. */
async function work(context: CrawlerContext, token: Token, attempt: number): Promise<void> {
  const { blocks, polite, clock, signal } = context;
  if ((token.deliveries > 1 || attempt > 1) && (await token.isDone())) return token.drop();
  if (token.deliveries > MAX_VANISHED)
    return bury(context, token, `${MAX_VANISHED} workers took this host and none finished its visit.`);
  if (blocks.has(token.host)) return dropForgotten(context, token);
  const startedMs = clock.monotonicMs();
  const entry = await polite.open(token.host, MAX_WAIT_MS, signal);
  if (signal.aborted && !entry.ok) return token.giveBack();
  if (!entry.ok) {
    countDeferred(context);
    return token.next(entry.retryAt);
  }
  try {
    await withLeases(context, token, entry.visit);
  } finally {
    visitSeconds.observe((clock.monotonicMs() - startedMs) / 1_000);
  }
}

async function bury(context: CrawlerContext, token: Token, error: string): Promise<void> {
  const { stats, deadLetters, now } = context;
  stats.deadLetters++;
  visits.inc({ outcome: "dead_letter" });
  const { host, deliveries } = token;
  const at = iso(now());
  await deadLetters.put(hostKey(host), { v: 1, host, deliveries, error: error.slice(0, 4_000), at });
  await token.next(now() + DEAD_LETTER_DELAY_MS);
}

/** Of a host that is blocked, or answers from a blocked network. */
async function dropForgotten(deps: CrawlerDeps, token: Token): Promise<void> {
  await deps.logChanges(token.host, { isBlocked: true });
  await forget(deps, token.host);
  await token.drop();
}

function countDeferred({ stats }: CrawlerContext): void {
  stats.deferred++;
  visits.inc({ outcome: "deferred" });
}

/** Keeps the visit's leases for as long as it takes. */
async function withLeases(context: CrawlerContext, token: Token, visit: Visit): Promise<void> {
  const stopRenewing = every(
    context.clock,
    context.leaseMs / 3,
    () => void visit.renew().catch(() => undefined),
  );
  try {
    await visitAndSettle(context, token, visit);
  } finally {
    stopRenewing();
    await visit.close();
  }
}

/** Makes the visit and stores what it saw. */
async function visitAndSettle(context: CrawlerContext, token: Token, visit: Visit): Promise<void> {
  const { blockedNetworks, clock, sites, stalls, now, signal } = context;
  // Whoever had the host until now may have had this very token, and ended it.
  if (token.deliveries > 1 && (await token.isDone())) return token.drop();
  const beganMs = clock.monotonicMs();
  const first = !token.data.visited && token.deliveries === 1;
  const previous = first ? undefined : await sites.get(hostKey(token.host));
  const later = quarantinedUntil(previous?.value, now());
  if (later !== undefined) return putOff(context, token, later);
  const result = await visitKnown(context, visit, token.host, previous?.value);
  const presence = await seePresence(context, visit, token.host, result, previous === undefined);
  // What an interrupted visit saw is not what the site is.
  if (visit.interruption?.kind === "gate") throw visit.interruption.error;
  if (signal.aborted) return token.giveBack();
  // The worker that has the host now ends the token; if there is none, ack_wait brings it back.
  if (visit.interruption?.kind === "overtaken") return;
  if (result.kind === "not_now") return putOff(context, token, result.retryAt);
  const { address } = result.seen.facts;
  if (address && blockedNetworks.has(address)) return dropForgotten(context, token);
  if (mayBeOurs(result.seen) && stalls.since(beganMs))
    return putOff(context, token, now() + RETRY_STALLED_MS);
  if (await mayBeOurWay(context, token, result.seen, previous?.value, beganMs))
    return putOff(context, token, now() + RETRY_WAY_MS);
  await settleVisit(context, { token, visit, previous, result, presence });
}

function putOff(context: CrawlerContext, token: Token, atMs: number): Promise<void> {
  countDeferred(context);
  return retryFaults(context, () => token.next(atMs));
}

/** Visits a host, with what the last visit left of it. */
async function visitKnown(
  { visit: options, contents, pages }: CrawlerContext,
  visit: Visit,
  host: string,
  record: SiteRecord | undefined,
): Promise<VisitResult> {
  const [content, known] = await Promise.all([
    record?.content_sha256 ? contents.get(host) : undefined,
    record?.evidence ? pages.get(pagesKey(host)) : undefined,
  ]);
  const previous = record && { record, content, pages: known?.value };
  return visitHost(visit, host, previous, options);
}

/** Whether a stall of this process explains what was seen. What hung a thread used its own processor time. */
const mayBeOurs = ({ conclusion, reason }: VisitFindings): boolean =>
  conclusion === "failure" && reason !== "quarantined";

/** Whether our own way out may explain what was seen, as far as anybody can tell. */
async function mayBeOurWay(
  { way }: CrawlerContext,
  { host }: Token,
  { reason }: VisitFindings,
  previous: SiteRecord | undefined,
  beganMs: number,
): Promise<boolean> {
  if (reason !== "dns_failed") way.dnsAnswered(host);
  if (reason !== "dns_failed" && reason !== "unreachable") return false;
  const cause = reason === "dns_failed" ? "dns" : "network";
  const wasWell = previous !== undefined && previous.last_ok_at !== null && previous.failures === 0;
  return way.mayBeOurs({ host, cause, wasWell, beganMs });
}

/** Everything of a host goes: its record, contents and pages, and its token when the caller does not reschedule. */
async function forget(
  { sites, contents, pages, presences }: Pick<CrawlerDeps, "sites" | "contents" | "pages" | "presences">,
  host: string,
): Promise<void> {
  await sites.remove(hostKey(host));
  await Promise.all([contents.remove(host), pages.remove(pagesKey(host)), presences.remove(host)]);
}

/** Judges a visit, stores what follows, and ends its token. */
async function settleVisit(context: CrawlerContext, ended: EndedVisit): Promise<void> {
  const judged = judge(context, ended.token, ended.result.seen, ended.previous?.value);
  const registered = await withRegistration(context, judged.record);
  const reported = await withReports(context, registered);
  const record = await withLookalike(context, withProtocols(reported, ended.presence));
  const access = record.ring < 3 ? "none" : await context.accessTo(record.siteId);
  const outcome = { ...judged, record: { ...record, access } };
  await retryFaults(context, () => store(context, { ...ended, outcome }));
  count(context, outcome.record);
  await countOutcome(context, ended.presence, outcome.record);
}

/** For the day's pictures: a count that is lost repeats no visit. */
async function countOutcome(
  { counters, now, log }: CrawlerContext,
  presence: SeenPresence,
  record: SiteRecord,
): Promise<void> {
  const { seen } = presence;
  const isClaimable = typeof seen === "object" && isFound(seen.presence) && isOnlyFound(presence, record);
  try {
    await countVisit(counters, isClaimable ? "not_claimed" : record.reason, now());
  } catch (error) {
    log.warn({ err: error }, "a visit was not counted");
  }
}

const judge = (
  { now }: CrawlerDeps,
  token: Token,
  seen: VisitFindings,
  previous: SiteRecord | undefined,
): VisitOutcome => afterVisit(previous, token.host, seen, now(), token.data.discoveredAt, isHint(token));

/** Strangers named it: also those whose list an operator chose. */
const isHint = ({ data: { source } }: Token): boolean =>
  source === "report" || source === "beacon" || source === "import";

/** The record with the protocols of the services that its host publishes. */
function withProtocols(record: SiteRecord, presence: SeenPresence): SiteRecord {
  const { protocols: _, ...rest } = record;
  const protocols = protocolsOf(keptPresence(presence));
  return protocols.length > 0 ? { ...rest, protocols } : rest;
}

/** The record with the confirmed reports of now about its pages, the newest that it has room for. */
async function withReports({ confirmed, now }: CrawlerContext, record: SiteRecord): Promise<SiteRecord> {
  const { reported: _, ...rest } = record;
  if (record.ring === 0) return rest;
  const reported = (await confirmedReports(confirmed, record.siteId, now())).slice(-MAX_REPORTED);
  return reported.length > 0 ? { ...rest, reported } : rest;
}

/**
 * The record with its registration for ring 4 as of this visit, which is good for as long as the key that proved it stands
 * in DNS; a visit that failed leaves it as it was.
 */
async function withRegistration(deps: CrawlerContext, record: SiteRecord): Promise<SiteRecord> {
  if (record.ring < 3) return record.registration ? { ...record, registration: null } : record;
  if (record.failures > 0) return record;
  const stored = await deps.registrations.get(hostKey(record.siteId));
  if (!stored) return record;
  // The resolver has the answer that the visit began with.
  const keys = await keysOfDomain(deps.visit.resolver, record.siteId);
  // No answer says nothing of the key.
  if (!keys.ok && keys.reason === "dns_failed") return record;
  const { kid, registered_at } = stored.value;
  const stands = keys.ok && keys.keys.some((key) => key.kid === kid);
  return { ...record, registration: stands ? { kid, registered_at } : null };
}

/** The record with the verified host that its host or name looks like, in letters of another script; of that one's owner, none. */
async function withLookalike({ sites }: CrawlerContext, record: SiteRecord): Promise<SiteRecord> {
  const { resembles: _, ...rest } = record;
  const own = registrableDomain(record.siteId);
  for (const lookalike of [lookalikeOf(record.siteId), ...namesakesOf(record.name, record.siteId)]) {
    if (lookalike === undefined || registrableDomain(lookalike) === own) continue;
    const other = await sites.get(hostKey(lookalike));
    if (other?.value.status === "enabled") return { ...rest, resembles: lookalike };
  }
  return rest;
}

/** Stores what a visit saw. Idempotent: a visit that is done twice leaves what one leaves. */
async function store(deps: CrawlerDeps, ended: Judged): Promise<void> {
  const { token, previous, result, outcome } = ended;
  const { record, nextAt } = outcome;
  // Blocked while it was visited.
  if (deps.blocks.has(token.host)) return dropForgotten(deps, token);
  if (await isOvertaken(deps, ended)) return token.next(nextAt ?? deps.now());
  const changed =
    previous?.value.content_sha256 !== record.content_sha256 ||
    previous?.value.document_sha256 !== record.document_sha256;
  const pages = result.seen.measured?.pages;
  // These first: whoever reads the record finds contents and pages at least as new.
  await Promise.all([
    result.content && changed && deps.contents.put(token.host, result.content, record),
    pages && deps.pages.put(pagesKey(token.host), pages),
  ]);
  const hosts = result.discoveredHosts;
  if (hosts.length > 0) await deps.emitDiscovered({ source: token.host, hosts });
  const leaves = await deps.logChanges(token.host, leftBy(ended));
  const ofVisit = { source: token.data.source, previous: previous?.value, record };
  const lookAt = await storePresence(deps, token.host, ended.presence, ofVisit, leaves);
  if (lookAt !== undefined && isOnlyFound(ended.presence, record)) {
    if (previous) await deps.sites.remove(hostKey(token.host));
    return token.next(lookAt);
  }
  if (nextAt === undefined) {
    // Who named it is told why nothing came of it.
    await deps.looks.put(token.host, result.seen, deps.now());
    await forget(deps, token.host);
    return token.drop();
  }
  await storeRecord(deps, ended);
  await token.next(nextAt);
}

/** What the store has of a host after a visit. */
function leftBy({ presence, outcome: { record, nextAt } }: Judged): Left {
  const kept = keptPresence(presence);
  if (kept && isOnlyFound(presence, record)) return { presence: kept };
  return nextAt === undefined ? {} : { record, presence: kept };
}

/** Whether another visit of this host was stored since this one began: possible only once its lease was lost. */
const isOvertaken = async ({ sites }: CrawlerDeps, { token, visit, previous }: Judged): Promise<boolean> =>
  !visit.holds() && (await sites.get(hostKey(token.host)))?.revision !== previous?.revision;

/** Stores the record over the one that was read. */
async function storeRecord(deps: CrawlerDeps, { token, previous, result, outcome }: Judged): Promise<void> {
  const key = hostKey(token.host);
  const { record } = outcome;
  if (await deps.sites.compareAndSet(key, record, previous?.revision ?? 0)) return;
  // A conflict is this very write, whose answer got lost, or another worker's visit: both stand. Only a host that was
  // taken for a new one may have an older record.
  if (previous) return;
  const older = await deps.sites.get(key);
  if (!older || older.value.last_visit_at >= record.last_visit_at) return;
  await deps.sites.compareAndSet(key, judge(deps, token, result.seen, older.value).record, older.revision);
}

function count({ stats, recent }: CrawlerContext, { reason, failures }: SiteRecord): void {
  stats.visits++;
  const outcome = failures > 0 ? "failed" : reason === "verified" ? "verified" : "partial";
  stats[outcome]++;
  recent.add(outcome === "failed");
  visits.inc({ outcome });
}

/** A visit that threw is a bug of ours, or a record that cannot be read: tried again a few times, then an operator's. */
async function failed(context: CrawlerContext, token: Token, error: unknown): Promise<void> {
  const { host, deliveries } = token;
  context.log.error({ err: error, host, deliveries }, "visit failed");
  if (deliveries < MAX_DELIVERIES) return token.giveBack(RETRY_FIRST_MS * 2 ** (deliveries - 1));
  const detail = error instanceof Error ? (error.stack ?? error.message) : String(error);
  // Not buried now, it is at the next delivery.
  await retryFaults(context, () => bury(context, token, detail)).catch(() => token.giveBack());
}

/**
 * Repeats an action until the broker takes it: one that is away, full or restarting loses no visit, and what it keeps
 * us from is no failure of the site. Throws what is not the broker's fault, and anything once the signal aborts.
 */
async function retryFaults<T>(
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
