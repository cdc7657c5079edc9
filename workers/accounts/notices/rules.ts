/** What the owner of a site is told, each thing once. Pure. */
import type { QueueEntry } from "../../../schemas/access.ts";
import type { AccountSiteRecord } from "../../../schemas/account.ts";
import type { AppealState, StoredAppeal } from "../../../schemas/appeal.ts";
import type { SiteRecord } from "../../../schemas/site.ts";
import type { VerdictReason } from "../../../schemas/verdict.ts";
import { verdictSummary } from "../../../src/crawl/verdict.ts";
import { DAY_MS } from "../../../src/ports/time.ts";
import type { Block } from "../../../src/stores/block-list.ts";

export type Notice =
  /** `days`: at most so many are left. */
  | { kind: "signature_runs_out"; siteId: string; days: number; expiresAt: string }
  /** Verified until lately; the registry still says so, for a while. */
  | { kind: "stale"; siteId: string; reason: VerdictReason }
  /** `attack`: what stands where, of a site that left for a page that attacks machines. */
  | { kind: "delisted"; siteId: string; reason: VerdictReason; attack?: { page: string; excerpt: string } }
  | { kind: "key_changed"; siteId: string; before: string; now: string }
  /** Agents' requests for access that wait for the owner, and that he was not told of. */
  | { kind: "access_requested"; siteId: string; requests: number }
  /** An operator took it down. */
  | { kind: "blocked"; siteId: string; why: string }
  | { kind: "appeal_decided"; siteId: string; appeal: AppealState; why: string };

/** What was last told of a site, or did not need to be. */
export type LastNotice = NonNullable<AccountSiteRecord["told"]>;

/** Days before a signature ends, the fewest first. */
const WARNINGS = [1, 3, 10] as const;

const LOST: Readonly<Record<string, "stale" | "delisted">> = {
  stale: "stale",
  partial: "delisted",
  disabled: "delisted",
};

/** Of a site without a record, which blocked ones are, before its first look. */
const UNSEEN: LastNotice = { state: "unknown", kid: null, expires: null };

/**
 * What is new of a site since it was last looked at, and what to remember of it.
 * @param told undefined at the first look, which finds nothing new in the state
 * @param now milliseconds
 */
export function noticesOf(
  siteId: string,
  told: LastNotice | undefined,
  record: SiteRecord,
  now: number,
): { notices: Notice[]; told: LastNotice } {
  const { state, listed, reason } = verdictSummary({ record, isBlocked: false }, now);
  const { kid, expires_at: expiresAt } = record;
  const notices: Notice[] = [];
  const wasThere = told?.state === "enabled" || told?.state === "stale";
  const lost = told?.state === state ? undefined : LOST[state];
  if (wasThere && lost) notices.push({ kind: lost, siteId, reason, ...attackOf(record, reason) });
  if (told?.kid && kid && told.kid !== kid)
    notices.push({ kind: "key_changed", siteId, before: told.kid, now: kid });
  const days = listed && expiresAt ? warningDue(told, expiresAt, now) : undefined;
  if (days !== undefined) notices.push({ kind: "signature_runs_out", siteId, days, expiresAt: expiresAt! });
  const isKnown = told !== undefined && told.expires === expiresAt;
  const warned = days ?? (isKnown ? told.warned : undefined);
  const seen = isKnown ? told.expiresSeen : new Date(now).toISOString();
  return {
    notices,
    told: {
      state,
      kid: kid ?? told?.kid ?? null,
      expires: expiresAt,
      ...(seen !== undefined && expiresAt !== null && { expiresSeen: seen }),
      ...(warned !== undefined && { warned }),
      ...(told?.asked !== undefined && { asked: told.asked }),
      ...(told?.blocked !== undefined && { blocked: told.blocked }),
      ...(told?.appealed !== undefined && { appealed: told.appealed }),
    },
  };
}

function attackOf({ evidence }: SiteRecord, reason: VerdictReason) {
  const [attack] = (reason === "malicious_page" && evidence?.shown?.malicious) || [];
  return attack && { attack: { page: attack.page, excerpt: attack.excerpt } };
}

/**
 * The warning that is due. A signature that was never good for twice as many days is renewed by a program, which its owner need not hear
 * of each time.
 */
function warningDue(told: LastNotice | undefined, expiresAt: string, now: number): number | undefined {
  const leftMs = Date.parse(expiresAt) - now;
  const isKnown = told?.expires === expiresAt;
  const lifeMs = told
    ? Date.parse(expiresAt) - (isKnown ? Date.parse(told.expiresSeen ?? told.expires!) : now)
    : Number.POSITIVE_INFINITY;
  const days = WARNINGS.find((each) => leftMs <= each * DAY_MS);
  if (leftMs <= 0 || days === undefined || lifeMs < 2 * days * DAY_MS) return undefined;
  return isKnown && told.warned !== undefined && told.warned <= days ? undefined : days;
}

/**
 * Requests of agents that are new. Their ids are in the order of time (UUIDv7).
 * @param told after `noticesOf`
 * @param open what waits at the site's owner, of all of its sites
 */
export function requestsOf(
  siteId: string,
  told: LastNotice,
  open: readonly QueueEntry[],
  now: number,
): { notices: Notice[]; told: LastNotice } {
  const fresh = open
    .filter((entry) => entry.siteId === siteId && entry.state === "pending" && entry.expiresAt > now)
    .map(({ requestId }) => requestId)
    .filter((requestId) => told.asked === undefined || requestId > told.asked)
    .toSorted();
  if (fresh.length === 0) return { notices: [], told };
  return {
    notices: [{ kind: "access_requested", siteId, requests: fresh.length }],
    told: { ...told, asked: fresh.at(-1)! },
  };
}

/**
 * What operators did: that they took the site down, which only an owner who had it before is told, and how they decided on appeals.
 * @param told after `noticesOf`; undefined at the first look
 * @param block that bars the site now
 * @param appeals of this owner
 */
export function decisionsTold(
  siteId: string,
  told: LastNotice | undefined,
  block: Pick<Block, "at" | "why" | "by"> | undefined,
  appeals: readonly StoredAppeal[],
): { notices: Notice[]; told: LastNotice | undefined } {
  const isNew = block !== undefined && block.by !== "owner" && told?.blocked !== block.at;
  const answered = appeals
    .flatMap(({ state, answer }) => (answer ? [{ appeal: state, why: answer.why, at: answer.at }] : []))
    .filter(({ at }) => told?.appealed === undefined || at > told.appealed)
    .toSorted((a, b) => (a.at < b.at ? -1 : 1));
  const notices: Notice[] = [
    ...(isNew && told ? [{ kind: "blocked" as const, siteId, why: block.why }] : []),
    ...answered.map(({ appeal, why }) => ({ kind: "appeal_decided" as const, siteId, appeal, why })),
  ];
  if (!isNew && answered.length === 0) return { notices, told };
  const next = {
    ...(told ?? UNSEEN),
    ...(isNew && { blocked: block.at }),
    ...(answered.length > 0 && { appealed: answered.at(-1)!.at }),
  };
  return { notices, told: next };
}
