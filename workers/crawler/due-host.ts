/** One due host: visited with its leases, and stored; or put off, or buried. */
import type { SiteRecord } from "../../schemas/site.ts";
import { every } from "../../src/concurrency/every.ts";
import type { VisitFindings } from "../../src/crawl/visit-findings.ts";
import { quarantinedUntil } from "../../src/crawl/quarantine.ts";
import { type VisitResult, visitHost } from "../../src/crawl/visit.ts";
import { hostKey } from "../../src/domain/names/domain-name.ts";
import type { Visit } from "../../src/egress/polite.ts";
import type { Token } from "../../src/ports/frontier.ts";
import { DAY_MS, iso } from "../../src/ports/time.ts";
import { pagesKey } from "../../src/stores/contents.ts";
import { visitSeconds, visits } from "../../src/telemetry/instruments.ts";
import { newTraceparent, withinScope } from "../../src/telemetry/scope.ts";
import { type TraceSpan, traced } from "../../src/telemetry/tracing.ts";
import { type CrawlerContext, retryFaults } from "./context.ts";
import { forget, settleVisit } from "./visit-outcome.ts";

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
async function dropForgotten(context: CrawlerContext, token: Token): Promise<void> {
  await forget(context, token.host);
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
  await settleVisit(context, { token, visit, previous, result });
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

/** A visit that threw is a bug of ours, or a record that cannot be read: tried again a few times, then an operator's. */
async function failed(context: CrawlerContext, token: Token, error: unknown): Promise<void> {
  const { host, deliveries } = token;
  context.log.error({ err: error, host, deliveries }, "visit failed");
  if (deliveries < MAX_DELIVERIES) return token.giveBack(RETRY_FIRST_MS * 2 ** (deliveries - 1));
  const detail = error instanceof Error ? (error.stack ?? error.message) : String(error);
  // Not buried now, it is at the next delivery.
  await retryFaults(context, () => bury(context, token, detail)).catch(() => token.giveBack());
}
