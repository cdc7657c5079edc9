/** Access: agents ask the owners of sites for licenses; owners approve, deny, block and mute. */
import { z } from "zod";
import { AccessRequest, AgentBlocked, MAX_PURPOSE_CHARS, MAX_REASON_CHARS } from "../../schemas/access.ts";
import { MAX_LICENSE_DAYS } from "../../schemas/account.ts";
import { PermissionList } from "../../schemas/license.ts";
import { defineService } from "../../src/rpc/contract.ts";
import { hostText, plainTextSchema, proseText } from "../../src/rpc/validation.ts";

const RequestParams = z.object({ requestId: z.uuid() });
const BlockKind = z.enum([...AgentBlocked.shape.kind.options, "none"]);
const AgentParams = z.object({ agentId: z.uuid() });
const Reason = plainTextSchema(MAX_REASON_CHARS).meta({
  description: "For the agent's developer",
  example: "Only for buyers",
});

export const access = defineService({
  name: "access",
  description: "Agents ask the owners of sites for licenses; owners approve, deny, block and mute",
  operations: {
    requestAccess: {
      method: "POST",
      makes: true,
      paths: ["/api/bridge/access-requests"],
      summary: "Ask a site's owner for a license",
      description:
        "Where a listing's `access` is `request`, the owner answers; where it is `open`, reading is approved at once, and more waits for the owner. One request is under way for an agent and a site: asked again, it is the same one. It expires after 30 days.",
      auth: "agent",
      charges: { access_requests: 1 },
      body: z.object({
        domain: hostText(1_024).meta({ description: "Host of the site", example: "shop.example" }),
        purpose: proseText(MAX_PURPOSE_CHARS).min(1).meta({
          description: "What the license is for, as the owner reads it",
          example: "buy tea for the office",
        }),
        permissions: PermissionList.optional().meta({
          description: "What is needed. Default: readContent, navigate and scroll",
        }),
      }),
      reply: AccessRequest,
      errors: [
        ...(["invalid_domain", "site_not_registered", "access_closed", "agent_blocked"] as const),
        ...(["queue_full", "rate_limited"] as const),
      ],
      example:
        '/api/bridge/access-requests {"domain":"{{askedHost}}","purpose":"buy tea for the office","permissions":["readContent","navigate","fillForms"]}',
    },
    getAccessRequest: {
      method: "GET",
      paths: ["/api/bridge/access-requests/{requestId}"],
      summary: "What became of an agent's request",
      auth: "agent",
      params: RequestParams,
      reply: AccessRequest,
      errors: ["not_found"],
      example: "/api/bridge/access-requests/{{requestId}}",
    },
    collectAccess: {
      method: "POST",
      makes: true,
      paths: ["/api/bridge/access-requests/{requestId}/collect"],
      summary: "Collect the license of an approved request, once",
      description:
        "Into the wallet of the agent's account, so that `authenticate` by `siteId` opens a session; or with `to: reply`, as the only time that the key is shown. Of two at once one gets it.",
      auth: "agent",
      limits: { account_changes: 1 },
      params: RequestParams,
      bodyOptional: true,
      body: z.object({
        to: z.enum(["wallet", "reply"]).default("wallet").meta({ description: "Where the key goes" }),
      }),
      reply: AccessRequest.extend({
        license_key: z
          .string()
          .nullable()
          .meta({ description: "Shown only once, and only with `to: reply`; null: it is in the wallet" }),
      }).meta({ id: "CollectedAccess" }),
      errors: [
        "not_found",
        "not_approved",
        "already_collected",
        "agent_blocked",
        "plan_limit",
        "idempotency_conflict",
      ],
      example: "/api/bridge/access-requests/{{approvedRequestId}}/collect",
    },
    listAccessRequests: {
      method: "GET",
      paths: ["/api/account/access-requests"],
      summary: "Requests that wait for the account's answer",
      description: "For all sites of the account, the oldest first; without those of muted agents.",
      auth: "account",
      query: z.object({
        limit: z.int().min(1).max(200).default(50).meta({ description: "Most requests" }),
      }),
      reply: z
        .object({ requests: z.array(AccessRequest), total: z.int().meta({ description: "All that wait" }) })
        .meta({ id: "AccessRequests" }),
      errors: [],
      example: "/api/account/access-requests",
    },
    decideAccess: {
      method: "POST",
      makes: true,
      paths: ["/api/account/access-requests/{requestId}/decisions"],
      summary: "Approve a request, so that the agent can collect a license for 30 days, or deny it",
      auth: "account",
      params: RequestParams,
      body: z.object({
        decision: z.enum(["approve", "deny"]),
        permissions: PermissionList.optional().meta({
          description: "To approve: fewer than were asked for. Default: all of them",
        }),
        expires_in_days: z.int().min(1).max(MAX_LICENSE_DAYS).optional().meta({
          description: "To approve: of the license, from now on. Default: it does not expire",
        }),
        reason: Reason.optional(),
      }),
      reply: AccessRequest,
      errors: ["not_found", "already_decided"],
      example:
        '/api/account/access-requests/{{waitingRequestId}}/decisions {"decision":"approve","permissions":["readContent","navigate"],"expires_in_days":30}',
    },
    listAgentBlocks: {
      method: "GET",
      paths: ["/api/account/agent-blocks"],
      summary: "Agents that the account blocks or mutes",
      auth: "account",
      reply: z.object({ agents: z.array(AgentBlocked) }).meta({ id: "AgentBlocks" }),
      errors: [],
      example: "/api/account/agent-blocks",
    },
    setAgentBlock: {
      method: "PUT",
      paths: ["/api/account/agent-blocks/{agentId}"],
      summary: "Block or mute an agent that asked, or lift that",
      description:
        "`block`: its requests are refused, its licenses for the account's sites are revoked, and its sessions there end, at once. `mute`: its requests are not shown, and stay unanswered. Either holds for every agent of the same account, since a new one costs nothing. `none` lifts both; revoked licenses stay revoked.",
      auth: "account",
      params: AgentParams,
      body: z.object({ kind: BlockKind }),
      reply: z.object({ agent_id: z.uuid(), kind: BlockKind }).meta({ id: "AgentBlockSet" }),
      errors: ["not_found", "plan_limit", "authentication_required"],
      example: '/api/account/agent-blocks/{{askingAgentId}} {"kind":"mute"}',
    },
  },
});
