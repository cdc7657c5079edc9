/** What one visit means for a site: its next record and its next visit. Pure; the visit itself is in visit.ts. */
import { MAX_CHECK_DETAIL, type SiteRecord, type SiteStatus, type StageCheck } from "../../schemas/site.ts";
import { verdictShown } from "../domain/listing/listing.ts";
import { DAY_MS, HOUR_MS, iso } from "../ports/time.ts";
import { delists, evidenceAfter, MALICIOUS_DETAIL } from "./pages/measured.ts";
import { afterHang, quarantinedUntil, released } from "./quarantine.ts";
import type { VisitFindings } from "./visit-findings.ts";

/** Unreachable keeps a site's state until this many failures over at least this long. */
const FAILURES_TO_LOSE = 3;
const FAILING_TO_LOSE_MS = DAY_MS;
/** A host that never verified is forgotten after this many failures in a row (about six weeks). */
const FAILURES_TO_FORGET = 6;
/** One that strangers named and that never was anything: sooner, and at once where DNS says that there is nothing. */
const FAILURES_OF_A_HINT = 3;
/** After this long without being verified, a formerly enabled site is no longer called stale. */
const STALE_MS = 30 * DAY_MS;
/** Changes of state that are kept. */
const MAX_HISTORY = 20;
/** First interval, and the bounds it moves between: halved on change, half as long again on none. */
const FIRST_INTERVAL_MS = 12 * HOUR_MS;
const MIN_INTERVAL_MS = HOUR_MS;
const MAX_INTERVAL_MS = 14 * DAY_MS;
/** A listed site is verified again within a day; two hours are left for a queue and a failure. */
const LISTED_INTERVAL_MS = 22 * HOUR_MS;

export interface VisitOutcome {
  record: SiteRecord;
  /** Broker milliseconds of the next visit; undefined when the host is to be forgotten. */
  nextAt: number | undefined;
}

/** The status of a site that was what `previous` says, after what was seen. @param now milliseconds */
export function statusAfter(
  previous: SiteRecord,
  seen: Pick<VisitFindings, "measured" | "ring" | "txtValid">,
  now: number,
): SiteStatus {
  const malicious = isMalicious(previous, seen, now);
  const earned = stateEarned(seen.ring, seen.txtValid, malicious);
  if (malicious || earned === "enabled") return earned;
  const wasEnabled = previous.status === "enabled" || previous.status === "stale";
  const recent = previous.verified_at !== null && now - Date.parse(previous.verified_at) < STALE_MS;
  return wasEnabled && recent ? "stale" : earned;
}

/** Whether a page that attacks machines keeps the site off the directory; while none can be read, as when they last could. */
const isMalicious = (
  previous: SiteRecord,
  { measured, ring }: Pick<VisitFindings, "measured" | "ring">,
  now: number,
): boolean =>
  measured
    ? measured.malicious && delists(previous, measured.attackRead, now)
    : ring > 0 && previous.reason === "malicious_page";

/** The state that what was seen earns by itself, whatever the site was before. */
function stateEarned(ring: number, txtValid: boolean, malicious: boolean): Exclude<SiteStatus, "stale"> {
  if (malicious) return "partial";
  if (ring >= 3) return "enabled";
  return ring > 0 || txtValid ? "partial" : "disabled";
}

/**
 * The site's record after a visit, and when to come back.
 * @param previous undefined on a first visit
 * @param now broker milliseconds
 * @param discoveredAt when the host was first named, milliseconds
 * @param isHint strangers named it: it is forgotten soon when there is nothing, so that inventing names fills nothing
 */
export function afterVisit(
  previous: SiteRecord | undefined,
  siteId: string,
  seen: VisitFindings,
  now: number,
  discoveredAt: number,
  isHint = false,
): VisitOutcome {
  const before = previous ?? newRecord(siteId, now, discoveredAt);
  const judged = judge(before, seen, now);
  const visited: SiteRecord = {
    ...judged,
    address: seen.facts.address ?? before.address,
    visits: before.visits + 1,
    last_visit_at: iso(now),
    checks: checksAfter(before, seen, now),
  };
  const record = withHistory(before, visited, now);
  const never = record.verified_at === null && record.last_ok_at === null;
  const nothing =
    isHint && never && !seen.txtValid && (seen.reason === "no_txt" || record.failures >= FAILURES_OF_A_HINT);
  const until = quarantinedUntil(record, now);
  // A host that is forgotten could be named again at once.
  const forget =
    until === undefined &&
    ((record.failures >= FAILURES_TO_FORGET && record.verified_at === null) || nothing);
  const nextAt = forget ? undefined : (until ?? now + delayUntilNext(record, now));
  return { record: { ...record, next_visit_at: iso(nextAt ?? now) }, nextAt };
}

function judge(before: SiteRecord, seen: VisitFindings, now: number): SiteRecord {
  if (seen.reason === "quarantined") return afterHang(before, seen, now);
  const record =
    seen.conclusion === "failure" ? afterFailure(before, seen, now) : afterConclusion(before, seen, now);
  return released(record, seen.conclusion);
}

function afterFailure(previous: SiteRecord, seen: VisitFindings, now: number): SiteRecord {
  const failures = previous.failures + 1;
  const failingSince = previous.failing_since ? Date.parse(previous.failing_since) : now;
  const counted = { ...previous, failures, failing_since: iso(failingSince) };
  if (keepsState(previous, failures, failingSince, now)) return counted;
  const { reason, detail, facts } = seen;
  const status = statusAfter(previous, { ...seen, ring: 0 }, now);
  return { ...counted, ...facts, ring: 0, status, reason, detail, verified_since: null };
}

