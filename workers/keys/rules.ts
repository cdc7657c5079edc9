/** Pure rules of API keys. */
import {
  type ApiKey,
  type ApiKeyRecord,
  GATEWAY_PLANS,
  type GatewayPlan,
  PLAN_QUOTAS,
} from "../../schemas/api-key.ts";
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

export const shownKey = (record: ApiKeyRecord, now: number): ApiKey => ({
  key_id: record.keyId,
  plan: record.plan,
  state: isRevoked(record, now) ? "revoked" : record.validated_at === null ? "issued" : "validated",
  owner: record.owner,
  email: record.email,
  created_at: record.created_at,
  validated_at: record.validated_at,
  revoked_at: record.revoked_at,
  quota: { per_day: PLAN_QUOTAS[record.plan].perDay, per_minute: PLAN_QUOTAS[record.plan].perMinute },
});
