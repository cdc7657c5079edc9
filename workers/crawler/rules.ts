/** What one visit means for a site: its next record and its next visit. Pure; the visit itself is in visit.ts. */

import type { Location } from "../../schemas/common.ts";
import type { DiscoveryDocument } from "../../schemas/discovery-document.ts";
import type { Dnssec, SiteRecord, SiteStatus, VisitReason } from "../../schemas/site.ts";
import { evidenceAfter, type Measured } from "../../src/crawl/pages/measured.ts";
import { DAY_MS, HOUR_MS, iso } from "../../src/domain/protocols/time.ts";

/** First interval, and the bounds it moves between: halved on change, half as long again on none. */
const FIRST_INTERVAL_MS = 12 * HOUR_MS;
const MIN_INTERVAL_MS = HOUR_MS;
const MAX_INTERVAL_MS = 14 * DAY_MS;
/** A listed site is verified again within a day; two hours are left for a queue and a failure. */
const LISTED_INTERVAL_MS = 22 * HOUR_MS;
/** Unreachable keeps a site's state until this many failures over at least this long. */
const FAILURES_TO_LOSE = 3;
const FAILING_TO_LOSE_MS = DAY_MS;
/** A host that never verified is forgotten after this many failures in a row (about six weeks). */
const FAILURES_TO_FORGET = 6;
/** One that strangers named and that never was anything: sooner, and at once where DNS says that there is nothing. */
const FAILURES_OF_A_HINT = 3;
/** After this long without being verified, a formerly enabled site is no longer called stale. */
const STALE_MS = 30 * DAY_MS;
/** A host that hung what read it is left alone for this long, doubled each time, up to a week. */
const FIRST_QUARANTINE_MS = HOUR_MS;
const MAX_QUARANTINE_MS = 7 * DAY_MS;
/** Processes that hung while a host was one of several under way: so many, and it is held to be the one. */
const ENDINGS_TO_QUARANTINE = 2;
/** As IntentTag allows. */
const MAX_TAG_CHARS = 32;

/** What a visit saw. `failure`: no conclusion (network, parse); `mismatch`: what was claimed is not so; `sound`: ring 1 to 3. */
export type Verdict = "sound" | "mismatch" | "failure";

export interface Observation {
  verdict: Verdict;
  ring: 0 | 1 | 2 | 3;
  reason: VisitReason;
  detail: string;
  dnssec: Dnssec;
  /** Whether DNS holds a usable TXT record, even where the document is missing or wrong. */
  txtValid: boolean;
  address: string | null;
  document: DiscoveryDocument | null;
  serial: number | null;
  kid: string | null;
  expiresAt: string | null;
  discoveryUrl: string | null;
  etag: string | null;
  documentSha256: string | null;
  contentSha256: string | null;
  /** What the pages show of how the site deals with visitors; null when none, or not all of them, could be read. */
  measured: Measured | null;
}

/** Of a visit that read no document. */
export const NOTHING_SEEN = {
  document: null,
  serial: null,
  kid: null,
  expiresAt: null,
  discoveryUrl: null,
  etag: null,
  documentSha256: null,
  contentSha256: null,
  measured: null,
} as const;

/** Why each reason counts as it does: a removal or a contradiction is a fact, the rest may be the network's. */
const MISMATCHES: ReadonlySet<VisitReason> = new Set([
  "no_txt",
  "txt_invalid",
  "txt_ambiguous",
  "key_revoked",
  "signature_invalid",
  "manifest_invalid",
  "manifest_expired",
  "manifest_not_yet_valid",
  "serial_lowered",
  "domain_mismatch",
  "document_mismatch",
]);
export const verdictOf = (reason: VisitReason): Verdict => (MISMATCHES.has(reason) ? "mismatch" : "failure");

const newRecord = (siteId: string, now: number, heardAt: number): SiteRecord => ({
  v: 1,
  siteId,
  ring: 0,
  status: "disabled",
  reason: "not_visited",
  detail: "",
  dnssec: "unknown",
  first_seen_at: iso(Math.min(heardAt, now)),
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
});

