/** What an account keeps for its agents: part of the accounts contract. */
import { z } from "zod";
import { Host, Timestamp } from "../../schemas/common.ts";
import type { Operations } from "../../src/rpc/contract.ts";
import { plainTextSchema } from "../../src/rpc/validation.ts";

/** The entry of a wallet that is no site's. */
export const GATEWAY_ENTRY = "gateway";

const Params = z.object({
  entry: plainTextSchema(253)
    .min(1)
    .meta({ description: `A site's host; or \`${GATEWAY_ENTRY}\`: the key of the module gateway` }),
});

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

export const walletOperations = {
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
  keepKey: {
    method: "PUT",
    paths: ["/api/account/wallet/{entry}"],
    summary: "Keep a site's license, or the key of the module gateway, in the wallet",
    description:
      "In place of the one before, encrypted and never shown. `authenticate` by `siteId` uses a license; at most 500. With the gateway's key, which the account alone sets, an agent's token is accepted wherever an API key is needed, except for the operations on the key itself, and charged to it.",
    auth: ["account", "agent"],
    limits: { license_checks: 1 },
    params: Params,
    body: z.object({ key: plainTextSchema(256).meta({ example: "bridge_lic_…" }) }),
    reply: z.object({ entry: z.string(), kept: z.literal(true) }).meta({ id: "KeptKey" }),
    errors: ["license_invalid", "plan_limit", "key_revoked", "key_invalid", "permission_denied"],
    example: '/api/account/wallet/{{licensedHost}} {"key":"{{licenseKey}}"}',
  },
  removeKeptKey: {
    method: "DELETE",
    paths: ["/api/account/wallet/{entry}"],
    summary: "Remove an entry of the wallet; the key itself remains in force",
    auth: ["account", "agent"],
    params: Params,
    reply: z.object({ entry: z.string(), removed: z.literal(true) }).meta({ id: "RemovedKeptKey" }),
    errors: ["not_found", "permission_denied"],
    example: "/api/account/wallet/{{keptHost}}",
  },
} as const satisfies Operations;
