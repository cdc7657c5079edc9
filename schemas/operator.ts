/** Operators of a registry, and what they did. */
import { z } from "zod";
import { Sha256, Timestamp } from "./common.ts";

/** Roles in ascending order: each may do what those before it may. */
export const OPERATOR_ROLES = ["viewer", "moderator", "admin"] as const;
export const OperatorRole = z.enum(OPERATOR_ROLES).meta({
  description: "viewer: reads; moderator: decides on reports; admin: everything",
});
export type OperatorRole = z.infer<typeof OperatorRole>;

/** Of an operator's name. */
export const MAX_OPERATOR_NAME = 64;

/** An operator, stored under the hash of the token. */
export const OperatorRecord = z.looseObject({
  v: z.literal(1),
  operatorId: z.uuid(),
  name: z.string().min(1).max(MAX_OPERATOR_NAME),
  role: OperatorRole,
  keyHash: Sha256,
  createdAt: Timestamp,
});
export type OperatorRecord = z.infer<typeof OperatorRecord>;

/** Characters of a request that the audit log keeps. */
export const MAX_AUDITED_CHARS = 4_096;

/** One act of an operator. Written before it is done, and again with its outcome. */
export const AuditEntry = z.looseObject({
  v: z.literal(1),
  entryId: z.uuid(),
  at: Timestamp,
  operator: z
    .string()
    .meta({ description: "The operator's name; of a command, the login name on its machine" }),
  operator_id: z.uuid().nullable().meta({ description: "null: a command on the operator's machine" }),
  action: z.string().meta({ description: "Operation or command", example: "bounty.decideReport" }),
  input: z.string().max(MAX_AUDITED_CHARS).meta({ description: "What was asked for, as JSON, shortened" }),
  outcome: z.string().meta({
    description:
      "done; failed; started, if nobody knows how it ended; otherwise the code of what was refused",
    example: "done",
  }),
});
export type AuditEntry = z.infer<typeof AuditEntry>;
