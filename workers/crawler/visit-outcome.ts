/** What a visit saw becomes the site's record, contents and next visit. */
import { MAX_REPORTED, type SiteRecord } from "../../schemas/site.ts";
import { afterVisit, type VisitOutcome } from "../../src/crawl/judgement.ts";
import type { VisitResult } from "../../src/crawl/visit.ts";
import { hostKey } from "../../src/domain/names/domain-name.ts";
import { keysOfDomain } from "../../src/egress/domain-keys.ts";
import type { Visit } from "../../src/egress/polite.ts";
import type { Token } from "../../src/ports/frontier.ts";
import { pagesKey } from "../../src/stores/contents.ts";
import type { StoredRecord } from "../../src/stores/records.ts";
import { confirmedReports } from "../../src/stores/reports.ts";
import { visits } from "../../src/telemetry/instruments.ts";
import { type CrawlerContext, type CrawlerDeps, retryFaults } from "./context.ts";

type Seen = VisitResult & { kind: "seen" };

/** One visit's end: what it saw, and what was stored before it began. */
interface EndedVisit {
  token: Token;
  visit: Visit;
  previous: StoredRecord<SiteRecord> | undefined;
  result: Seen;
}

type Judged = EndedVisit & { outcome: VisitOutcome };

/** Everything of a host goes: its record, contents and pages, and its token when the caller does not reschedule. */
export async function forget(
  { sites, contents, pages }: Pick<CrawlerDeps, "sites" | "contents" | "pages">,
  host: string,
): Promise<void> {
  await sites.remove(hostKey(host));
  await Promise.all([contents.remove(host), pages.remove(pagesKey(host))]);
}

/** Judges a visit, stores what follows, and ends its token. */
export async function settleVisit(context: CrawlerContext, ended: EndedVisit): Promise<void> {
  const judged = judge(context, ended.token, ended.result, ended.previous?.value);
  const record = await withReports(context, await withRegistration(context, judged.record));
  const access = record.ring < 3 ? "none" : await context.accessTo(record.siteId);
  const outcome = { ...judged, record: { ...record, access } };
  await retryFaults(context, () => store(context, { ...ended, outcome }));
  count(context, outcome.record);
}

const judge = (
  { now }: CrawlerDeps,
  token: Token,
  { seen }: Seen,
  previous: SiteRecord | undefined,
): VisitOutcome =>
  afterVisit(previous, token.host, seen, now(), token.data.discoveredAt, isHint(token));

/** Strangers named it. */
const isHint = ({ data: { source } }: Token): boolean => source === "report" || source === "beacon";

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

/** Stores what a visit saw. Idempotent: a visit that is done twice leaves what one leaves. */
async function store(deps: CrawlerDeps, ended: Judged): Promise<void> {
  const { token, previous, result, outcome } = ended;
  const { record, nextAt } = outcome;
  // Blocked while it was visited.
  if (deps.blocks.has(token.host)) {
    await forget(deps, token.host);
    return token.drop();
  }
  if (await isOvertaken(deps, ended)) return token.next(nextAt ?? deps.now());
  const changed =
    previous?.value.content_sha256 !== record.content_sha256 ||
    previous?.value.document_sha256 !== record.document_sha256;
  const seen = result.seen.measured?.pages;
  // These first: whoever reads the record finds contents and pages at least as new.
  await Promise.all([
    result.content && changed && deps.contents.put(token.host, result.content, record),
    seen && deps.pages.put(pagesKey(token.host), seen),
  ]);
  const hosts = result.discoveredHosts;
  if (hosts.length > 0) await deps.emitDiscovered({ source: token.host, hosts });
  if (nextAt === undefined) {
    // Who named it is told why nothing came of it.
    await deps.looks.put(token.host, result.seen, deps.now());
    await forget(deps, token.host);
    return token.drop();
  }
  await storeRecord(deps, ended);
  await token.next(nextAt);
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
  await deps.sites.compareAndSet(key, judge(deps, token, result, older.value).record, older.revision);
}

function count({ stats, recent }: CrawlerContext, { reason, failures }: SiteRecord): void {
  stats.visits++;
  const outcome = failures > 0 ? "failed" : reason === "verified" ? "verified" : "partial";
  stats[outcome]++;
  recent.add(outcome === "failed");
  visits.inc({ outcome });
}
