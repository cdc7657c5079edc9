/** Discovery document (specification 2.1) with the optional members that this registry adds. */
import { z } from "zod";
import { Action } from "./action.ts";
import { IntentTag, Location, Timestamp } from "./common.ts";
import { FlattenedJws, TrustProfile } from "./manifest.ts";

const Address = z.string().max(512);

export const Permissions = z.record(z.string().max(64), z.boolean()).meta({
  id: "Permissions",
  description: "readContent, click, fillForms, scroll, navigate, apiAccess, …",
  example: { readContent: true, click: true, fillForms: false },
});

export const DiscoveryDocument = z
  .looseObject({
    bridge_version: z
      .string()
      .max(32)
      .meta({ description: "Version of the protocol server", example: "1.2.0" }),
    generated_at: Timestamp,
    provider: z.looseObject({
      name: z.string().min(1).max(200),
      domain: z.string().min(1).max(253),
      category: z.string().max(64),
      description: z.string().max(2_000),
    }),
    capabilities: z.looseObject({
      commands: z.array(z.string().max(64)).max(128),
      permissions: Permissions,
      tier: z.string().max(32),
      transport: z.array(z.string().max(32)).max(16),
      features: z.array(z.string().max(64)).max(64),
    }),
    agent_access: z.looseObject({
      bridge_script: Address,
      api_base: Address,
      websocket: Address,
      noscript: Address,
      discovery: Address,
    }),
    fairness: z.looseObject({
      is_independent: z.boolean(),
      commission_rate: z.number().min(0).max(100),
      direct_benefit: z.string().max(512),
      neutrality_score: z.number().min(0).max(100),
    }),
    security: z.looseObject({
      session_required: z.boolean(),
      origin_validation: z.boolean(),
      rate_limit: z.int().min(0).meta({ description: "Calls a minute; 0: none is stated" }),
      sandbox: z.boolean(),
    }),
    endpoints: z
      .record(z.string().max(64), z.unknown())
      .meta({ description: "Operation name to absolute address" }),
    intent_tags: z.array(IntentTag).max(16).optional(),
    location: Location.optional(),
    owner: z.string().max(200).optional(),
    actions: z.array(Action).max(64).optional(),
    trust_profile: TrustProfile.optional(),
    expires_at: Timestamp.optional(),
    manifest: FlattenedJws.optional(),
  })
  .meta({ id: "DiscoveryDocument" });
export type DiscoveryDocument = z.infer<typeof DiscoveryDocument>;