/** What the owner wrote, as the index and the listing need it. Tags, names and texts are the site's claims. */
const claims = (document: DiscoveryDocument) => ({
  name: document.provider.name,
  description: document.provider.description,
  category: document.provider.category.trim().toLowerCase(),
  // Lower case may be longer than what was written ("İ" becomes two units): cut, so that it stays a tag.
  intent_tags: [
    ...new Set(
      (document.intent_tags ?? []).map((tag) =>
        tag.trim().toLowerCase().slice(0, MAX_TAG_CHARS).toWellFormed(),
      ),
    ),
  ].filter(Boolean),
  location: (document.location ?? null) as Location | null,
  is_independent: document.fairness.is_independent,
  commission_rate: document.fairness.commission_rate,
});

/** Whether a page attacks machines; while pages cannot be read, as they were when they last could. */
const isMalicious = (previous: SiteRecord, { measured, ring }: Observation): boolean =>
  measured ? measured.malicious : ring > 0 && previous.reason === "malicious_page";

const statusAfter = (previous: SiteRecord, seen: Observation, now: number): SiteStatus => {
  if (isMalicious(previous, seen)) return "partial";
  if (seen.ring === 3) return "enabled";
  const wasEnabled = previous.status === "enabled" || previous.status === "stale";
  const recent = previous.verified_at !== null && now - Date.parse(previous.verified_at) < STALE_MS;
  if (wasEnabled && recent) return "stale";
  return seen.ring > 0 || seen.txtValid ? "partial" : "disabled";
};

/** Whether a failure leaves what was known in place: a site is not taken away because a network hiccuped. */
const keepsState = (previous: SiteRecord, failures: number, failingSince: number, now: number): boolean =>
  previous.ring > 0 && (failures < FAILURES_TO_LOSE || now - failingSince < FAILING_TO_LOSE_MS);

const nextInterval = (previous: SiteRecord, changed: boolean): number => {
  const interval = previous.interval_seconds * 1_000;
  // The first sight of a site is no change of it.
  if (previous.last_ok_at === null) return FIRST_INTERVAL_MS;
  return Math.min(MAX_INTERVAL_MS, Math.max(MIN_INTERVAL_MS, interval * (changed ? 0.5 : 1.5)));
};

/** How long until the next visit, in milliseconds. */
const delayUntilNext = (record: SiteRecord, now: number): number => {
  if (record.failures > 0) {
    // A site that is known, or was until lately, is not left alone for weeks because it was away for two days.
    const wanted = record.ring > 0 || record.status === "stale";
    const first = wanted ? HOUR_MS : DAY_MS;
    return Math.min(wanted ? DAY_MS : MAX_INTERVAL_MS, first * 2 ** (record.failures - 1));
  }
  const interval = record.interval_seconds * 1_000;
  if (record.status !== "enabled") return interval;
  const untilExpiry = record.expires_at ? Date.parse(record.expires_at) - now : Infinity;
  const margin = Math.min(HOUR_MS, untilExpiry / 2);
  return Math.max(60_000, Math.min(interval, LISTED_INTERVAL_MS, untilExpiry - margin));
};

const afterFailure = (previous: SiteRecord, seen: Observation, now: number): SiteRecord => {
  const failures = previous.failures + 1;
  const failingSince = previous.failing_since ? Date.parse(previous.failing_since) : now;
  const counted = { ...previous, failures, failing_since: iso(failingSince) };
  if (keepsState(previous, failures, failingSince, now)) return counted;
  const { reason, detail, dnssec } = seen;
  const status = statusAfter(previous, { ...seen, ring: 0 }, now);
  return { ...counted, ring: 0, status, reason, detail, dnssec, verified_since: null };
};

