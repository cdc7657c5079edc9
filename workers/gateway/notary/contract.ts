/** Cryptographic Notary: certificates of observed prices and of payments, in the transparency log. */
import { z } from "zod";
import { Certificate, COMPARISON_VERDICTS, DEVICES, PAYMENT_VERDICTS } from "../../../schemas/certificate.ts";
import { Sha256, Timestamp } from "../../../schemas/common.ts";
import { defineService } from "../../../src/contract.ts";
import { CERTIFICATE_CHECKS } from "../../../src/domain/certificate.ts";
import { isCurrency } from "../../../src/domain/money.ts";
import { plainText } from "../../../src/validation.ts";
import { Meta } from "../common/finding.ts";

const Currency = z
  .string()
  .regex(/^[A-Z]{3}$/)
  .refine(isCurrency, { error: "must be an ISO 4217 code" })
  .meta({ description: "ISO 4217", example: "EUR" });
const Amount = z.number().min(0).max(1e12).meta({
  description: "In major units, with no more digits than the currency has",
  example: 19.99,
});
const Url = z
  .url({ protocol: /^https?$/ })
  .max(2_048)
  .meta({
    description: "Page of the offer; its query and fragment are left out",
    example: "https://shop.example/tea",
  });
const Evidence = {
  evidence: z.string().max(500_000).optional().meta({
    description: "What was seen (a page, a receipt): only its SHA-256 is kept",
    "x-any-text": true,
  }),
  evidence_sha256: Sha256.optional().meta({
    description: "The same, hashed by the caller; not beside `evidence`",
    example: "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
  }),
};
const subject = {
  url: Url,
  product: plainText(500).meta({ description: "Name or number of the product", example: "Green tea, 100 g" }),
  seller: plainText(128).optional(),
};

const Pair = z.object({
  observed_at: Timestamp.meta({ description: "When all of the pair's prices were seen" }),
  control: Amount.meta({ description: "Price that the control saw" }),
  treatment: Amount.meta({ description: "Price that the observer with the trait saw" }),
  control_again: Amount.optional().meta({
    description: "Price that a second control saw, the same in everything: the A/A control",
  }),
});

export const notary = defineService({
  name: "notary",
  description: "Cryptographic Notary: signed, logged certificates about prices and payments",
  operations: {
    notarizePrice: {
      method: "POST",
      paths: ["/api/v1/notary/price"],
      summary: "Certificate of an observed price",
      description:
        "A comparison says `discrimination` only for paired observations with an A/A control; otherwise at most `difference_observed`.",
      auth: "key",
      plan: "BUSINESS",
      body: z.object({
        ...subject,
        price: Amount,
        currency: Currency,
        observed_at: Timestamp.optional().meta({ description: "Default: now; kept to the minute" }),
        observer: z
          .object({
            country: z
              .string()
              .regex(/^[A-Z]{2}$/)
              .optional()
              .meta({ description: "ISO 3166-1 alpha-2", example: "AT" }),
            device: z.enum(DEVICES).optional(),
            signed_in: z.boolean().optional(),
          })
          .optional()
          .meta({ description: "As coarse as this; nothing that names a person" }),
        ...Evidence,
        comparison: z
          .object({
            trait: plainText(64).meta({
              description: "In what the treatment differed",
              example: "signed_in",
            }),
            pairs: z.array(Pair).min(1).max(1_000),
          })
          .optional(),
      }),
      bodyLimitBytes: 1_048_576,
      reply: z
        .object({
          certificate: Certificate,
          verdict: z.enum([...COMPARISON_VERDICTS, "not_compared"]),
          meta: Meta,
        })
        .meta({ id: "PriceCertificate" }),
      errors: ["invalid_amount", "invalid_time"],
      example:
        '/api/v1/notary/price {"url":"https://shop.example/tea","product":"Green tea, 100 g","price":7.9,"currency":"EUR","observer":{"country":"AT","device":"desktop"}}',
    },
    notarizeTransaction: {
      method: "POST",
      paths: ["/api/v1/notary/transaction"],
      summary: "Certificate of what was agreed and what was paid",
      auth: "key",
      plan: "BUSINESS",
      body: z.object({
        ...subject,
        quantity: z.int().min(1).max(1_000_000).default(1),
        agreed: Amount.meta({ description: "Total that was agreed" }),
        currency: Currency,
        paid: Amount.meta({ description: "Total that was charged" }),
        paid_currency: Currency.optional().meta({ description: "Default: as agreed" }),
        agreed_at: Timestamp.optional(),
        paid_at: Timestamp.optional(),
        reference_sha256: Sha256.optional().meta({
          description: "SHA-256 of the order's number with a salt that the caller keeps",
          example: "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
        }),
        ...Evidence,
      }),
      bodyLimitBytes: 1_048_576,
      reply: z
        .object({ certificate: Certificate, verdict: z.enum(PAYMENT_VERDICTS), meta: Meta })
        .meta({ id: "TransactionCertificate" }),
      errors: ["invalid_amount", "invalid_time"],
      example:
        '/api/v1/notary/transaction {"url":"https://shop.example/tea","product":"Green tea, 100 g","agreed":7.9,"paid":8.4,"currency":"EUR"}',
    },
    verifyCertificate: {
      method: "GET",
      paths: ["/api/v1/notary/verify/{certId}"],
      summary: "Check a certificate, each of its claims by itself",
      auth: "key",
      plan: "BUSINESS",
      params: z.object({ certId: z.uuid().meta({ description: "cert_id of the certificate" }) }),
      reply: z
        .object({
          cert_id: z.string(),
          valid: z.boolean(),
          checks: z.array(
            z.object({
              check: z.enum([...CERTIFICATE_CHECKS, "consistency"]).meta({
                description:
                  "statement: its hash; signature; leaf: the log's entry names both; checkpoint: signed by the log's key; inclusion: the entry is in that tree; consistency: today's tree begins with the one it was issued under",
              }),
              ok: z.boolean(),
            }),
          ),
          certificate: Certificate.meta({ description: "With a proof for the log as it is now" }),
          meta: Meta,
        })
        .meta({ id: "CertificateVerification" }),
      errors: ["certificate_not_found"],
      example: "/api/v1/notary/verify/{{certId}}",
    },
  },
});
