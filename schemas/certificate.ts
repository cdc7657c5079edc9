/** Certificates of the notary: a canonical statement, signed, and its place in the transparency log (docs/trust.md). */
import { z } from "zod";
import { Sha256, Timestamp } from "./common.ts";

const Currency = z.string().meta({ description: "ISO 4217", example: "EUR" });
const Minor = z.int().min(0).meta({ description: "In minor units (cents)", example: 1999 });

export const DEVICES = ["desktop", "mobile", "tablet", "agent"] as const;

/** The minimum about the observer that a comparison needs: the log is append-only, and certificates are passed on. */
export const Observer = z.object({
  country: z
    .string()
    .regex(/^[A-Z]{2}$/)
    .nullable()
    .meta({ description: "ISO 3166-1 alpha-2; nothing finer is accepted", example: "AT" }),
  device: z.enum(DEVICES).nullable(),
  signed_in: z.boolean().nullable().meta({ description: "Whether the observer was signed in at the shop" }),
});

export const OBSERVERS = ["registry", "caller"] as const;
export const ObservedBy = z.enum(OBSERVERS).meta({
  description:
    "Who observed what is certified. registry: the notary fetched the page itself; caller: the caller claims it, and the notary did not observe it",
  example: "caller",
});
export type ObservedBy = z.infer<typeof ObservedBy>;

/** Verdicts on pairs that a caller claims: the notary observed none of them, and each verdict says so. */
export const CLAIMED_VERDICTS = [
  "claimed_discrimination",
  "claimed_difference",
  "claimed_no_difference",
] as const;
export const ClaimedComparison = z
  .object({
    trait: z
      .string()
      .meta({ description: "The trait in which treatment and control differ", example: "signed_in" }),
    verdict: z.enum(CLAIMED_VERDICTS).meta({
      description:
        "claimed_discrimination: in the pairs that the caller claims, the treatment's price differed from the control's more often than two identical controls differed from each other (exact McNemar test); claimed_difference: prices differed, but not significantly; claimed_no_difference",
    }),
    pairs: z.int().meta({ description: "Observations made at the same time" }),
    controlled_pairs: z.int().meta({ description: "Those with a second, identical control (A/A)" }),
    treatment_differs: z.int(),
    control_differs: z.int().meta({ description: "How often the two controls differed: the noise" }),
    p_value: z.number().nullable().meta({ description: "One-sided; null without a controlled pair" }),
    median_difference_minor: z.int().meta({ description: "Treatment less control" }),
    method: z.string(),
    observed_by: z.literal("caller"),
  })
  .meta({ id: "ClaimedComparison" });
export type ClaimedComparison = z.infer<typeof ClaimedComparison>;

const Subject = z.object({
  host: z.string().meta({ example: "shop.example" }),
  path: z
    .string()
    .nullable()
    .meta({ description: "Without query and fragment, which may identify a person" }),
  product: z.string(),
  seller: z.string().nullable(),
});

const head = {
  cert_id: z.string().meta({ description: "UUIDv7" }),
  notary: z.string().meta({ description: "Name of the log that contains the certificate" }),
  issued_at: Timestamp,
  subject: Subject,
  currency: Currency,
  minor_digits: z.int().meta({ description: "Digits of the currency after the point" }),
  evidence_sha256: Sha256.nullable().meta({ description: "Hash of the evidence that the caller keeps" }),
  attests: z.string().meta({ description: "What the signature says, and what it does not" }),
};

const price = {
  ...head,
  price_minor: Minor,
  observed_at: Timestamp.meta({ description: "To the minute" }),
  observer: Observer,
};

/** A caller's claim of a price. */
export const ClaimedPriceStatement = z
  .object({
    type: z.literal("bridge-notary/claimed-price/2"),
    ...price,
    comparison: ClaimedComparison.nullable(),
    observed_by: z.literal("caller"),
  })
  .meta({ id: "ClaimedPriceStatement" });

/** A price that the notary itself read in the structured data of a page it fetched. */
export const ObservedPriceStatement = z
  .object({
    type: z.literal("bridge-notary/observed-price/2"),
    ...price,
    comparison: z
      .null()
      .meta({ description: "Always null: the notary is a single observer and compares nothing" }),
    observed_by: z.literal("registry"),
    observed_url: z.string().meta({
      description: "The fetched page, after redirects, without its query",
      example: "https://shop.example/tea",
    }),
    evidence_sha256: Sha256.meta({ description: "Hash of the fetched body, byte for byte" }),
  })
  .meta({ id: "ObservedPriceStatement" });

export const CLAIMED_PAYMENT_VERDICTS = [
  "claimed_as_agreed",
  "claimed_charged_more",
  "claimed_charged_less",
  "claimed_other_currency",
] as const;
/** A caller's claim of a payment: the notary observes none. */
export const ClaimedTransactionStatement = z
  .object({
    type: z.literal("bridge-notary/claimed-transaction/2"),
    ...head,
    quantity: z.int(),
    agreed_minor: Minor,
    paid_minor: Minor,
    paid_currency: Currency,
    difference_minor: z.int().nullable().meta({ description: "Paid less agreed; null in another currency" }),
    verdict: z.enum(CLAIMED_PAYMENT_VERDICTS),
    agreed_at: Timestamp.nullable(),
    paid_at: Timestamp.nullable(),
    reference_sha256: Sha256.nullable().meta({
      description: "Hash of the order number with a salt of the caller's choice",
    }),
    observed_by: z.literal("caller"),
  })
  .meta({ id: "ClaimedTransactionStatement" });

export const Statement = z.discriminatedUnion("type", [
  ClaimedPriceStatement,
  ObservedPriceStatement,
  ClaimedTransactionStatement,
]);
export type Statement = z.infer<typeof Statement>;

export const Certificate = z
  .object({
    cert_id: z.string(),
    statement: Statement,
    statement_sha256: Sha256.meta({ description: "Hash of the statement's RFC 8785 form" }),
    signature: z.string().meta({
      description:
        "Ed25519, base64url, over `bridge-notary/1`, a line feed, and the statement's RFC 8785 form",
    }),
    kid: z.string().meta({ description: "Thumbprint (RFC 7638) of the registry's key" }),
    leaf: z.string().meta({ description: "The log entry, byte for byte" }),
    leaf_index: z.int().min(0),
    inclusion_proof: z
      .array(z.string())
      .meta({ description: "base64, 32 bytes each, the nearest sibling first (RFC 6962 section 2.1.1)" }),
    checkpoint: z
      .string()
      .meta({ description: "Signed note (C2SP tlog-checkpoint) with the root that the proof computes" }),
  })
  .meta({ id: "NotaryCertificate" });
export type Certificate = z.infer<typeof Certificate>;

/** The stored certificate. The proof is computed on request. */
export const CertificateRecord = z.looseObject({
  v: z.literal(1),
  statement: Statement,
  signature: z.string(),
  leaf: z.string(),
  leaf_index: z.int(),
  /** The checkpoint at issue: later ones must extend it. */
  checkpoint: z.string(),
});
export type CertificateRecord = z.infer<typeof CertificateRecord>;

/** What a verifier checks of a certificate by itself. */
export const CERTIFICATE_CHECKS = ["statement", "signature", "leaf", "checkpoint", "inclusion"] as const;
export type CertificateCheck = (typeof CERTIFICATE_CHECKS)[number];
