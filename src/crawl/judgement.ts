/** What one visit means for a site: its next record and its next visit. Pure; the visit itself is in visit.ts. */
import type { SiteRecord, SiteStatus } from "../../schemas/site.ts";
import { DAY_MS, iso } from "../ports/time.ts";
import type { Observation } from "./observation.ts";
import { evidenceAfter, MALICIOUS_DETAIL } from "./pages/measured.ts";
import { checksAfter, withHistory } from "./past.ts";
import { afterHang, quarantinedUntil, released } from "./quarantine.ts";
import { delayUntilNext, nextInterval } from "./schedule.ts";
import { claims, newRecord } from "./site-record.ts";

/** Unreachable keeps a site's state until this many failures over at least this long. */
const FAILURES_TO_LOSE = 3;
const FAILING_TO_LOSE_MS = DAY_MS;
/** A host that never verified is forgotten after this many failures in a row (about six weeks). */
const FAILURES_TO_FORGET = 6;
/** One that strangers named and that never was anything: sooner, and at once where DNS says that there is nothing. */
const FAILURES_OF_A_HINT = 3;
/** After this long without being verified, a formerly enabled site is no longer called stale. */
const STALE_MS = 30 * DAY_MS;

export interface VisitOutcome {
  record: SiteRecord;
  /** Broker milliseconds of the next visit; undefined when the host is to be forgotten. */
  nextAt: number | undefined;
}

/** The status of a site that was what `previous` says, after what was seen. @param now milliseconds */
export function statusAfter(
  previous: SiteRecord,
  seen: Pick<Observation, "measured" | "ring" | "txtValid">,
  now: number,
): SiteStatus {
  const malicious = isMalicious(previous, seen);
  const earned = stateEarned(seen.ring, seen.txtValid, malicious);
  if (malicious || earned === "enabled") return earned;
  const wasEnabled = previous.status === "enabled" || previous.status === "stale";
  const recent = previous.verified_at !== null && now - Date.parse(previous.verified_at) < STALE_MS;
  return wasEnabled && recent ? "stale" : earned;
}

/** Whether a page attacks machines; while pages cannot be read, as they were when they last could. */
const isMalicious = (
  previous: Pick<SiteRecord, "reason"> | undefined,
  { measured, ring }: Pick<Observation, "measured" | "ring">,
): boolean => (measured ? measured.malicious : ring > 0 && previous?.reason === "malicious_page");

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
  seen: Observation,
  now: number,
  discoveredAt: number,
  isHint = false,
): VisitOutcome {
  const before = previous ?? newRecord(siteId, now, discoveredAt);
  const judged = judge(before, seen, now);
  const visited: SiteRecord = {
    ...judged,
    address: seen.address ?? before.address,
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

function judge(before: SiteRecord, seen: Observation, now: number): SiteRecord {
  if (seen.reason === "quarantined") return afterHang(before, seen, now);
  const record =
    seen.verdict === "failure" ? afterFailure(before, seen, now) : afterConclusion(before, seen, now);
  return released(record, seen.verdict);
}

function afterFailure(previous: SiteRecord, seen: Observation, now: number): SiteRecord {
  const failures = previous.failures + 1;
  const failingSince = previous.failing_since ? Date.parse(previous.failing_since) : now;
  const counted = { ...previous, failures, failing_since: iso(failingSince) };
  if (keepsState(previous, failures, failingSince, now)) return counted;
  const { reason, detail, dnssec } = seen;
  const status = statusAfter(previous, { ...seen, ring: 0 }, now);
  return { ...counted, ring: 0, status, reason, detail, dnssec, verified_since: null };
}

/** Whether a failure leaves what was known in place: a site is not taken away because a network hiccuped. */
const keepsState = (previous: SiteRecord, failures: number, failingSince: number, now: number): boolean =>
  previous.ring > 0 && (failures < FAILURES_TO_LOSE || now - failingSince < FAILING_TO_LOSE_MS);

function afterConclusion(previous: SiteRecord, seen: Observation, now: number): SiteRecord {
  const sound = seen.verdict === "sound";
  // What was not seen (a mismatch, pages that did not answer) did not change, and a page that is read for the first time
  // is no change of the site.
  const changed =
    (seen.measured?.changed ?? differs(seen.contentSha256, previous.content_sha256)) ||
    differs(seen.documentSha256, previous.document_sha256);
  const verified = seen.ring === 3;
  const unbroken = previous.status === "enabled" ? previous.verified_since : null;
  const malicious = isMalicious(previous, seen);
  return {
    ...previous,
    ...(seen.document && claims(seen.document)),
    ring: seen.ring,
    status: statusAfter(previous, seen, now),
    reason: malicious ? "malicious_page" : seen.reason,
    detail: malicious ? MALICIOUS_DETAIL : seen.detail,
    dnssec: seen.dnssec,
    failures: sound ? 0 : previous.failures + 1,
    failing_since: sound ? null : (previous.failing_since ?? iso(now)),
    // A mismatch says nothing of how often the site changes: its next visits follow its failures.
    interval_seconds: sound ? Math.round(nextInterval(previous, changed) / 1_000) : previous.interval_seconds,
    last_ok_at: sound ? iso(now) : previous.last_ok_at,
    visits_ok: previous.visits_ok + (sound ? 1 : 0),
    verified_at: verified ? iso(now) : previous.verified_at,
    verified_since: verified ? (unbroken ?? iso(now)) : null,
    serial: seen.serial ?? previous.serial,
    kid: seen.kid ?? previous.kid,
    expires_at: verified ? seen.expiresAt : previous.expires_at,
    discovery_url: seen.discoveryUrl ?? previous.discovery_url,
    document_etag: verified ? seen.etag : null,
    document_sha256: seen.documentSha256 ?? previous.document_sha256,
    content_sha256: seen.contentSha256 ?? previous.content_sha256,
    evidence: evidenceAfter(previous.evidence, seen.measured ?? undefined, now),
  };
}

const differs = (seen: string | null, before: string | null): boolean => (seen ?? before) !== before;
