/** Keys of the module gateway: creation, validation, usage, rotation and revocation. */
import { z } from "zod";
import { ApiKey, GatewayPlan, IssuedKey, MOST_ACCOUNT_KEYS } from "../../schemas/api-key.ts";
import { Timestamp } from "../../schemas/common.ts";
import { defineService } from "../../src/rpc/contract.ts";
import { emailText, plainText } from "../../src/rpc/validation.ts";

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
      operationId: "createKey",
      method: "POST",
      makes: true,
      resumes: true,
      paths: ["/api/v1/keys/generate"],
      summary: "Create an API key",
      description:
        "FREE keys are open to everyone, a few per day by address and network; PRO and BUSINESS require the token of an account with the plan (starter and pro: PRO; enterprise: BUSINESS). A key without an account ends after 90 days without use.",
      auth: "account",
      authOptional: true,
      limits: ["keys_made"],
      body: z.object({
        plan: GatewayPlan.default("FREE"),
        owner: plainText(200).meta({ description: "The user of the key", example: "Ada's price watch" }),
        email: emailText.meta({ description: "Contact address", example: "ada@example.com" }),
      }),
      reply: IssuedKey,
      errors: ["insufficient_plan", "authentication_required", "rate_limited", "plan_limit"],
      example: '/api/v1/keys/generate {"plan":"FREE","owner":"Ada\'s price watch","email":"ada@example.com"}',
    },
    validate: {
      operationId: "validateKey",
      method: "POST",
      paths: ["/api/v1/keys/validate"],
      summary: "Validate the caller's key",
      auth: "key",
      keyItself: true,
      reply: ApiKey.extend({ valid: z.literal(true) }).meta({ id: "ValidatedKey" }),
      errors: [],
      example: "/api/v1/keys/validate",
    },
    usage: {
      operationId: "getKeyUsage",
      method: "GET",
      paths: ["/api/v1/keys/usage"],
      summary: "Usage and quotas of the caller's key",
      description: "Days are in UTC. Rotated keys share one usage.",
      auth: "key",
      keyItself: true,
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
      operationId: "revokeKey",
      method: "POST",
      makes: true,
      paths: ["/api/v1/keys/revoke"],
      summary: "Revoke the caller's key, at once and permanently",
      auth: "key",
      keyItself: true,
      reply: ApiKey,
      errors: [],
      example: "/api/v1/keys/revoke",
    },
    rotate: {
      operationId: "rotateKey",
      method: "POST",
      makes: true,
      paths: ["/api/v1/keys/rotate"],
      summary: "Replace the caller's key with a new one of the same plan",
      auth: "key",
      keyItself: true,
      limits: ["key_rotations"],
      bodyOptional: true,
      body: z.object({
        grace_seconds: z
          .int()
          .min(0)
          .max(86_400)
          .default(0)
          .meta({ description: "How long the old key remains valid" }),
      }),
      reply: IssuedKey.extend({
        replaced: z.object({ key_id: z.uuid(), revoked_at: Timestamp }),
      }).meta({ id: "RotatedKey" }),
      errors: ["rate_limited"],
      example: '/api/v1/keys/rotate {"grace_seconds":60}',
    },
    accountKeys: {
      operationId: "listKeys",
      method: "GET",
      paths: ["/api/account/keys"],
      summary: "API keys of the account that are in force, the newest first",
      description: "`owner` is the name that a key was created with.",
      auth: "account",
      reply: z
        .object({
          keys: z.array(ApiKey),
          most: z.int().meta({ description: "Keys in force that an account may have" }),
        })
        .meta({ id: "AccountApiKeys", description: `At most ${MOST_ACCOUNT_KEYS} keys` }),
      errors: [],
      example: "/api/account/keys",
    },
    revokeAccountKey: {
      operationId: "revokeListedKey",
      method: "POST",
      makes: true,
      paths: ["/api/account/keys/{keyId}/revoke"],
      summary: "Revoke an API key of the account, at once and permanently; the key itself is not needed",
      auth: "account",
      params: z.object({
        keyId: z.string().max(64).meta({
          description: "key_id of the key",
          example: "01980000-0000-7000-8000-000000000000",
        }),
      }),
      reply: ApiKey,
      errors: ["not_found"],
      example: "/api/account/keys/{{keyId}}/revoke",
    },
  },
});
