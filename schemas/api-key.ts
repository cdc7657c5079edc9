/** API keys of the module gateway: plans, and the public view of a key. */
import { z } from "zod";
import { Timestamp } from "./common.ts";

/** Plans of the module gateway, in ascending order. */
export const GATEWAY_PLANS = ["FREE", "PRO", "BUSINESS"] as const;

export const GatewayPlan = z
  .enum(GATEWAY_PLANS)
  .meta({ description: "Plan of the gateway", example: "FREE" });
export type GatewayPlan = z.infer<typeof GatewayPlan>;

/** Calls that a plan allows. Days and minutes are calendar periods in UTC. */
export const PLAN_QUOTAS: Record<GatewayPlan, { perDay: number; perMinute: number }> = {
  FREE: { perDay: 100, perMinute: 10 },
  PRO: { perDay: 10_000, perMinute: 100 },
  BUSINESS: { perDay: 100_000, perMinute: 500 },
};

/** The gateway plan that an account's tier grants. */
export const gatewayPlanOf = (tier: string): GatewayPlan =>
  tier === "enterprise" ? "BUSINESS" : tier === "starter" || tier === "pro" ? "PRO" : "FREE";

/** A key without an account ends when it was not used for so long. */
export const UNUSED_DAYS = 90;

export const KeyState = z.enum(["issued", "validated", "revoked"]);

/** The public view of a key. */
export const ApiKey = z
  .object({
    key_id: z.uuid(),
    plan: GatewayPlan,
    state: KeyState.meta({ description: "issued; validated by its first use; revoked" }),
    owner: z.string(),
    email: z.string(),
    created_at: Timestamp,
    validated_at: Timestamp.nullable(),
    revoked_at: Timestamp.nullable().meta({ description: "The key is refused from this time on" }),
    last_used_on: z.iso.date().nullable().meta({
      description: "The last day (UTC) of its use that is known; it may lag by a week",
    }),
    ends_unused_at: Timestamp.nullable().meta({
      description: `Of a key without an account: when it ends, unless it is used before; ${UNUSED_DAYS} days after its last use`,
    }),
    quota: z.object({
      per_day: z.int().meta({ example: 100 }),
      per_minute: z.int().meta({ example: 10 }),
    }),
  })
  .meta({ id: "ApiKey" });
export type ApiKey = z.infer<typeof ApiKey>;

export const IssuedKey = ApiKey.extend({
  key: z.string().meta({ description: "The key itself: shown only once, stored only as a hash" }),
}).meta({ id: "IssuedKey" });
