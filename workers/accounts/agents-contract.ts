/** Agents of an account, and what it keeps for them: part of the accounts contract. */
import { z } from "zod";
import { IssuedAgent } from "../../schemas/account.ts";
import { Host, Timestamp } from "../../schemas/common.ts";
import type { Operations } from "../../src/rpc/contract.ts";
import { plainTextSchema } from "../../src/rpc/validation.ts";

const WalletParams = z.object({ domain: Host });

const KeptLicense = z
  .object({ domain: Host, added_at: Timestamp })
  .meta({ id: "KeptLicense", description: "A license in the wallet; its key is never shown" });

const KeptGatewayKey = z
  .object({
    key_hint: z
      .string()
      .meta({ description: "The first characters of the key", example: "bridge_free_5kT9" }),
    set_at: Timestamp,
  })
  .meta({ id: "KeptGatewayKey" });

export const agentOperations = {
  createAgent: {
    method: "POST",
    makes: true,
    resumes: true,
    paths: ["/api/account/agents"],
    summary: "Issue an agent token",
    description:
      "An agent acts for the account with a token of its own: it asks site owners for access, opens sessions with the wallet's licenses, and has limits of its own in place of its network's. A new password or a suspension ends the token.",
    auth: "account",
    limits: ["account_keys"],
    body: z.object({
      name: plainTextSchema(100).meta({ description: "What site owners see", example: "shopping helper" }),
    }),
    reply: IssuedAgent,
    errors: ["plan_limit", "idempotency_conflict", "authentication_required"],
    example: '/api/account/agents {"name":"shopping helper"}',
  },
  listWallet: {
    method: "GET",
    paths: ["/api/account/wallet"],
    summary: "What the account keeps for its agents: sites with a license, and the key of the module gateway",
    auth: ["account", "agent"],
    reply: z
      .object({ domains: z.array(KeptLicense), gateway_key: KeptGatewayKey.nullable() })
      .meta({ id: "Wallet" }),
    errors: [],
    example: "/api/account/wallet",
  },
  keepLicense: {
    method: "PUT",
    paths: ["/api/account/wallet/{domain}"],
    summary: "Keep a license in the wallet",
    description:
      "In place of the one before. The key is stored encrypted and never shown; `authenticate` by `siteId` uses it. At most 500.",
    auth: ["account", "agent"],
    limits: ["license_checks"],
    params: WalletParams,
    body: z.object({ licenseKey: plainTextSchema(256).meta({ example: "bridge_lic_…" }) }),
    reply: KeptLicense,
    errors: ["license_invalid", "plan_limit"],
    example: '/api/account/wallet/{{licensedHost}} {"licenseKey":"{{licenseKey}}"}',
  },
  removeKeptLicense: {
    method: "DELETE",
    paths: ["/api/account/wallet/{domain}"],
    summary: "Remove a license from the wallet; the license itself remains in force",
    auth: ["account", "agent"],
    params: WalletParams,
    reply: z.object({ domain: Host, removed: z.literal(true) }).meta({ id: "RemovedLicense" }),
    errors: ["not_found"],
    example: "/api/account/wallet/{{keptHost}}",
  },
  setGatewayKey: {
    method: "PUT",
    paths: ["/api/account/gateway-key"],
    summary: "Let the account's agents use the module gateway, charged to this key",
    description:
      "The key is stored encrypted and never shown. From then on an agent's token is accepted wherever an API key is needed, except for the operations on the key itself.",
    auth: "account",
    limits: ["license_checks"],
    body: z.object({ api_key: plainTextSchema(256).meta({ example: "bridge_free_…" }) }),
    reply: z.object({ gateway_key: KeptGatewayKey }).meta({ id: "SetGatewayKey" }),
    errors: ["key_revoked", "key_invalid"],
    example: '/api/account/gateway-key {"api_key":"{{apiKey}}"}',
  },
  removeGatewayKey: {
    method: "DELETE",
    paths: ["/api/account/gateway-key"],
    summary: "Take the module gateway from the account's agents; the key itself remains valid",
    auth: "account",
    reply: z.object({ removed: z.literal(true) }).meta({ id: "RemovedGatewayKey" }),
    errors: ["not_found"],
    example: "/api/account/gateway-key",
  },
} as const satisfies Operations;
