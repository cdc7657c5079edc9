/**
 * The verdict: what the registry says of one site. Computed here alone from the crawl's record; every interface shows
 * parts of it, so that no two of them can disagree. Pure.
 */
import type { AgentPresence } from "../../schemas/agent-web.ts";
import { type Conduct, MAX_CHECK_DETAIL, type SiteRecord, type VisitReason } from "../../schemas/site.ts";
import type { SiteVerdict, VerdictFinding, VerdictSummary } from "../../schemas/verdict.ts";
import { hasFaults, isFound, levelOf, shownService } from "../agent-web/presence.ts";
import { conductOf, crawlFindings, headlineOf } from "../domain/listing/conduct.ts";
import { neutralityOf, projectionOf, verdictShown } from "../domain/listing/listing.ts";
import { iso } from "../ports/time.ts";
import { fixesOf } from "./fixes.ts";
import { newRecord, statusAfter } from "./judgement.ts";
import { quarantinedUntil } from "./quarantine.ts";
import { stageOf, visitStages } from "./stages/table.ts";
import {
  type FeatureRecords,
  findingsOfFeatures,
  fixesOfFeatures,
  membersOfFeatures,
} from "./verdict-parts.ts";

/** A site may be asked for again this long after a visit. */
const RECHECK_PAUSE_MS = 300_000;

/** All that the verdict follows from. */
export interface VerdictFacts {
  /** Canonical. */
  host: string;
  /** The crawl's record; undefined for a host that was never visited. */
  record: SiteRecord | undefined;
  /** The record stands for the last look at a host that the crawl keeps no record of (look.ts). */
  isLook?: true;
  /** What it publishes for agents, in any format. */
  presence?: AgentPresence | undefined;
  /** On the block list. */
  isBlocked: boolean;
  /** What features keep of it; absent where the record alone is asked: a part then says what that knows. */
  kept?: FeatureRecords;
}

/** What time or a measure says of a stage, whatever the last look at it said. */
const WHATEVER_WAS_SEEN: ReadonlySet<VisitReason> = new Set([
  "manifest_expired",
  "malicious_page",
  "quarantined",
]);

/** Where a registry serves the verdict on a host. */
export const verdictUrl = (publicUrl: string, host: string): string =>
  `${publicUrl}/api/registry/sites/${encodeURIComponent(host)}`;

/** The verdict on a site. @param now broker milliseconds */
export function siteVerdict(known: VerdictFacts, now: number): SiteVerdict {
  const summary = verdictSummary(known, now);
  // What is blocked or was never visited has no measures of its own.
  const isKnown = summary.state !== "blocked" && summary.state !== "unknown";
  const record = recordAt((isKnown && known.record) || newRecord(known.host, now, now), now);
  const { listing, neutrality } = projectionOf(record);
  const { kept = {} } = known;
  const findings = findingsOf(record, kept);
  const checks = checksOf(record);
  const recheck = recheckableAt(known, now);
  return {
    domain: known.host,
    ...summary,
    detail: isKnown ? verdictShown(record).detail : "",
    trust: {
      ring: listing.trust_ring,
      score: listing.trust_score,
      reasons: listing.trust_reasons,
      dnssec: record.dnssec,
      registered: listing.trust_ring === 4,
    },
    neutrality: {
      ...neutrality,
      reasons: listing.neutrality_reasons ?? [],
    },
    conduct: conductKnown(record, findings),
    access: listing.access,
    checks,
    findings,
    fixes: fixesOf(
      summary,
      listing,
      neutrality,
      checks,
      fixesOfFeatures(record, kept),
      record.evidence?.shown?.malicious ?? [],
    ),
    ...presenceShown(known.isBlocked ? undefined : known.presence, summary.listed),
    declared: null,
    expires_at: record.expires_at,
    last_visit_at: isKnown ? record.last_visit_at : null,
    next_visit_at: isKnown && !known.isLook ? record.next_visit_at : null,
    can_recheck_at: recheck === undefined ? null : iso(recheck),
    history: record.history,
    ...membersOfFeatures(record, kept, now),
  };
}

/** What agents can do there, whoever describes it. */
const presenceShown = (presence: AgentPresence | undefined, listed: boolean) => ({
  level: levelOf(presence, listed),
  platform: presence?.platform ?? null,
  descriptors: presence?.descriptors ?? [],
  services: (presence?.services ?? []).map(shownService),
  presence_seen_at: presence?.seen_at ?? null,
});

