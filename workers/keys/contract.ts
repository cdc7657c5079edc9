/** Keys: those of the module gateway by the key itself, and all that an account lists. */
import { z } from "zod";
import { Agent, License, MAX_LICENSE_DAYS, Project } from "../../schemas/account.ts";
import { ApiKey, GatewayPlan, IssuedKey } from "../../schemas/api-key.ts";
import { Host, Timestamp } from "../../schemas/common.ts";
import { KeyKind } from "../../schemas/key.ts";
import { PermissionList } from "../../schemas/license.ts";
import { defineService } from "../../src/rpc/contract.ts";
import { emailText, plainTextSchema } from "../../src/rpc/validation.ts";

const Allowance = z.object({
  quota: z.int(),
  used: z.int(),
  remaining: z.int(),
  resets_at: Timestamp,
});

const OperatorKey = z
  .object({ key_id: z.uuid(), key_hint: z.string(), created_at: Timestamp })
  .meta({ id: "OperatorKey", description: "The key of an account that operates the registry" });

const KeyParams = z.object({
  keyId: z.uuid().meta({
    description: "key_id, license_id, agent_id or project_id",
    example: "01980000-0000-7000-8000-000000000000",
  }),
});

/** A new key of an account, as it is shown once. */
const NewKey = z
  .object({
    key_id: z.uuid(),
    kind: KeyKind,
    key: z.string().meta({ description: "Shown only once" }),
    key_hint: z.string().meta({ description: "The first characters of the key" }),
  })
  .meta({ id: "NewKey" });

export const keys = defineService({
  name: "keys",
  description: "Keys of the module gateway, and all keys that an account lists",
  operations: {
    createKey: {
      method: "POST",
      makes: true,
      resumes: true,
      paths: ["/api/v1/keys/generate"],
      summary: "Create an API key",
      description:
        "FREE keys are open to everyone, a few per day by address and network; PRO and BUSINESS require the token of an account with the plan (starter and pro: PRO; enterprise: BUSINESS). A key without an account ends after 90 days without use.",
      auth: "account",
      authOptional: true,
      charges: { gateway_keys: 2 },
      body: z.object({
        plan: GatewayPlan.default("FREE"),
        owner: plainTextSchema(200).meta({
          description: "The user of the key",
          example: "Ada's price watch",
        }),
        email: emailText.meta({ description: "Contact address", example: "ada@example.com" }),
      }),
      reply: IssuedKey,
      errors: [
        "insufficient_plan",
        "authentication_required",
        "rate_limited",
        "plan_limit",
        "idempotency_conflict",
      ],
      example: '/api/v1/keys/generate {"plan":"FREE","owner":"Ada\'s price watch","email":"ada@example.com"}',
    },
    validateKey: {
      method: "POST",
      paths: ["/api/v1/keys/validate"],
      summary: "Validate the caller's key",
      auth: "key",
      keyItself: true,
      reply: ApiKey.extend({ valid: z.literal(true) }).meta({ id: "ValidatedKey" }),
      errors: [],
      example: "/api/v1/keys/validate",
    },
    getKeyUsage: {
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
    revokeKey: {
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
    rotateKey: {
      method: "POST",
      makes: true,
      paths: ["/api/v1/keys/rotate"],
      summary: "Replace the caller's key with a new one of the same plan",
      auth: "key",
      keyItself: true,
      charges: { gateway_keys: 1 },
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
    listKeys: {
      method: "GET",
      paths: ["/api/account/keys"],
      summary: "Keys of the account that are in force, whatever they open",
      description:
        "Licenses with those that have expired, agents' tokens with those that a new password ended. `owner` of a gateway key is the name that it was created with.",
      auth: "account",
      reply: z
        .object({
          licenses: z.array(License),
          agents: z.array(Agent),
          projects: z.array(Project),
          gateway_keys: z.array(ApiKey).meta({ description: "The newest first" }),
          operator_keys: z.array(OperatorKey),
          most: z
            .record(KeyKind, z.int())
            .meta({ description: "Keys of each kind that an account may have" }),
        })
        .meta({ id: "AccountKeys" }),
      errors: [],
      example: "/api/account/keys",
    },
    issueKey: {
      method: "POST",
      makes: true,
      resumes: true,
      paths: ["/api/account/keys"],
      summary: "Issue a license for a site of the account, an agent's token or a project's key",
      description:
        "A license opens a site to whoever holds it. An agent acts for the account: it asks site owners for access, opens sessions with the wallet's licenses, and has limits of its own in place of its network's; a new password or a suspension ends its token. A project writes to the Ring 4 log.",
      auth: "account",
      limits: { account_changes: 1 },
      body: z.object({
        kind: KeyKind.extract(["license", "project", "agent"]),
        name: plainTextSchema(100).optional().meta({
          description: "A label; of an agent what site owners see. A license may do without",
          example: "booking assistant",
        }),
        siteId: Host.optional().meta({ description: "Of a license, which needs one" }),
        permissions: PermissionList.optional().meta({
          description:
            "What a license grants of the site's permissions. Default: all of them, also those that are given later",
        }),
        expires_in_days: z.int().min(1).max(MAX_LICENSE_DAYS).optional().meta({
          description: "Of a license. Default: it does not expire",
        }),
        expires_at: z.iso
          .datetime({ offset: true, error: "must be an RFC 3339 time, such as 2027-01-31T12:00:00Z" })
          .max(64)
          .optional()
          .meta({
            description: `RFC 3339 time of a license's end, instead of \`expires_in_days\`; in the future, at most ${MAX_LICENSE_DAYS} days ahead`,
            example: "2027-01-31T12:00:00Z",
          }),
      }),
      reply: NewKey,
      errors: ["not_found", "plan_limit", "idempotency_conflict", "authentication_required", "invalid_time"],
      example: '/api/account/keys {"kind":"license","siteId":"{{siteId}}","name":"booking assistant"}',
    },
    rotateListedKey: {
      method: "POST",
      makes: true,
      paths: ["/api/account/keys/{keyId}/rotate"],
      summary: "Replace a key of the account; the old one, and sessions that it opened, end at once",
      auth: "account",
      limits: { account_changes: 1 },
      charges: { gateway_keys: 1 },
      params: KeyParams,
      description: "Its id stays, but for a gateway key's, which gets another.",
      reply: NewKey,
      errors: ["not_found", "permission_denied", "authentication_required", "rate_limited"],
      example: "/api/account/keys/{{keyId}}/rotate",
    },
    revokeListedKey: {
      method: "POST",
      makes: true,
      paths: ["/api/account/keys/{keyId}/revoke"],
      summary: "Revoke a key of the account, at once and permanently; sessions that it opened end",
      description: "The key itself is not needed. Entries that a project wrote to the log remain.",
      auth: "account",
      params: KeyParams,
      reply: z
        .object({ key_id: z.uuid(), kind: KeyKind, revoked: z.literal(true) })
        .meta({ id: "RevokedListedKey" }),
      errors: ["not_found", "authentication_required"],
      example: "/api/account/keys/{{keyId}}/revoke",
    },
  },
});
