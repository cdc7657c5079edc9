/** Pure rules of keys. */
import {
  type AccountRecord,
  type Agent,
  type License,
  MAX_LICENSE_DAYS,
  type Project,
} from "../../schemas/account.ts";
import {
  type ApiKey,
  GATEWAY_PLANS,
  type GatewayPlan,
  PLAN_QUOTAS,
  UNUSED_DAYS,
} from "../../schemas/api-key.ts";
import type { GatewayKeyRecord, OwnedAgent, OwnedLicense, OwnedProject } from "../../schemas/key.ts";
import { DAY_MS, iso } from "../../src/ports/time.ts";
import { type Failure, refusedMember } from "../../src/rpc/errors.ts";
import type { Limit } from "../../src/rpc/limits.ts";

// ---------------------------------------------------------------- keys of accounts, as they are shown

/** @param now milliseconds */
export const shownLicense = (license: OwnedLicense, now: number): License => ({
  license_id: license.id,
  siteId: license.siteId,
  name: license.name,
  key_hint: license.keyHint,
  created_at: license.createdAt,
  expires_at: license.expiresAt,
  state: license.expiresAt !== null && Date.parse(license.expiresAt) <= now ? "expired" : "active",
  permissions: license.permissions ?? null,
  agent_id: license.agent?.agentId ?? null,
});

export const shownProject = ({ id, name, keyHint, createdAt }: OwnedProject): Project => ({
  project_id: id,
  name,
  key_hint: keyHint,
  created_at: createdAt,
});

export const shownAgent = (agent: OwnedAgent, account: AccountRecord): Agent => ({
  agent_id: agent.id,
  name: agent.name,
  key_hint: agent.keyHint,
  created_at: agent.createdAt,
  state: agent.generation === account.generation ? "active" : "ended",
});

/**
 * When a new license ends, or null for never.
 * @param now milliseconds
 */
export function endOfLicense(
  asked: { expires_in_days?: number | undefined; expires_at?: string | undefined },
  now: number,
): string | null | Failure<"invalid_time"> {
  const { expires_in_days: days, expires_at: at } = asked;
  const refuse = (message: string) => refusedMember("invalid_time", "expires_at", message);
  if (at === undefined) return days === undefined ? null : iso(now + days * DAY_MS);
  if (days !== undefined) return refuse("cannot be sent together with expires_in_days");
  const end = Date.parse(at);
  if (!(end > now)) return refuse("must be in the future");
  if (end > now + MAX_LICENSE_DAYS * DAY_MS)
    return refuse(`must be at most ${MAX_LICENSE_DAYS} days ahead; leave it off for a license without end`);
  return iso(end);
}

// ---------------------------------------------------------------- keys of the gateway

/** Prefixes by plan (specification 2.8). */
export const KEY_PREFIXES: Record<GatewayPlan, string> = {
  FREE: "bridge_live_fre_",
  PRO: "bridge_live_pro_",
  BUSINESS: "bridge_live_bus_",
};

/** The lesser of two plans: a key grants no more than its account's current plan. */
export const lesserPlan = (a: GatewayPlan, b: GatewayPlan): GatewayPlan =>
  GATEWAY_PLANS[Math.min(GATEWAY_PLANS.indexOf(a), GATEWAY_PLANS.indexOf(b))]!;

export const isRevoked = (record: GatewayKeyRecord, now: number): boolean =>
  record.revokedAt !== null && Date.parse(record.revokedAt) <= now;

export const usageKey = (usageId: string): string => `key.${usageId}`;

/** The limits of one call of a module; the last only counts, for `usage`. */
export function limitsOfKey(usageId: string, plan: GatewayPlan, module: string): Limit[] {
  const { perDay, perMinute } = PLAN_QUOTAS[plan];
  const key = usageKey(usageId);
  return [
    { name: "minute", window: "minute", key, quota: perMinute },
    { name: "day", window: "day", key, quota: perDay, code: "quota_exceeded" },
    { name: "module", window: "day", key: `${key}.${module}`, quota: Number.POSITIVE_INFINITY },
  ];
}

/** The last use that is known, or else its creation; milliseconds. */
export const lastUse = ({ createdAt, validatedAt, usedOn }: GatewayKeyRecord): number =>
  Math.max(
    Date.parse(createdAt),
    validatedAt === null ? 0 : Date.parse(validatedAt),
    // The whole day counts.
    usedOn === undefined ? 0 : Date.parse(usedOn) + DAY_MS,
  );

/** When a key without an account ends, unless it is used before; undefined: never. Milliseconds. */
export const endOfUnused = (record: GatewayKeyRecord): number | undefined =>
  record.accountId === null ? lastUse(record) + UNUSED_DAYS * DAY_MS : undefined;

function shownEnd(record: GatewayKeyRecord): string | null {
  const end = record.revokedAt === null ? endOfUnused(record) : undefined;
  return end === undefined ? null : iso(end);
}

/** The day of a period of a day's counter, or of a time: 2026-11-23. */
export const dateOf = (period: string): string =>
  `${period.slice(0, 4)}-${period.slice(4, 6)}-${period.slice(6, 8)}`;

/** @param usedOn the last day of use, where it was looked up */
export const shownKey = (record: GatewayKeyRecord, now: number, usedOn = record.usedOn): ApiKey => ({
  key_id: record.id,
  plan: record.plan,
  state: isRevoked(record, now) ? "revoked" : record.validatedAt === null ? "issued" : "validated",
  owner: record.owner,
  email: record.email,
  created_at: record.createdAt,
  validated_at: record.validatedAt,
  revoked_at: record.revokedAt,
  last_used_on: usedOn ?? null,
  ends_unused_at: shownEnd(record),
  quota: { per_day: PLAN_QUOTAS[record.plan].perDay, per_minute: PLAN_QUOTAS[record.plan].perMinute },
});
