/** Projects a site record onto its listing. Pure; the only place that computes a listing's ring, scores and addresses. */

import type { Access } from "../../../schemas/license.ts";
import type { Listing, SiteRecord } from "../../../schemas/site.ts";
import { DAY_MS } from "../../ports/time.ts";
import { type Neutrality, type NeutralityEvidence, neutralityFrom } from "../trust/neutrality.ts";
import { MAX_SHOWN } from "../trust/page-evidence.ts";
import { harmOfReports, openFindingsOf } from "../trust/reported.ts";
import { type TrustScore, trustScore } from "../trust/ring.ts";
import { conductOf, crawlFindings, reportFinding } from "./conduct.ts";

/** The parts that page scans measure. */
const SCANNED = ["dark", "affiliate", "trackers", "ownership", "honesty"] as const;

/** A commission of this many percent or more scores worst. */
const HIGH_COMMISSION = 30;

/** A scanned part below this value counts as an open finding. */
const SOUND_PART = 0.5;

/** The listing of a record. */
export const listingOf = (record: SiteRecord): Listing => projectionOf(record).listing;

/**
 * A record as others see it: its listing, and the neutrality score with all that it follows from. Scores are of the time
 * of the last visit, so that they are the same whenever and by whomever they are asked for.
 */
export function projectionOf(record: SiteRecord): { listing: Listing; neutrality: Neutrality } {
  const now = Date.parse(record.last_visit_at);
  const ring = ringOf(record);
  const neutrality = neutralityOf(record, now);
  const trust = trustOf(record, now);
  const origin = record.discovery_url ? new URL(record.discovery_url).origin : `https://${record.siteId}`;
  const findings = [...(record.reported ?? []).map(reportFinding), ...crawlFindings(record)];
  const listing: Listing = {
    siteId: record.siteId,
    domain: record.siteId,
    name: record.name || record.siteId,
    description: record.description,
    category: record.category,
    tags: record.intent_tags,
    location: record.location,
    trust_ring: ring,
    trust_score: trust.score,
    trust_reasons: trust.parts,
    status: record.status,
    reason: verdictShown(record).reason,
    dnssec: record.dnssec,
    verified_at: record.verified_at,
    last_ok: record.last_ok_at,
    neutrality_score: neutrality.score,
    fairness_boost: neutrality.boost,
    conduct: conductOf(record, findings, neutrality.score),
    neutrality_reasons: reasonsOf(neutrality),
    is_independent: record.is_independent,
    access: accessOf(record),
    ...(record.protocols && { protocols: record.protocols }),
    discovery_url: record.discovery_url ?? `${origin}/.well-known/bridge.json`,
    beacon_url: `${origin}/.bridge`,
  };
  return { listing, neutrality };
}

/** Ring 4 is ring 3 with a registration by a key in DNS; all others are the record's own. */
export const ringOf = ({ ring, registration }: Pick<SiteRecord, "ring" | "registration">): number =>
  ring === 3 && registration ? 4 : ring;

/**
 * How even-handed a site is, and why: the same for every interface. Every visit writes the record and so projects it
 * again, and a site that is not visited leaves the directory before its evidence is old.
 * @param now milliseconds
 */
export const neutralityOf = (record: SiteRecord, now: number): Neutrality =>
  neutralityFrom(neutralityEvidence(record, now));

/** The evidence for the neutrality score, at its age: what pages show, and what confirmed reports take from it. */
function neutralityEvidence(record: SiteRecord, now: number): NeutralityEvidence {
  const { evidence } = record;
  const judged: NeutralityEvidence = {
    pages: evidence?.pages ?? 0,
    ageDays: evidence ? daysSince(evidence.measured_at, now) : 0,
    domainVerified: record.ring >= 3,
  };
  const declared = declaredOf(record);
  if (declared !== undefined) judged.declared = declared;
  if (evidence?.shown) judged.shown = evidence.shown;
  for (const part of SCANNED) {
    const measured = evidence?.[part];
    if (measured !== undefined) judged[part] = measured;
  }
  for (const { part, most, shown } of harmOfReports(record.reported ?? [], now)) {
    judged[part] = Math.min(judged[part] ?? 1, most);
    judged.shown = {
      ...judged.shown,
      [part]: [...shown, ...(judged.shown?.[part] ?? [])].slice(0, MAX_SHOWN),
    };
  }
  if (evidence?.contradictions) {
    const { confirmed, last_at: lastAt } = evidence.contradictions;
    judged.contradictions = { confirmed, daysSinceLast: daysSince(lastAt, now) };
  }
  return judged;
}

const daysSince = (time: string, now: number): number => Math.max(0, (now - Date.parse(time)) / DAY_MS);

/** The score of a site's declarations: its independence and its commission; undefined if it declares neither. */
function declaredOf({ is_independent, commission_rate }: SiteRecord): number | undefined {
  const said = [
    ...(is_independent === null ? [] : [is_independent ? 1 : 0]),
    ...(commission_rate === null ? [] : [1 - Math.min(1, commission_rate / HIGH_COMMISSION)]),
  ];
  return said.length === 0 ? undefined : said.reduce((sum, value) => sum + value, 0) / said.length;
}

/** The trust score of a record and the points that add up to it (docs/trust-score.md). @param now milliseconds */
export const trustOf = (record: SiteRecord, now: number, ring: number = ringOf(record)): TrustScore =>
  trustScore(
    {
      ring: ring as 0 | 1 | 2 | 3 | 4,
      dnssec: record.dnssec,
      verifiedSince: record.verified_since ? Date.parse(record.verified_since) : null,
      visits: record.visits,
      visitsOk: record.visits_ok,
      findings: findingsOf(record, now),
    },
    now,
  );

/** Number of open findings: parts with a bad value, declarations found false, and attacks that reports confirmed. */
function findingsOf(record: SiteRecord, now: number): number {
  const judged = neutralityEvidence(record, now);
  const bad = SCANNED.filter((part) => (judged[part] ?? 1) < SOUND_PART);
  return bad.length + (judged.contradictions?.confirmed ?? 0) + openFindingsOf(record.reported ?? []);
}

/**
 * Why a site has its status, the same for every interface: a quarantine in force takes precedence over what visits
 * found.
 */
export const verdictShown = ({
  quarantine,
  reason,
  detail,
}: SiteRecord): Pick<SiteRecord, "reason" | "detail"> =>
  quarantine?.in_force ? { reason: "quarantined", detail: quarantine.detail } : { reason, detail };

/** What moves the score, as a listing says it. */
const reasonsOf = ({ parts, cap }: Neutrality): NonNullable<Listing["neutrality_reasons"]> =>
  [
    ...parts.map(({ name, points, max_points, evidence: [first], fix }) => ({
      reason: name,
      points: rounded(points),
      max_points,
      ...(first && { page: first.page }),
      ...(first?.excerpt && { excerpt: first.excerpt }),
      ...(fix !== null && { fix }),
    })),
    ...(cap ? [{ reason: cap.reason, points: rounded(cap.points), max_points: 0 }] : []),
  ].filter(({ points }) => points !== 0);

const rounded = (points: number): number => Math.round(points * 10) / 10;

/**
 * How agents get a license for a site, the same for every interface: as its owner configured it, where a visit verified the
 * site. Nobody else's word counts, so a site that is not listed says `none`.
 */
export const accessOf = ({
  ring,
  status,
  quarantine,
  access = "none",
}: Pick<SiteRecord, "ring" | "status" | "quarantine" | "access">): Access =>
  ring >= 3 && status === "enabled" && !quarantine?.in_force ? access : "none";
