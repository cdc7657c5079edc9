/** Cryptographic Notary: certificates of observed prices and of payments, in the transparency log. */
import { z } from "zod";
import {
  CERTIFICATE_CHECKS,
  Certificate,
  CLAIMED_PAYMENT_VERDICTS,
  CLAIMED_VERDICTS,
  DEVICES,
  ObservedBy,
} from "../../../schemas/certificate.ts";
import { Sha256, Timestamp } from "../../../schemas/common.ts";
import { Currency } from "../../../schemas/currency.ts";
import { EvidenceSource } from "../../../schemas/evidence.ts";
import { Meta } from "../../../schemas/finding.ts";
import { defineService } from "../../../src/rpc/contract.ts";
import { plainTextSchema } from "../../../src/rpc/validation.ts";

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
    description: "What was observed (a page, a receipt): only its SHA-256 is stored",
    "x-any-text": true,
  }),
  evidence_sha256: Sha256.optional().meta({
    description: "The same, hashed by the caller; not beside `evidence`",
    example: "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
  }),
};
const subject = {
  url: Url,
  product: plainTextSchema(500).meta({
    description: "Name or number of the product",
    example: "Green tea, 100 g",
  }),
  seller: plainTextSchema(128).optional(),
};

const Pair = z.object({
  observed_at: Timestamp.meta({ description: "When all of the pair's prices were observed" }),
  control: Amount.meta({ description: "Price shown to the control" }),
  treatment: Amount.meta({ description: "Price shown to the observer with the trait" }),
  control_again: Amount.optional().meta({
    description: "Price shown to a second control, identical in everything: the A/A control",
  }),
});

const FetchedPrice = z
  .object({
    price_minor: z.int().min(0).meta({ description: "In minor units (cents)", example: 1999 }),
    agrees: z.boolean().meta({ description: "Whether the claim is what the registry fetched" }),
    evidence: EvidenceSource,
  })
  .meta({ id: "FetchedPrice" });
const beside = {
  evidence: EvidenceSource,
  fetched: FetchedPrice.nullable().meta({
    description:
      "Of a claim: what the registry itself fetched of the product's price within an hour of it, which weighs more (price/track has it fetched; the claim's product is the productId there); null where it fetched nothing",
  }),
};

/** Members of a claim only: what the notary observes itself has none of them. */
const CLAIMS = [
  "price",
  "seller",
  "observed_at",
  "observer",
  "evidence",
  "evidence_sha256",
  "comparison",
] as const;

export const notary = defineService({
  name: "notary",
  description: "Cryptographic Notary: signed, logged certificates about prices and payments",
  operations: {
    notarizePrice: {
      method: "POST",
      waitsForSites: true,
      makes: true,
      paths: ["/api/v1/notary/price"],
      summary: "Certificate of a price: observed by the notary itself, or claimed by the caller",
      description:
        "`observed_by: registry` has the notary fetch the page itself (https, robots.txt obeyed, without the query) and certify the price that its schema.org data names for the product; `price`, `seller`, `observed_at`, `observer`, `evidence` and `comparison` are a caller's to claim, and are not sent then. Otherwise the certificate is of a claim, and says so in its type, in its statement, in the log and in every verdict: a comparison is at most `claimed_discrimination`, and that only for pairs with an A/A control.",
      auth: "key",
      limits: { gateway_records: 1 },
      charges: { gateway_fetches: 1 },
      plan: "BUSINESS",
      body: z
        .object({
          ...subject,
          observed_by: ObservedBy.default("caller"),
          price: Amount.optional().meta({
            description:
              "The price that the caller claims, in major units; not sent with `observed_by: registry`",
            example: 19.99,
          }),
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
              trait: plainTextSchema(64).meta({
                description: "In what the treatment differed",
                example: "signed_in",
              }),
              pairs: z.array(Pair).min(1).max(1_000),
            })
            .optional()
            .meta({ description: "Pairs that the caller claims: a verdict on them is a claim too" }),
        })
        .superRefine(needsItsOwn),
      bodyLimitBytes: 1_048_576,
      timeoutMs: 20_000,
      reply: z
        .object({
          certificate: Certificate,
          observed_by: ObservedBy,
          ...beside,
          verdict: z.enum([...CLAIMED_VERDICTS, "not_compared"]),
          meta: Meta,
        })
        .meta({ id: "PriceCertificate" }),
      errors: ["invalid_amount", "invalid_time", "not_observed", "rate_limited"],
      example:
        '/api/v1/notary/price {"url":"https://shop.example/tea","product":"Green tea, 100 g","price":7.9,"currency":"EUR","observer":{"country":"AT","device":"desktop"}}',
    },
    notarizeTransaction: {
      method: "POST",
      makes: true,
      paths: ["/api/v1/notary/transaction"],
      summary: "Certificate of what a caller says was agreed and paid",
      description:
        "The notary sees no payment: the certificate is of a claim, and its type, its statement, the log and the verdict say so.",
      auth: "key",
      limits: { gateway_records: 1 },
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
        .object({
          certificate: Certificate,
          observed_by: ObservedBy,
          evidence: EvidenceSource,
          verdict: z.enum(CLAIMED_PAYMENT_VERDICTS),
          meta: Meta,
        })
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
          valid: z.boolean().meta({
            description: "Whether every check holds: that it was issued and stands; not that a claim is true",
          }),
          observed_by: ObservedBy,
          ...beside,
          meaning: z.string().meta({ description: "What a valid certificate of this kind shows, in words" }),
          checks: z.array(
            z.object({
              check: z.enum([...CERTIFICATE_CHECKS, "consistency"]).meta({
                description:
                  "statement: its hash; signature; leaf: the log's entry names both, and the same observer; checkpoint: signed by the log's key; inclusion: the entry is in that tree; consistency: today's tree begins with the one it was issued under",
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

/** A claim needs its price; an observation of the notary takes no claim beside it. */
function needsItsOwn(
  body: { observed_by: ObservedBy } & { [K in (typeof CLAIMS)[number]]?: unknown },
  context: z.RefinementCtx,
): void {
  const wrong = (name: string, message: string) =>
    context.addIssue({ code: "custom", path: [name], message, input: body });
  if (body.observed_by === "registry") {
    for (const name of CLAIMS)
      if (body[name] !== undefined) wrong(name, "is a claim: not beside observed_by: registry");
  } else if (body.price === undefined) wrong("price", "is required, or observed_by: registry");
}
