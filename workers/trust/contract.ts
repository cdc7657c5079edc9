/** Ring 4: registration with proof, the transparency log, the invariants. */
import { z } from "zod";
import { Sha256, Timestamp, TrustRing } from "../../schemas/common.ts";
import { MAX_LOGGED_ENTRIES, SiteObservations } from "../../schemas/observation-log.ts";
import {
  EventType,
  InteractionOutcome,
  Invariants,
  ProjectId,
  REGISTRATION_STATUSES,
  RegistrationEvent,
} from "../../schemas/ring4.ts";
import { SiteEvidence } from "../../schemas/site-evidence.ts";
import { defineService } from "../../src/rpc/contract.ts";
import { hostText, pastedHostText, plainTextSchema } from "../../src/rpc/validation.ts";

const Domain = hostText(1_024).meta({ description: "Host name", example: "shop.example" });
const Capabilities = z
  .array(plainTextSchema(64))
  .max(64)
  .meta({ description: "What the site lets an agent do", example: ["read", "book-table"] });
const Constraints = z
  .array(plainTextSchema(256))
  .max(64)
  .meta({ description: "What an agent must observe", example: ["no-resale"] });
const Signature = z
  .string()
  .regex(/^[A-Za-z0-9_-]{86}$/, "must be 64 bytes in base64url without padding")
  .meta({ description: "Ed25519 (RFC 8032), 64 bytes in base64url without padding" });
const RegistrationStatus = z.enum(REGISTRATION_STATUSES).meta({
  description:
    "registered: ring 4; pending: no visit has found ring 3 yet; expired: the manifest expired; lapsed: below ring 3; key_replaced: the key of the proof is no longer in DNS; revoked",
});
const Check = z
  .object({
    check: z.enum(["txt", "proof", "document", "signature", "invariants"]),
    ok: z.boolean(),
    detail: z.string(),
  })
  .meta({ id: "Ring4Check" });
const LogSize = z.int().min(1).max(Number.MAX_SAFE_INTEGER).optional().meta({
  description: "Size of the log that you saw last: a consistency proof from there is included",
});
const LeafIndex = z.int().min(0).meta({ description: "Index in the transparency log, from 0" });
const Note = z.string().meta({
  description: "Checkpoint that covers the entry, as a signed note (C2SP tlog-checkpoint)",
});

const registrationBody = z.object({
  domain: Domain,
  capabilities: Capabilities.optional(),
  constraints: Constraints.optional(),
  project_id: ProjectId.optional(),
  issued_at: Timestamp.optional().meta({
    description:
      "Time of the signature, at most 60 s ahead of the registry's clock; older proofs of this domain are then rejected",
  }),
  proof: Signature.optional().meta({
    description:
      "Signature by a key of the domain's TXT record over the RFC 8785 form of this body without `proof`; `bridge register` makes it",
  }),
});