/** State, listing, reason and headline of a site. */
export function verdictSummary(
  { record, presence, isBlocked, kept }: Omit<VerdictFacts, "host">,
  now: number,
): VerdictSummary {
  const unseen = (
    state: "blocked" | "unknown" | "found" | "disabled",
    reason: VerdictSummary["reason"],
  ): VerdictSummary => ({
    state,
    listed: false,
    reason,
    since: null,
    headline: headlineOf(state, undefined).text,
  });
  if (isBlocked) return unseen("blocked", "blocked");
  const asSeen = (...said: Parameters<typeof unseen>): VerdictSummary => ({
    ...unseen(...said),
    since: presence?.first_seen_at ?? null,
  });
  if (!hasState(record)) {
    if (isFound(presence)) return asSeen("found", "not_claimed");
    // A service that gave no answer says nothing of its host.
    return presence && hasFaults(presence) ? asSeen("disabled", "no_txt") : unseen("unknown", "not_visited");
  }
  const shown = recordAt(record, now);
  // A record of our own format that is wrong says more than that something else was found.
  if (shown.status === "disabled" && shown.reason === "no_txt" && isFound(presence))
    return asSeen("found", "not_claimed");
  return {
    state: shown.status,
    listed: shown.status === "enabled",
    reason: verdictShown(shown).reason,
    since: sinceOf(record, shown),
    headline: headlineOf(shown.status, conductKnown(shown, findingsOf(shown, kept))).text,
  };
}

const hasState = (record: SiteRecord | undefined): record is SiteRecord =>
  record !== undefined && (record.reason !== "not_visited" || record.quarantine?.in_force === true);

/** The record as it stands: a manifest that ran out since the last visit verifies nothing any more. */
export function recordAt(record: SiteRecord, now: number): SiteRecord {
  const { ring, expires_at } = record;
  if (ring < 3 || expires_at === null || Date.parse(expires_at) > now) return record;
  return {
    ...record,
    ring: 0,
    status: statusAfter(record, { ring: 0, txtValid: true }, now),
    reason: "manifest_expired",
    detail: `The manifest expired at ${expires_at}.`,
    verified_since: null,
  };
}

/** When the state last changed, as far as the record tells. */
function sinceOf(record: SiteRecord, shown: SiteRecord): string | null {
  if (shown !== record) return record.expires_at;
  return record.history.at(-1)?.at ?? (record.status === "enabled" ? record.verified_since : null);
}

/** What features know against the site, then what the crawl found on its pages. */
const findingsOf = (record: SiteRecord, kept: FeatureRecords = {}): VerdictFinding[] => [
  ...findingsOfFeatures(record, kept),
  ...crawlFindings(record),
];

/** How it treats its visitors, by its last visit and by what is known against it. */
const conductKnown = (record: SiteRecord, findings: readonly VerdictFinding[]): Conduct =>
  conductOf(record, findings, neutralityOf(record, Date.parse(record.last_visit_at)).score);

/**
 * One check for each stage, in the crawl's order. The stage that the reason speaks of fails even where the last visit
 * did not see it fail: a manifest ran out since, pages could not be read again, or the host is in quarantine. A stage that
 * passed since passes: the reason of a state that was kept may be older than its checks.
 */
export function checksOf(record: SiteRecord): SiteVerdict["checks"] {
  const { reason, detail } = verdictShown(record);
  const failing = stageOf(reason);
  const byName = new Map(record.checks.map((check) => [check.name, check]));
  const isSeen = record.checks.some((check) => check.outcome === "fail" && check.reason === reason);
  const isOver =
    failing !== undefined && byName.get(failing)?.outcome === "pass" && !WHATEVER_WAS_SEEN.has(reason);
  const overrides = failing !== undefined && !isOver && (!isSeen || reason === "quarantined");
  let past = false;
  return visitStages.list.map(({ name }) => {
    const check = { name, outcome: "skipped" as const, detail: "", observed_at: null };
    if (past) return { ...check, reason: "not_reached" };
    if (!overrides || name !== failing) return byName.get(name) ?? { ...check, reason: "not_read" };
    past = true;
    const shown = detail.slice(0, MAX_CHECK_DETAIL).toWellFormed();
    return { name, outcome: "fail" as const, reason, detail: shown, observed_at: record.last_visit_at };
  });
}

/** The earliest time of a visit that somebody asks for; undefined for a host that is not visited. */
export function recheckableAt(
  { record, isLook, isBlocked }: Omit<VerdictFacts, "host">,
  now: number,
): number | undefined {
  if (isBlocked || !record || isLook) return undefined;
  return Math.max(
    Date.parse(record.last_visit_at) + (record.visits > 0 ? RECHECK_PAUSE_MS : 0),
    quarantinedUntil(record, now) ?? 0,
  );
}
