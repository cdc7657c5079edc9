/** Site record → what the registry shows of it. Pure; the one place where ring, scores and addresses of a listing are made. */
import type { Listing, SiteRecord } from "../../schemas/site.ts";
import { fairnessBoost, neutralityScore } from "./neutrality.ts";
import { type TrustScore, trustScore } from "./ring.ts";

const DAY_MS = 86_400_000;

/** Neutrality as far as this registry measures it today: what is not measured counts as unknown (0.5). */
export const neutralityOf = (record: SiteRecord, now: number): number =>
  neutralityScore({
    pages: 0,
    ageDays: record.last_ok_at ? Math.max(0, (now - Date.parse(record.last_ok_at)) / DAY_MS) : 0,
    domainVerified: record.ring >= 3,
  });

/** Ring 4 is ring 3 with a registration by a key that stands in DNS; all others are the record's own. */
export const ringOf = ({ ring, registration }: Pick<SiteRecord, "ring" | "registration">): number =>
  ring === 3 && registration ? 4 : ring;

const SCANNED = ["dark", "affiliate", "trackers", "ownership", "honesty"] as const;
/** Below this a scanned part counts as an open finding. */
const SOUND_PART = 0.5;

/** Open findings: parts of the page scan that came out badly, and declarations that were found false. None where nothing was scanned. */
const findingsOf = (record: SiteRecord): number => {
  const evidence = record.evidence as
    | (Partial<Record<(typeof SCANNED)[number], unknown>> & { contradictions?: { confirmed?: unknown } })
    | null
    | undefined;
  if (typeof evidence !== "object" || evidence === null) return 0;
  const bad = SCANNED.filter((part) => {
    const measured = evidence[part];
    return typeof measured === "number" && measured < SOUND_PART;
  });
  const confirmed = evidence.contradictions?.confirmed;
  return bad.length + (typeof confirmed === "number" ? confirmed : 0);
};

/** The trust score of a record and the points it is the sum of (docs/trust-score.md). @param now milliseconds */
export const trustOf = (record: SiteRecord, now: number, ring: number = ringOf(record)): TrustScore =>
  trustScore(
    {
      ring: ring as 0 | 1 | 2 | 3 | 4,
      dnssec: record.dnssec,
      verifiedSince: record.verified_since ? Date.parse(record.verified_since) : null,
      visits: record.visits,
      visitsOk: record.visits_ok,
      findings: findingsOf(record),
    },
    now,
  );

/** @param now milliseconds */
export const listingOf = (record: SiteRecord, now: number): Listing => {
  const ring = ringOf(record);
  const neutrality = neutralityOf(record, now);
  const trust = trustOf(record, now);
  const origin = record.discovery_url ? new URL(record.discovery_url).origin : `https://${record.siteId}`;
  return {
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
    reason: record.reason,
    dnssec: record.dnssec,
    verified_at: record.verified_at,
    last_ok: record.last_ok_at,
    neutrality_score: neutrality,
    fairness_boost: fairnessBoost(neutrality),
    is_independent: record.is_independent,
    discovery_url: record.discovery_url ?? `${origin}/.well-known/bridge.json`,
    beacon_url: `${origin}/.bridge`,
  };
};