const afterConclusion = (previous: SiteRecord, seen: Observation, now: number): SiteRecord => {
  const sound = seen.verdict === "sound";
  // What was not seen (a mismatch, pages that did not answer) did not change.
  const changed =
    (seen.contentSha256 ?? previous.content_sha256) !== previous.content_sha256 ||
    (seen.documentSha256 ?? previous.document_sha256) !== previous.document_sha256;
  const verified = seen.ring === 3;
  const unbroken = previous.status === "enabled" ? previous.verified_since : null;
  const malicious = isMalicious(previous, seen);
  return {
    ...previous,
    ...(seen.document && claims(seen.document)),
    ring: seen.ring,
    status: statusAfter(previous, seen, now),
    reason: malicious ? "malicious_page" : seen.reason,
    detail: malicious ? "A page hides instructions to machines from its readers." : seen.detail,
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
};

const quarantineMs = (strikes: number): number =>
  Math.min(MAX_QUARANTINE_MS, FIRST_QUARANTINE_MS * 2 ** Math.min(strikes - 1, 20));

/** A site that hung what read it is not known to be sound: it loses its ring, whatever it was. */
const afterHang = (previous: SiteRecord, seen: Pick<Observation, "detail" | "txtValid">, now: number) => {
  const strikes = (previous.quarantine?.strikes ?? 0) + 1;
  const until = now + quarantineMs(strikes);
  const wasEnabled = previous.status === "enabled" || previous.status === "stale";
  const status: SiteStatus = wasEnabled ? "stale" : seen.txtValid ? "partial" : previous.status;
  const detail = `${seen.detail} Not visited before ${iso(until)}.`.slice(0, 500);
  return {
    ...previous,
    ring: 0,
    status,
    reason: previous.reason === "verified" ? ("unreachable" as const) : previous.reason,
    failures: previous.failures + 1,
    failing_since: previous.failing_since ?? iso(now),
    verified_since: null,
    suspected: undefined,
    quarantine: {
      ...previous.quarantine,
      strikes,
      last_at: iso(now),
      until: iso(until),
      detail,
      in_force: true,
    },
  } satisfies SiteRecord;
};

/** A visit ended and hung nothing. One that found the site well ends the count, too. */
const released = (record: SiteRecord, verdict: Verdict): SiteRecord => {
  const { quarantine, suspected, ...rest } = record;
  if (!quarantine || verdict === "sound") return rest;
  return { ...rest, quarantine: { ...quarantine, in_force: false } };
};

/** When the host may be visited again, in milliseconds; undefined when it is not in quarantine. */
export const quarantinedUntil = (record: SiteRecord | undefined, now: number): number | undefined => {
  if (!record?.quarantine?.in_force) return undefined;
  const until = Date.parse(record.quarantine.until);
  return until > now ? until : undefined;
};

/**
 * The record of a host whose visit was under way when a process hung.
 * @param isExact nobody else's visit can have been at fault
 * @param now broker milliseconds
 */
export const afterEnding = (
  previous: SiteRecord | undefined,
  siteId: string,
  isExact: boolean,
  now: number,
): SiteRecord => {
  const before = previous ?? newRecord(siteId, now, now);
  const endings = (before.suspected?.endings ?? 0) + 1;
  if (!isExact && endings < ENDINGS_TO_QUARANTINE)
    return { ...before, suspected: { ...before.suspected, endings, last_at: iso(now) } };
  const detail = isExact
    ? "What it sent hung the process that read it."
    : `It was being visited when a process hung, ${endings} times.`;
  const record = afterHang(before, { detail, txtValid: before.status === "partial" }, now);
  return { ...record, next_visit_at: record.quarantine.until };
};

/** What is known of a host in quarantine, for who would otherwise look at it. */
export const unseenInQuarantine = (record: SiteRecord): Observation => ({
  ...NOTHING_SEEN,
  verdict: "failure",
  ring: 0,
  reason: "quarantined",
  detail: record.quarantine?.detail ?? "",
  dnssec: record.dnssec,
  txtValid: record.status !== "disabled",
  address: record.address,
});

export interface Outcome {
  record: SiteRecord;
  /** Broker milliseconds of the next visit; undefined when the host is to be forgotten. */
  nextAt: number | undefined;
}

const judge = (before: SiteRecord, seen: Observation, now: number): SiteRecord => {
  if (seen.reason === "quarantined") return afterHang(before, seen, now);
  const record =
    seen.verdict === "failure" ? afterFailure(before, seen, now) : afterConclusion(before, seen, now);
  return released(record, seen.verdict);
};

/**
 * The site's record after a visit, and when to come back.
 * @param previous undefined on a first visit
 * @param now broker milliseconds
 * @param heardAt when the host was first heard of, milliseconds
 * @param isHint strangers named it: it is forgotten soon when there is nothing, so that inventing names fills nothing
 */
export const afterVisit = (
  previous: SiteRecord | undefined,
  siteId: string,
  seen: Observation,
  now: number,
  heardAt: number,
  isHint = false,
): Outcome => {
  const before = previous ?? newRecord(siteId, now, heardAt);
  const judged = judge(before, seen, now);
  const record: SiteRecord = {
    ...judged,
    address: seen.address ?? before.address,
    visits: before.visits + 1,
    last_visit_at: iso(now),
  };
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
};
