/** What a stranger needs to check a site without trusting the registry (docs/trust.md, "Evidence of a site"). */
import { z } from "zod";
import { Host, Timestamp } from "./common.ts";

const Base64 = z.string().meta({ description: "Standard base64 with padding" });

const SignedSet = z
  .object({
    owner: z.string().meta({ description: "Lower case, without a final dot; empty for the root" }),
    type: z.int().meta({ description: "5 CNAME, 16 TXT, 43 DS, 48 DNSKEY", example: 16 }),
    ttl: z.int().min(0).meta({ description: "Seconds that are left" }),
    data: z.array(Base64).meta({ description: "Data of each record, as in RFC 1035, names uncompressed" }),
    signatures: z.array(Base64).meta({ description: "Data of each RRSIG record (RFC 4034 section 3.1)" }),
  })
  .meta({ id: "SignedRecordSet" });

export const UNPROVEN_REASONS = ["no_record", "dns_failed", "unsigned", "no_ds", "too_long"] as const;

export const SiteEvidence = z
  .object({
    version: z.literal("bridge-evidence/1"),
    domain: Host,
    observed_at: Timestamp.nullable().meta({ description: "When a visit last read the document" }),
    dns: z.object({
      name: z.string().meta({ example: "_bridge.shop.example" }),
      reason: z.enum(UNPROVEN_REASONS).nullable().meta({
        description:
          "null: the sets lead from the root to the record. Otherwise what ends them: no_record, dns_failed; unsigned: a zone without signatures; no_ds: a signed zone that its parent does not vouch for; too_long",
      }),
      txt: z.array(z.string()).meta({ description: "The records as the registry reads them" }),
      sets: z.array(SignedSet),
    }),
    manifest: z
      .object({
        discovery_url: z.string().nullable(),
        protected: z.string(),
        payload: z.string(),
        signature: z.string(),
        document: z.string().meta({
          description: "RFC 8785 form of the document without `manifest`: the bytes that were signed",
        }),
      })
      .nullable()
      .meta({ description: "null: the document is not signed, or none is known" }),
    log: z.object({
      checkpoint: z.string().meta({ description: "Newest checkpoint, as a signed note" }),
      registration: z
        .object({
          leaf: z.string().meta({ description: "What the log's tree hashes, byte for byte" }),
          salt: Base64.optional().meta({
            description: "Of a leaf that commits to its entry: SHA-256(salt ∥ entry)",
          }),
          entry: z
            .string()
            .optional()
            .meta({ description: "The entry that the leaf commits to; absent: the leaf is the entry" }),
          leaf_index: z.int().min(0),
          inclusion_proof: z.array(Base64),
        })
        .nullable()
        .meta({ description: "The site's newest registration; null: it never registered" }),
      consistency_proof: z.array(Base64).nullable().meta({
        description: "From `log_size` to the checkpoint; null: it was not sent, or is larger than the log",
      }),
    }),
  })
  .meta({ id: "SiteEvidence" });
export type SiteEvidence = z.infer<typeof SiteEvidence>;
