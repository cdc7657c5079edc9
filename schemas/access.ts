/** Agents' requests for access to a site, as records and as payloads. */
import { z } from "zod";
import { Host, Timestamp } from "./common.ts";
import { LicensedAgent } from "./key.ts";
import { PermissionList } from "./license.ts";

export const MAX_PURPOSE_CHARS = 500;
export const MAX_REASON_CHARS = 300;

/** `expired` is said, never stored: it follows from the time, the site and the accounts. */
const StoredState = z.enum(["pending", "approved", "denied", "collected"]);

/** One request, by its id. */
export const AccessRequestRecord = z.looseObject({
  v: z.literal(1),
  requestId: z.string(),
  siteId: Host,
  /** The account that owns the site, and when it proved it: another proof is another owner's, or a new beginning. */
  ownerId: z.string(),
  provedAt: Timestamp,
  agent: LicensedAgent,
  purpose: z.string(),
  permissions: PermissionList,
  state: StoredState,
  /** What the owner granted of `permissions`. */
  granted: PermissionList.nullable(),
  reason: z.string(),
  /** When the license ends that is collected; null: never. */
  licenseExpiresAt: Timestamp.nullable(),
  createdAt: Timestamp,
  decidedAt: Timestamp.nullable(),
  /** Milliseconds: of a pending request, and then of an approval that nobody collects. */
  expiresAt: z.number(),
});
export type AccessRequestRecord = z.infer<typeof AccessRequestRecord>;

const QueueEntry = z.looseObject({
  requestId: z.string(),
  siteId: Host,
  agentId: z.string(),
  accountId: z.string(),
  /** Approved ones wait to be collected. */
  state: z.enum(["pending", "approved"]),
  /** Milliseconds. */
  expiresAt: z.number(),
});
export type QueueEntry = z.infer<typeof QueueEntry>;

/** What waits at one owner: a request is pending while it is listed here, so that every bound is one compare-and-set. */
export const AccessQueueRecord = z.looseObject({
  v: z.literal(1),
  open: z.array(QueueEntry),
  /** Agents that asked lately: those that the owner can block or mute. */
  agents: z.array(LicensedAgent),
});
export type AccessQueueRecord = z.infer<typeof AccessQueueRecord>;

export const AccessRequest = z
  .object({
    request_id: z.uuid(),
    domain: Host,
    state: z.enum(["pending", "approved", "denied", "collected", "expired"]).meta({
      description:
        "approved: its license can be collected, once; expired: nobody answered or collected in time, or the site or an account is gone",
    }),
    agent_id: z.uuid(),
    agent_name: z
      .string()
      .meta({ description: "As the agent's account calls it", example: "shopping helper" }),
    purpose: z.string().meta({ description: "The agent's own words", example: "buy tea for the office" }),
    permissions: PermissionList.meta({ description: "What was asked for" }),
    granted: PermissionList.nullable().meta({
      description: "What the license holds of it; null: not approved",
    }),
    reason: z.string().meta({ description: "The owner's words; empty without any" }),
    license_expires_at: Timestamp.nullable(),
    created_at: Timestamp,
    decided_at: Timestamp.nullable(),
    expires_at: Timestamp.meta({ description: "Until when it can be answered, or else collected" }),
  })
  .meta({ id: "AccessRequest" });
export type AccessRequest = z.infer<typeof AccessRequest>;

export const AgentBlocked = z
  .object({
    agent_id: z.uuid(),
    agent_name: z.string(),
    kind: z.enum(["block", "mute"]).meta({
      description:
        "block: refused, its licenses revoked, its sessions ended; mute: its requests are not shown, and stay unanswered",
    }),
    at: Timestamp,
  })
  .meta({ id: "AgentBlocked", description: "It holds for every agent of the same account" });
