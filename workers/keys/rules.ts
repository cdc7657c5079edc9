/** Pure rules of API keys. */
import {
  type ApiKey,
  type ApiKeyRecord,
  GATEWAY_PLANS,
  type GatewayPlan,
  PLAN_QUOTAS,
  UNUSED_DAYS,
} from "../../schemas/api-key.ts";
import { DAY_MS, iso } from "../../src/ports/time.ts";
import type { Limit } from "../../src/rpc/limits.ts";

/** Prefixes by plan (specification 2.8). */
export const KEY_PREFIXES: Record<GatewayPlan, string> = {
  FREE: "bridge_live_fre_",
  PRO: "bridge_live_pro_",
  BUSINESS: "bridge_live_bus_",
};

/** The gateway plan that an account's tier grants. */
export const gatewayPlanOf = (tier: string): GatewayPlan =>
  tier === "enterprise" ? "BUSINESS" : tier === "starter" || tier === "pro" ? "PRO" : "FREE";

/** The lesser of two plans: a key grants no more than its account's current plan. */
export const lesserPlan = (a: GatewayPlan, b: GatewayPlan): GatewayPlan =>
  GATEWAY_PLANS[Math.min(GATEWAY_PLANS.indexOf(a), GATEWAY_PLANS.indexOf(b))]!;

export const isRevoked = (record: ApiKeyRecord, now: number): boolean =>
  record.revoked_at !== null && Date.parse(record.revoked_at) <= now;

export const usageKey = (usageId: string): string => `key.${usageId}`;

/** The limits of one call of a module; the last only counts, for `usage`. */
export const limitsOfKey = (usageId: string, plan: GatewayPlan, module: string): Limit[] => {
  const { perDay, perMinute } = PLAN_QUOTAS[plan];
  const key = usageKey(usageId);
  return [
    { name: "minute", window: "minute", key, quota: perMinute },
    { name: "day", window: "day", key, quota: perDay, code: "quota_exceeded" },
    { name: "module", window: "day", key: `${key}.${module}`, quota: Number.POSITIVE_INFINITY },
  ];
};

/** The last use that is known, or else its creation; milliseconds. */
export const lastUse = ({ created_at, validated_at, used_on }: ApiKeyRecord): number =>
  Math.max(
    Date.parse(created_at),
    validated_at === null ? 0 : Date.parse(validated_at),
    // The whole day counts.
    used_on === undefined ? 0 : Date.parse(used_on) + DAY_MS,
  );

/** When a key without an account ends, unless it is used before; undefined: never. Milliseconds. */
export const endOfUnused = (record: ApiKeyRecord): number | undefined =>
  record.accountId === null ? lastUse(record) + UNUSED_DAYS * DAY_MS : undefined;

const shownEnd = (record: ApiKeyRecord): string | null => {
  const end = record.revoked_at === null ? endOfUnused(record) : undefined;
  return end === undefined ? null : iso(end);
};

/** The day of a period of a day's counter, or of a time: 2026-11-23. */
export const dateOf = (period: string): string =>
  `${period.slice(0, 4)}-${period.slice(4, 6)}-${period.slice(6, 8)}`;

/** @param usedOn the last day of use, where it was looked up */
export const shownKey = (record: ApiKeyRecord, now: number, usedOn = record.used_on): ApiKey => ({
  key_id: record.keyId,
  plan: record.plan,
  state: isRevoked(record, now) ? "revoked" : record.validated_at === null ? "issued" : "validated",
  owner: record.owner,
  email: record.email,
  created_at: record.created_at,
  validated_at: record.validated_at,
  revoked_at: record.revoked_at,
  last_used_on: usedOn ?? null,
  ends_unused_at: shownEnd(record),
  quota: { per_day: PLAN_QUOTAS[record.plan].perDay, per_minute: PLAN_QUOTAS[record.plan].perMinute },
});