export const trust = defineService({
  name: "trust",
  description: "Ring 4: registration with proof, interaction log, invariants",
  operations: {
    registerDomain: {
      method: "POST",
      waitsForSites: true,
      makes: true,
      paths: ["/api/ring4/register"],
      summary: "Register a domain with proof",
      description:
        "Ring 4 is ring 3 with a registration by a key in the domain's TXT record. Without a valid proof, the error says what to sign.",
      auth: "none",
      limits: { registrations_of_domains: 1 },
      charges: { registrations_of_domains: 1 },
      body: registrationBody,
      reply: z
        .object({
          domain: z.string(),
          trust_ring: TrustRing,
          trust_score: z.number().min(0).max(100),
          expires_at: Timestamp.nullable().meta({ description: "When the manifest, and so ring 4, expires" }),
          status: RegistrationStatus,
          checks: z.array(Check),
          leaf_index: LeafIndex,
          checkpoint: Note,
        })
        .meta({ id: "Ring4Registration" }),
      errors: ["invalid_domain", "invalid_time", "proof_required", "proof_outdated", "rate_limited"],
      timeoutMs: 20_000,
      example: "/api/ring4/register {{registration}}",
    },
    getRegistration: {
      method: "GET",
      waitsForSites: true,
      paths: ["/api/ring4/status/{domain}"],
      summary: "Current status of a domain's registration",
      auth: "none",
      limits: { dns_names: 1 },
      params: z.object({ domain: hostText(300).meta({ description: "Host name", example: "shop.example" }) }),
      reply: z
        .object({
          domain: z.string(),
          trust_ring: TrustRing,
          trust_score: z.number().min(0).max(100),
          status: RegistrationStatus,
          last_verified: Timestamp.nullable(),
          capabilities: Capabilities,
          constraints: Constraints,
          ttl_seconds: z.int().nullable().meta({ description: "How long a handshake may be reused" }),
          expires_at: Timestamp.nullable(),
          history: z.array(RegistrationEvent),
        })
        .meta({ id: "Ring4Status" }),
      errors: ["invalid_domain", "not_registered"],
      example: "/api/ring4/status/{{registeredDomain}}",
    },
    siteEvidence: {
      method: "GET",
      waitsForSites: true,
      paths: ["/api/registry/sites/{domain}/evidence"],
      summary: "Evidence that a site is what the registry says, to be checked without trusting it",
      description:
        "The signed DNS records from the root to the site's TXT record (asked for now), the manifest with the document that it signs (as the last good visit read it), and a proof that the log has the site's registration. `dns.reason` says where the records end for a zone that is not signed.",
      auth: "none",
      limits: { dns_names: 2 },
      params: z.object({
        domain: pastedHostText(4_096).meta({ description: "A domain in any form", example: "shop.example" }),
      }),
      query: z.object({ log_size: LogSize }),
      reply: SiteEvidence,
      errors: ["invalid_domain", "site_not_registered"],
      timeoutMs: 15_000,
      example: "/api/registry/sites/{{enabledHost}}/evidence",
    },
    listObservations: {
      method: "GET",
      paths: ["/api/registry/sites/{domain}/observations"],
      summary: "History of a site's verdict and of what was seen of its services, with proofs",
      description:
        "A leaf of the transparency log for each change, each naming the one before it of the same subject. Entries have closed words and digests alone. Without `subject` the verdict's history; `subjects` lists the others.",
      auth: "none",
      params: z.object({
        domain: pastedHostText(4_096).meta({ description: "A domain in any form", example: "shop.example" }),
      }),
      query: z.object({
        subject: Sha256.optional().meta({ description: "Whose history, as `subjects` names it" }),
        cursor: z
          .string()
          .regex(/^(?:0|[1-9]\d{0,15})$/)
          .optional()
          .meta({ description: "next_cursor of the page before" }),
        limit: z
          .int()
          .min(1)
          .max(MAX_LOGGED_ENTRIES)
          .default(10)
          .meta({ description: "Maximum number of entries" }),
        log_size: LogSize,
      }),
      reply: SiteObservations,
      errors: ["invalid_domain", "site_not_registered", "not_found", "invalid_cursor"],
      example: "/api/registry/sites/{{enabledHost}}/observations",
    },
    verifySignature: {
      method: "POST",
      waitsForSites: true,
      paths: ["/api/ring4/verify"],
      summary: "Verify a signature by a domain's key",
      auth: "none",
      limits: { dns_names: 1 },
      body: z.object({
        domain: Domain,
        message: z
          .string()
          .max(32_768)
          .meta({ description: "The text that was signed, as UTF-8", example: "hello", "x-any-text": true }),
        signature: Signature,
      }),
      reply: z
        .object({
          valid: z.boolean(),
          key: z.string().nullable().meta({ description: "Thumbprint (RFC 7638) of the key that signed" }),
          reason: z
            .enum([
              "signature_right",
              "signature_wrong",
              "dns_failed",
              "dns_bogus",
              "no_txt",
              "txt_invalid",
              "txt_ambiguous",
              "key_revoked",
            ])
            .meta({ description: "Stable; match on this" }),
        })
        .meta({ id: "Ring4Verification" }),
      errors: ["invalid_domain"],
      example:
        '/api/ring4/verify {"domain":"shop.example","message":"hello","signature":"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"}',
    },
    logInteraction: {
      method: "POST",
      makes: true,
      paths: ["/api/ring4/log"],
      summary: "Log an interaction",
      description:
        "Appends to the public transparency log, which is append-only: entries must not contain personal data. At most 600 entries per minute and project.",
      auth: "project",
      body: z.object({
        project_id: ProjectId,
        domain: Domain.optional(),
        event_type: EventType,
        outcome: InteractionOutcome,
      }),
      reply: z
        .object({ id: z.string().meta({ description: "UUIDv7" }), leaf_index: LeafIndex, checkpoint: Note })
        .meta({ id: "LoggedEvent" }),
      errors: ["invalid_domain", "permission_denied"],
      example:
        '/api/ring4/log {"project_id":"{{writingProject}}","domain":"shop.example","event_type":"recognize","outcome":"success"}',
    },
    listInteractions: {
      method: "GET",
      paths: ["/api/ring4/log/{project_id}"],
      summary: "Interactions that a project logged",
      description: "Oldest first. Public, like the whole log.",
      auth: "none",
      params: z.object({ project_id: ProjectId }),
      query: z.object({
        limit: z.int().min(1).max(200).default(50).meta({ description: "Maximum number of events" }),
        cursor: plainTextSchema(32)
          .meta({ pattern: "^(?:0|[1-9][0-9]{0,15})$" })
          .optional()
          .meta({ description: "next_cursor of the previous page" }),
      }),
      reply: z
        .object({
          project_id: ProjectId,
          count: z.int().min(0),
          events: z.array(
            z.object({
              id: z.string(),
              leaf_index: LeafIndex,
              at: Timestamp,
              domain: z.string().nullable(),
              event_type: EventType,
              outcome: InteractionOutcome,
            }),
          ),
          erased: z
            .array(LeafIndex)
            .meta({ description: "Entries of this page that were erased or blocked" }),
          next_cursor: z.string().nullable(),
        })
        .meta({ id: "ProjectLog" }),
      errors: ["invalid_cursor"],
      example: "/api/ring4/log/0193a5f0-7d1c-7cc3-8a51-0d6f2b3c4d5e?limit=10",
    },
    getInvariants: {
      method: "GET",
      paths: ["/api/ring4/invariants"],
      summary: "Invariants that an agent commits to during the handshake",
      auth: "none",
      reply: Invariants,
      errors: [],
      example: "/api/ring4/invariants",
    },
    getLogCheckpoint: {
      method: "GET",
      paths: ["/.well-known/bridge-log/checkpoint"],
      summary: "Newest signed checkpoint of the transparency log",
      description:
        "A signed note (C2SP tlog-checkpoint) with the log's name, size and root, and the cosignatures (C2SP tlog-cosignature) that it has by now.",
      auth: "none",
      query: z.object({
        witnessed: z.boolean().default(false).meta({
          description:
            "The newest that a quorum of the registry's witnesses cosigned, which is seconds to minutes old",
        }),
      }),
      reply: z.string(),
      contentType: "text/plain",
      errors: ["not_found"],
      example: "/.well-known/bridge-log/checkpoint",
    },
    getLogKey: {
      method: "GET",
      paths: ["/.well-known/bridge-log/key"],
      summary: "Key that signs the transparency log's checkpoints",
      description: "In signed note format. Pin it: verification of the log depends on a pinned key.",
      auth: "none",
      reply: z.string(),
      contentType: "text/plain",
      errors: [],
      example: "/.well-known/bridge-log/key",
    },
    getLogTile: {
      method: "GET",
      paths: ["/.well-known/bridge-log/tile/{rest}"],
      summary: "Tile or bundle of entries of the transparency log",
      description:
        "C2SP tlog-tiles: `<level>/<index>` for hashes, `entries/<index>` for entries, followed by `.p/<width>` for a partial one; `bridge log verify` reads them all.",
      auth: "none",
      params: z.object({
        rest: z
          .string()
          .max(64)
          .meta({ description: "Tile as C2SP tlog-tiles names it", example: "0/x001/067.p/5" }),
      }),
      reply: z.custom<Uint8Array>((value) => value instanceof Uint8Array),
      contentType: "application/octet-stream",
      errors: ["not_found", "entry_erased", "entry_blocked"],
      example: "/.well-known/bridge-log/tile/0/{{logTile}}",
    },
    getLogEntry: {
      method: "GET",
      paths: ["/.well-known/bridge-log/entry/{index}"],
      summary: "One entry of the transparency log",
      description:
        "The leaf as the tree hashes it. A leaf of version 2 commits to its entry: base64 of SHA-256(salt ∥ entry). An entry that was erased leaves its leaf and every proof as they were.",
      auth: "none",
      params: z.object({
        index: z
          .string()
          .regex(/^(?:0|[1-9]\d{0,15})$/)
          .meta({ description: "Index of the leaf", example: "1234" }),
      }),
      reply: z
        .object({
          leaf_index: LeafIndex,
          leaf: z.string().meta({ description: "What the tree hashes, byte for byte" }),
          salt: z.string().nullable().meta({ description: "Base64; null: the leaf is the entry itself" }),
          entry: z.string().meta({ description: "The entry, byte for byte" }),
        })
        .meta({ id: "LoggedEntry" }),
      errors: ["not_found", "entry_erased", "entry_blocked"],
      example: "/.well-known/bridge-log/entry/{{logLeaf}}",
    },
    listLogErasures: {
      method: "GET",
      paths: ["/.well-known/bridge-log/erasures"],
      summary: "Entries of the transparency log that an operator took away",
      description:
        "`erased`: the leaf commits to an entry that is no more. `blocked`: the leaf is the entry itself, and is not shown; the bundle that holds it answers 451.",
      auth: "none",
      reply: z
        .object({
          erasures: z.array(
            z.object({
              leaf_index: LeafIndex,
              at: Timestamp,
              form: z.enum(["erased", "blocked"]),
              why: z.string(),
            }),
          ),
        })
        .meta({ id: "LogErasures" }),
      errors: [],
      example: "/.well-known/bridge-log/erasures",
    },
  },
});
