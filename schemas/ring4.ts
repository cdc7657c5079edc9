/** Ring 4: registrations with proof, and the entries of the transparency log (docs/trust.md). */
import { z } from "zod";
import { Host, Sha256, Timestamp } from "./common.ts";

export const EVENT_TYPES = [
  "register",
  "recognize",
  "verify",
  "refuse",
  "softened",
  "revoke",
  "allow",
  "hard_refuse_held",
] as const;
export const EventType = z.enum(EVENT_TYPES).meta({
  description: "What the agent decided",
  example: "recognize",
});

export const OUTCOMES = ["success", "failure", "refused", "partial"] as const;
export const InteractionOutcome = z
  .enum(OUTCOMES)
  .meta({ description: "The outcome of the interaction", example: "success" });
export const ProjectId = z.uuid().meta({
  description: "A project's id",
  example: "0193a5f0-7d1c-7cc3-8a51-0d6f2b3c4d5e",
});

const head = { v: z.literal(1), id: z.string().max(64), at: Timestamp };

/** An agent's own record of one interaction. It must not contain personal data: the log is append-only. */
export const InteractionEntry = z.object({
  ...head,
  kind: z.literal("interaction"),
  project_id: ProjectId,
  domain: Host.optional(),
  event_type: EventType,
  outcome: InteractionOutcome,
});

/** A registration that the domain proved with its key. */
export const RegistrationEntry = z.object({
  ...head,
  kind: z.literal("registration"),
  domain: Host,
  kid: z.string().max(64),
  /** SHA-256 of the bytes that the proof signs. */
  statement_sha256: Sha256,
  proof: z.string().max(128),
});

/** A notary certificate, by the hash of its signed statement: its content stays out of the log. */
export const CertificateEntry = z.object({
  ...head,
  kind: z.literal("certificate"),
  /** SHA-256 of the statement's RFC 8785 form. */
  statement_sha256: Sha256,
  signature: z.string().max(128),
  /** Who observed what it certifies, as in the statement. */
  observed_by: z.enum(["registry", "caller"]),
});

export type LogEntry =
  | z.infer<typeof InteractionEntry>
  | z.infer<typeof RegistrationEntry>
  | z.infer<typeof CertificateEntry>;

export const RegistrationEvent = z
  .looseObject({
    at: Timestamp,
    event: z.enum(["registered", "renewed"]),
    kid: z.string().meta({ description: "Thumbprint (RFC 7638) of the key that signed" }),
    leaf_index: z.int().min(0).meta({ description: "Its index in the transparency log" }),
  })
  .meta({ id: "RegistrationEvent" });

/**
 * One per domain, written by the role `trust`. The crawl decides whether it makes ring 4: ring 3, and the key still in
 * DNS.
 */
export const Registration = z.looseObject({
  v: z.literal(1),
  domain: Host,
  kid: z.string(),
  capabilities: z.array(z.string()),
  constraints: z.array(z.string()),
  project_id: z.string().nullable(),
  /** As signed by the owner; a later proof must not be older. */
  issued_at: Timestamp.nullable(),
  statement_sha256: z.string(),
  /** Proofs without a time that were used before, each as "<kid> <statement_sha256>": none is accepted again. */
  spent: z.array(z.string()),
  registered_at: Timestamp,
  leaf_index: z.int(),
  history: z.array(RegistrationEvent),
});
export type Registration = z.infer<typeof Registration>;

export const Invariant = z
  .object({
    id: z.string().meta({ example: "hard-boundaries" }),
    name: z.string(),
    description: z.string(),
    applies_to: z.array(z.enum(["agent", "site", "registry"])),
  })
  .meta({ id: "Invariant" });
export type Invariant = z.infer<typeof Invariant>;

export const Invariants = z
  .object({
    version: z.string().meta({ example: "1.0" }),
    sha256: Sha256.meta({
      description:
        "Hash of the RFC 8785 form of {version, invariants}; manifests name it in invariants_sha256",
    }),
    invariants: z.array(Invariant),
  })
  .meta({ id: "Invariants" });
export type Invariants = z.infer<typeof Invariants>;

/** Statuses of a ring 4 registration. */
export const REGISTRATION_STATUSES = [
  "registered",
  "pending",
  "expired",
  "lapsed",
  "key_replaced",
  "revoked",
] as const;
export type RegistrationStatus = (typeof REGISTRATION_STATUSES)[number];
