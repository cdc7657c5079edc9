/** Keys of the module gateway: made, checked, counted, rotated and revoked. */
import { z } from "zod";
import { ApiKey, GatewayPlan, IssuedKey } from "../../schemas/api-key.ts";
import { Timestamp } from "../../schemas/common.ts";
import { defineService } from "../../src/rpc/contract.ts";
import { plainText } from "../../src/rpc/validation.ts";

const Allowance = z.object({
  quota: z.int(),
  used: z.int(),
  remaining: z.int(),
  resets_at: Timestamp,
});

export const keys = defineService({
  name: "keys",
  description: "Keys of the module gateway",
  operations: {
    generate: {
      method: "POST",
      paths: ["/api/v1/keys/generate"],
      summary: "Make an API key",
      description:
        "FREE keys are for everyone, a few a day by e-mail address and network; PRO and BUSINESS ask for the token of an account that has the plan (starter and pro: PRO; enterprise: BUSINESS).",
      auth: "account",
      authOptional: true,
      limits: ["keys_made", "keys_made_without_account"],
      body: z.object({
        plan: GatewayPlan.default("FREE"),
        owner: plainText(200).meta({ description: "Who will use it", example: "Ada's price watch" }),
        email: z
          .email()
          .max(254)
          // RFC 5321 section 4.5.3.1.1.
          .refine((text) => text.lastIndexOf("@") <= 64, {
            error: "must have at most 64 characters before the @",
          })
          .meta({ description: "Whom to write to", example: "ada@example.com" }),
      }),
      reply: IssuedKey,
      errors: ["insufficient_plan", "authentication_required", "rate_limited"],
      example: '/api/v1/keys/generate {"plan":"FREE","owner":"Ada\'s price watch","email":"ada@example.com"}',
    },
    validate: {
      method: "POST",
      paths: ["/api/v1/keys/validate"],
      summary: "Check the key that is sent",
      auth: "key",
      reply: ApiKey.extend({ valid: z.literal(true) }).meta({ id: "ValidatedKey" }),
      errors: [],
      example: "/api/v1/keys/validate",
    },
    usage: {
      method: "GET",
      paths: ["/api/v1/keys/usage"],
      summary: "Usage and quotas of the key that is sent",
      description: "Days are those of UTC. Keys made by rotation share one usage.",
      auth: "key",
      query: z.object({ days: z.int().min(1).max(30).default(7).meta({ description: "Days to show" }) }),
      reply: z
        .object({
          key_id: z.uuid(),
          plan: GatewayPlan,
          day: Allowance,
          minute: Allowance,
          by_day: z.array(
            z.object({
              date: z.iso.date(),
              calls: z.int(),
              by_module: z.record(z.string(), z.int()),
            }),
          ),
        })
        .meta({ id: "KeyUsage" }),
      errors: [],
      example: "/api/v1/keys/usage?days=7",
    },
    revoke: {
      method: "POST",
      paths: ["/api/v1/keys/revoke"],
      summary: "Revoke the key that is sent, at once and for ever",
      auth: "key",
      reply: ApiKey,
      errors: [],
      example: "/api/v1/keys/revoke",
    },
    rotate: {
      method: "POST",
      paths: ["/api/v1/keys/rotate"],
      summary: "Revoke the key that is sent and issue a new one of the same plan",
      auth: "key",
      limits: ["key_rotations"],
      bodyOptional: true,
      body: z.object({
        grace_seconds: z
          .int()
          .min(0)
          .max(86_400)
          .default(0)
          .meta({ description: "How long the old key goes on working" }),
      }),
      reply: IssuedKey.extend({
        replaced: z.object({ key_id: z.uuid(), revoked_at: Timestamp }),
      }).meta({ id: "RotatedKey" }),
      errors: ["rate_limited"],
      example: '/api/v1/keys/rotate {"grace_seconds":60}',
    },
  },
});