/** Whether a failure leaves what was known in place: a site is not taken away because a network hiccuped. */
const keepsState = (previous: SiteRecord, failures: number, failingSince: number, now: number): boolean =>
  previous.ring > 0 && (failures < FAILURES_TO_LOSE || now - failingSince < FAILING_TO_LOSE_MS);

function afterConclusion(previous: SiteRecord, seen: VisitFindings, now: number): SiteRecord {
  const sound = seen.conclusion === "sound";
  // What was not seen (a mismatch, pages that did not answer) did not change, and a page that is read for the first time
  // is no change of the site.
  const changed =
    (seen.measured?.changed ?? differs(seen.facts.content_sha256, previous.content_sha256)) ||
    differs(seen.facts.document_sha256, previous.document_sha256);
  const verified = seen.ring === 3;
  const unbroken = previous.status === "enabled" ? previous.verified_since : null;
  const malicious = isMalicious(previous, seen, now);
  return {
    ...previous,
    // Only a document that this visit verified is asked for by its ETag.
    document_etag: null,
    ...seen.facts,
    ring: seen.ring,
    status: statusAfter(previous, seen, now),
    reason: malicious ? "malicious_page" : seen.reason,
    detail: malicious ? MALICIOUS_DETAIL : seen.detail,
    failures: sound ? 0 : previous.failures + 1,
    failing_since: sound ? null : (previous.failing_since ?? iso(now)),
    // A mismatch says nothing of how often the site changes: its next visits follow its failures.
    interval_seconds: sound ? Math.round(nextInterval(previous, changed) / 1_000) : previous.interval_seconds,
    last_ok_at: sound ? iso(now) : previous.last_ok_at,
    visits_ok: previous.visits_ok + (sound ? 1 : 0),
    verified_at: verified ? iso(now) : previous.verified_at,
    verified_since: verified ? (unbroken ?? iso(now)) : null,
    evidence: evidenceAfter(previous.evidence, seen.measured, now),
  };
}

const differs = (seen: string | null | undefined, before: string | null): boolean =>
  (seen ?? before) !== before;

/**
 * The checks after a visit or a probe. Of stages that it did not run (a provider's probe reads no pages), what an earlier
 * visit saw stays, unless the site did not even get that far; one that was not made at all changes nothing.
 */
export function checksAfter(
  previous: Pick<SiteRecord, "checks">,
  { checks, conclusion }: Pick<VisitFindings, "checks" | "conclusion">,
  now: number,
): StageCheck[] {
  if (checks.length === 0) return previous.checks;
  const at = iso(now);
  const observed = checks.map(({ name, outcome, reason, detail }) => ({
    name,
    outcome,
    reason,
    detail: detail.slice(0, MAX_CHECK_DETAIL).toWellFormed(),
    observed_at: at,
  }));
  const names = new Set(checks.map(({ name }) => name));
  const kept = conclusion === "sound" ? previous.checks.filter(({ name }) => !names.has(name)) : [];
  return [...observed, ...kept];
}

/** The record with the change of its state, if there is one. @param now milliseconds */
function withHistory(previous: SiteRecord, record: SiteRecord, now: number): SiteRecord {
  const { reason } = verdictShown(record);
  const state = record.status;
  if (previous.status === state && verdictShown(previous).reason === reason) return record;
  const history = [...previous.history, { at: iso(now), state, reason }].slice(-MAX_HISTORY);
  return { ...record, history };
}

/** The interval after a visit that found the site well, milliseconds. */
function nextInterval(previous: SiteRecord, changed: boolean): number {
  const interval = previous.interval_seconds * 1_000;
  // The first sight of a site is no change of it.
  if (previous.last_ok_at === null) return FIRST_INTERVAL_MS;
  return Math.min(MAX_INTERVAL_MS, Math.max(MIN_INTERVAL_MS, interval * (changed ? 0.5 : 1.5)));
}

/** How long until the next visit, in milliseconds. */
function delayUntilNext(record: SiteRecord, now: number): number {
  if (record.failures > 0) {
    // A site that is known, or was until lately, is not left alone for weeks because it was away for two days.
    const wanted = record.ring > 0 || record.status === "stale";
    const first = wanted ? HOUR_MS : DAY_MS;
    return Math.min(wanted ? DAY_MS : MAX_INTERVAL_MS, first * 2 ** (record.failures - 1));
  }
  const interval = record.interval_seconds * 1_000;
  if (record.status !== "enabled") return interval;
  // Whether a page attacks machines, a second visit says soon.
  if (record.evidence?.shown?.malicious) return Math.min(interval, HOUR_MS);
  const untilExpiry = record.expires_at ? Date.parse(record.expires_at) - now : Infinity;
  const margin = Math.min(HOUR_MS, untilExpiry / 2);
  return Math.max(60_000, Math.min(interval, LISTED_INTERVAL_MS, untilExpiry - margin));
}

/** The record of a host that was never visited. @param discoveredAt, now milliseconds */
export const newRecord = (siteId: string, now: number, discoveredAt: number): SiteRecord => ({
  v: 1,
  siteId,
  ring: 0,
  status: "disabled",
  reason: "not_visited",
  detail: "",
  dnssec: "unknown",
  first_seen_at: iso(Math.min(discoveredAt, now)),
  last_visit_at: iso(now),
  last_ok_at: null,
  verified_at: null,
  verified_since: null,
  expires_at: null,
  next_visit_at: iso(now),
  visits: 0,
  visits_ok: 0,
  failures: 0,
  failing_since: null,
  interval_seconds: FIRST_INTERVAL_MS / 1_000,
  serial: null,
  kid: null,
  address: null,
  document_etag: null,
  document_sha256: null,
  content_sha256: null,
  name: "",
  description: "",
  category: "",
  intent_tags: [],
  location: null,
  is_independent: null,
  commission_rate: null,
  discovery_url: null,
  checks: [],
  history: [],
});
