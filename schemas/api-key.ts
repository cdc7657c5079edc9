/** API keys of the module gateway: the record that is kept, and what its holder is shown. */
import { z } from "zod";
import { Timestamp } from "./common.ts";

/** Plans of the module gateway, from the least. */
export const GATEWAY_PLANS = ["FREE", "PRO", "BUSINESS"] as const;

export const GatewayPlan = z
  .enum(GATEWAY_PLANS)
  .meta({ description: "Plan of the gateway", example: "FREE" });
export type GatewayPlan = z.infer<typeof GatewayPlan>;

/** Calls a plan may make. Days and minutes are those of UTC. */
export const PLAN_QUOTAS: Record<GatewayPlan, { perDay: number; perMinute: number }> = {
  FREE: { perDay: 100, perMinute: 10 },
  PRO: { perDay: 10_000, perMinute: 100 },
  BUSINESS: { perDay: 100_000, perMinute: 500 },
};

/** One record a key, under the SHA-256 of the key; written by the role `keys` alone. */
export const ApiKeyRecord = z.looseObject({
  v: z.literal(1),
  keyId: z.uuid(),
  /** Usage is counted by this: keys made by rotation share it, so that rotating does not renew a quota. */
  usageId: z.uuid(),
  plan: GatewayPlan,
  owner: z.string(),
  email: z.string(),
  accountId: z.string().nullable(),
  created_at: Timestamp,
  validated_at: Timestamp.nullable(),
  /** From this time on it is refused; a rotation with a grace sets a time to come. */
  revoked_at: Timestamp.nullable(),
});
export type ApiKeyRecord = z.infer<typeof ApiKeyRecord>;

export const KeyState = z.enum(["issued", "validated", "revoked"]);

/** What is shown of a key. */
export const ApiKey = z
  .object({
    key_id: z.uuid(),
    plan: GatewayPlan,
    state: KeyState.meta({ description: "issued; validated by its first use; revoked" }),
    owner: z.string(),
    email: z.string(),
    created_at: Timestamp,
    validated_at: Timestamp.nullable(),
    revoked_at: Timestamp.nullable().meta({ description: "From when on it is refused" }),
    quota: z.object({
      per_day: z.int().meta({ example: 100 }),
      per_minute: z.int().meta({ example: 10 }),
    }),
  })
  .meta({ id: "ApiKey" });
export type ApiKey = z.infer<typeof ApiKey>;

export const IssuedKey = ApiKey.extend({
  key: z.string().meta({ description: "The key itself: shown this once, kept only as a hash" }),
}).meta({ id: "IssuedKey" });
