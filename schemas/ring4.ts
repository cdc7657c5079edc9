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
  description: "What the agent did with the trust it found",
  example: "recognize",
});

export const OUTCOMES = ["success", "failure", "refused", "partial"] as const;
export const Outcome = z.enum(OUTCOMES).meta({ description: "How it ended", example: "success" });

export const ProjectId = z.uuid().meta({
  description: "A project's id, as its account was given it",
  example: "0193a5f0-7d1c-7cc3-8a51-0d6f2b3c4d5e",
});

const head = { v: z.literal(1), id: z.string().max(64), at: Timestamp };

/** An agent's own record of one interaction. Nothing personal may stand in it: a log cannot forget. */
export const InteractionEntry = z.object({
  ...head,
  kind: z.literal("interaction"),
  project_id: ProjectId,
  domain: Host.optional(),
  event_type: EventType,
  outcome: Outcome,
});

/** A domain proved by its key that it registers. */
export const RegistrationEntry = z.object({
  ...head,
  kind: z.literal("registration"),
  domain: Host,
  kid: z.string().max(64),
  /** SHA-256 of the bytes that the proof signs. */
  statement_sha256: Sha256,
  proof: z.string().max(128),
});

/** A certificate of the notary, by the hash of its signed statement: what it says stays out of the log. */
export const CertificateEntry = z.object({
  ...head,
  kind: z.literal("certificate"),
  /** SHA-256 of the statement's RFC 8785 form. */
  statement_sha256: Sha256,
  signature: z.string().max(128),
  /** Who saw what it certifies, as the statement has it; entries of old do not say, and were callers' all. */
  observed_by: z.enum(["registry", "caller"]).optional(),
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
    leaf_index: z.int().min(0).meta({ description: "Its place in the transparency log" }),
  })
  .meta({ id: "RegistrationEvent" });

/** One a domain, written by trust. Whether it makes ring 4 is the crawl's to see: ring 3, and the key still in DNS. */
export const Registration = z.looseObject({
  v: z.literal(1),
  domain: Host,
  kid: z.string(),
  capabilities: z.array(z.string()),
  constraints: z.array(z.string()),
  project_id: z.string().nullable(),
  /** As the owner signed it; a later proof may not be older. */
  issued_at: Timestamp.nullable(),
  statement_sha256: z.string(),
  /** Proofs without a time that it rested on before, each as "<kid> <statement_sha256>": none is taken again. */
  spent: z.array(z.string()).default([]),
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
      description: "Of the RFC 8785 form of {version, invariants}: what a manifest's invariants_sha256 names",
    }),
    invariants: z.array(Invariant),
  })
  .meta({ id: "Invariants" });
export type Invariants = z.infer<typeof Invariants>;

/** What a registration for ring 4 can be worth. */
export const REGISTRATION_STANDINGS = [
  "registered",
  "pending",
  "expired",
  "lapsed",
  "key_replaced",
  "revoked",
] as const;
export type RegistrationStanding = (typeof REGISTRATION_STANDINGS)[number];
