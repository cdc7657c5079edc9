/** Operators of a registry: accounts with a role; and what they did. */
import { z } from "zod";
import { Sha256, Timestamp } from "./common.ts";

/** Roles in ascending order: each may do what those before it may. */
export const OPERATOR_ROLES = ["viewer", "moderator", "admin"] as const;
export const OperatorRole = z.enum(OPERATOR_ROLES).meta({
  description: "viewer: reads; moderator: decides on reports; admin: everything",
});
export type OperatorRole = z.infer<typeof OperatorRole>;

/** The role of an account, stored under the account's id. Nobody but the operator's broker user writes it. */
export const RoleGrant = z.looseObject({
  v: z.literal(1),
  accountId: z.string(),
  /** Of the account, as it is shown. */
  email: z.string(),
  role: OperatorRole,
  /** Of the one key that it is good for: whoever writes keys and accounts makes no other. */
  keyHash: Sha256,
  grantedAt: Timestamp,
});
export type RoleGrant = z.infer<typeof RoleGrant>;

/** Characters of a request that the audit log keeps. */
export const MAX_AUDITED_CHARS = 4_096;

/** One act of an operator. Written before it is done, and again with its outcome. */
export const AuditEntry = z.looseObject({
  v: z.literal(1),
  entryId: z.uuid(),
  at: Timestamp,
  operator: z
    .string()
    .meta({ description: "The account's address; of a command, the login name on its machine" }),
  account_id: z.uuid().nullable().meta({ description: "null: a command on the registry's machine" }),
  action: z.string().meta({ description: "Operation or command", example: "bounty.decideReport" }),
  input: z.string().max(MAX_AUDITED_CHARS).meta({ description: "What was asked for, as JSON, shortened" }),
  outcome: z.string().meta({
    description:
      "done; failed; started, if nobody knows how it ended; otherwise the code of what was refused",
    example: "done",
  }),
});
export type AuditEntry = z.infer<typeof AuditEntry>;
