/** Certificates of the notary: a canonical statement, signed, and its place in the transparency log (docs/trust.md). */
import { z } from "zod";
import { Sha256, Timestamp } from "./common.ts";

const Currency = z.string().meta({ description: "ISO 4217", example: "EUR" });
const Minor = z.int().min(0).meta({ description: "In minor units (cents)", example: 1999 });

export const DEVICES = ["desktop", "mobile", "tablet", "agent"] as const;

/** As little of the observer as a comparison needs: a log cannot forget, and a certificate is shown around. */
export const Observer = z.object({
  country: z
    .string()
    .regex(/^[A-Z]{2}$/)
    .nullable()
    .meta({ description: "ISO 3166-1 alpha-2; nothing finer is taken", example: "AT" }),
  device: z.enum(DEVICES).nullable(),
  signed_in: z.boolean().nullable().meta({ description: "Whether the shop knew who looked" }),
});

export const COMPARISON_VERDICTS = ["discrimination", "difference_observed", "no_difference"] as const;
export const Comparison = z
  .object({
    trait: z
      .string()
      .meta({ description: "In what the treatment differed from the control", example: "signed_in" }),
    verdict: z.enum(COMPARISON_VERDICTS).meta({
      description:
        "discrimination: the treatment's price differed from the control's more often than two identical controls differed from each other (exact McNemar test); difference_observed: prices differed, but that is not shown; no_difference",
    }),
    pairs: z.int().meta({ description: "Observations made at the same time" }),
    controlled_pairs: z.int().meta({ description: "Those with a second, identical control (A/A)" }),
    treatment_differs: z.int(),
    control_differs: z.int().meta({ description: "How often the two controls differed: the noise" }),
    p_value: z.number().nullable().meta({ description: "One-sided; null without a controlled pair" }),
    median_difference_minor: z.int().meta({ description: "Treatment less control" }),
    method: z.string(),
  })
  .meta({ id: "PricedComparison" });
export type Comparison = z.infer<typeof Comparison>;

const Subject = z.object({
  host: z.string().meta({ example: "shop.example" }),
  path: z.string().nullable().meta({ description: "Without query and fragment: those may name a person" }),
  product: z.string(),
  seller: z.string().nullable(),
});

const head = {
  cert_id: z.string().meta({ description: "UUIDv7" }),
  notary: z.string().meta({ description: "Name of the log that the certificate stands in" }),
  issued_at: Timestamp,
  subject: Subject,
  currency: Currency,
  minor_digits: z.int().meta({ description: "Digits of the currency after the point" }),
  evidence_sha256: Sha256.nullable().meta({ description: "Of what the caller keeps as evidence" }),
  attests: z.string().meta({ description: "What the signature says, and what it does not" }),
};

export const PriceStatement = z
  .object({
    type: z.literal("bridge-notary/price/1"),
    ...head,
    price_minor: Minor,
    observed_at: Timestamp.meta({ description: "To the minute" }),
    observer: Observer,
    comparison: Comparison.nullable(),
  })
  .meta({ id: "PriceStatement" });

export const PAYMENT_VERDICTS = ["as_agreed", "charged_more", "charged_less", "other_currency"] as const;
export const TransactionStatement = z
  .object({
    type: z.literal("bridge-notary/transaction/1"),
    ...head,
    quantity: z.int(),
    agreed_minor: Minor,
    paid_minor: Minor,
    paid_currency: Currency,
    difference_minor: z.int().nullable().meta({ description: "Paid less agreed; null in another currency" }),
    verdict: z.enum(PAYMENT_VERDICTS),
    agreed_at: Timestamp.nullable(),
    paid_at: Timestamp.nullable(),
    reference_sha256: Sha256.nullable().meta({
      description: "Of the order's own number, with a salt of the caller's",
    }),
  })
  .meta({ id: "TransactionStatement" });

export const Statement = z.discriminatedUnion("type", [PriceStatement, TransactionStatement]);
export type Statement = z.infer<typeof Statement>;

export const Certificate = z
  .object({
    cert_id: z.string(),
    statement: Statement,
    statement_sha256: Sha256.meta({ description: "Of the statement's RFC 8785 form" }),
    signature: z.string().meta({
      description:
        "Ed25519, base64url, over `bridge-notary/1`, a line feed, and the statement's RFC 8785 form",
    }),
    kid: z.string().meta({ description: "Thumbprint (RFC 7638) of the registry's key" }),
    leaf: z.string().meta({ description: "The log's entry, byte for byte" }),
    leaf_index: z.int().min(0),
    inclusion_proof: z
      .array(z.string())
      .meta({ description: "base64, 32 bytes each, the nearest sibling first (RFC 6962 section 2.1.1)" }),
    checkpoint: z
      .string()
      .meta({ description: "Signed note (C2SP tlog-checkpoint) whose root the proof ends at" }),
  })
  .meta({ id: "NotaryCertificate" });
export type Certificate = z.infer<typeof Certificate>;

/** As it is kept. The proof is made anew when it is asked for. */
export const CertificateRecord = z.looseObject({
  v: z.literal(1),
  statement: Statement,
  signature: z.string(),
  leaf: z.string(),
  leaf_index: z.int(),
  /** The checkpoint that it was issued with: later ones must extend it. */
  checkpoint: z.string(),
});
export type CertificateRecord = z.infer<typeof CertificateRecord>;
