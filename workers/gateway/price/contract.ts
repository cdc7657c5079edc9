/** Price Time Machine: what a price was, whether a reduction is one, and what the same product costs elsewhere. */
import { z } from "zod";
import { ObservedBy } from "../../../schemas/certificate.ts";
import { Host, Timestamp } from "../../../schemas/common.ts";
import { Currency } from "../../../schemas/currency.ts";
import { EvidenceSource } from "../../../schemas/evidence.ts";
import { Meta } from "../../../schemas/finding.ts";
import { CLAIMED_PRICE_VERDICTS, OLDEST_DAYS, PRICE_VERDICTS } from "../../../schemas/price.ts";
import { defineService } from "../../../src/rpc/contract.ts";
import { pastedHostText, plainTextSchema } from "../../../src/rpc/validation.ts";

const Platform = plainTextSchema(64).meta({ description: "Shop or marketplace", example: "shop.example" });
const ProductId = plainTextSchema(128).meta({ description: "The platform's own id", example: "B0012345" });
const Price = z.number().min(0).max(1e12).meta({
  description: "In major units, with no more digits than the currency has",
  example: 19.99,
});
/** Own readings that are listed of a price, and of how many prices: each is a record that is read. */
export const MAX_READINGS = 12;
export const PRICES_WITH_READINGS = 3;

const Minor = z.int().meta({ description: "In minor units (cents)", example: 1999 });

const Basis = z.enum(["corroborated", "claimed"]).meta({
  description:
    "corroborated: observed by the registry itself, or claimed within a day by at least three established accounts from three networks, unless the registry observed otherwise within the hour, or last within the day before; claimed: only callers' claims are known",
});

const assessmentOf = <V extends z.ZodType<string>>(verdict: V) =>
  z.object({
    verdict,
    since: Timestamp.meta({ description: "When today's price was first observed" }),
    price_minor: Minor,
    prior_price_minor: Minor.nullable().meta({ description: "The lowest price of the 30 days before" }),
    actual_percent: z.number().nullable().meta({ description: "Counted from the prior price" }),
    announced_percent: z.number().nullable(),
    coverage: z.number().meta({ description: "Share of the 30 days that was observed, 0 to 1" }),
    rule: z.string().meta({ example: "Directive 98/6/EC, article 6a(1) and (2); CJEU C-330/23" }),
  });

const Assessment = assessmentOf(
  z.enum(PRICE_VERDICTS).meta({
    description:
      "Over corroborated observations alone. genuine: lower than every price of the 30 days before; overstated: less than announced; no_reduction: not lower; insufficient_history: too little of the 30 days is corroborated",
  }),
)
  .extend({
    basis: Basis,
    evidence: EvidenceSource.meta({
      description:
        "fetched: all of it is the registry's own observations, which decide alone where they are enough; reported: callers' claims are part of it",
    }),
  })
  .meta({ id: "PriceAssessment" });

const ClaimedAssessment = assessmentOf(
  z.enum(CLAIMED_PRICE_VERDICTS).meta({ description: "The verdict if all claims but outliers were true" }),
).meta({ id: "ClaimedPriceAssessment", description: "Over claims too: no verdict of this service" });

const ShownSeries = z
  .object({
    seller: z.string(),
    region: z.string(),
    currency: Currency,
    minor_digits: z.int().meta({ description: "Digits of the currency after the point" }),
    lowest_minor: Minor,
    highest_minor: Minor,
    latest_minor: Minor,
    basis: Basis.meta({ description: "What lowest, highest and latest are of" }),
    evidence: EvidenceSource.meta({ description: "Of the latest price" }),
    observers: z.int().meta({
      description: "Different accounts, and networks of keys without one, that observed last; at most 16",
    }),
    steps: z
      .array(
        z.object({
          price_minor: Minor,
          from: Timestamp,
          to: Timestamp,
          observations: z.int(),
          observed_by: ObservedBy,
          corroborated: z.boolean().meta({ description: "false: a claim, which no verdict rests on" }),
          evidence: EvidenceSource.meta({ description: "Of its last observation" }),
          outlier: z.boolean().meta({
            description: "A claim outside of what the others say: shown, and left out of every figure",
          }),
        }),
      )
      .meta({
        description: "Times through which the price was the same, oldest first; claims in steps of their own",
      }),
    assessment: Assessment,
    claimed_assessment: ClaimedAssessment.nullable().meta({
      description: "null: everything is corroborated",
    }),
  })
  .meta({ id: "PriceSeries" });

const identity = { platform: Platform, productId: ProductId };

export const price = defineService({
  name: "price",
  description: "Price Time Machine: price histories, fake discounts, and the same product elsewhere",
  operations: {
    trackPrice: {
      method: "POST",
      waitsForSites: true,
      makes: true,
      paths: ["/api/v1/price/track"],
      summary: "Report an observed price",
      description:
        "A reported price is a claim, and shown as one. Where the offer's address is on the platform's own host, the registry fetches the page itself (https, within robots.txt, without the query, at most once an hour) and records the price that its schema.org data states for the productId: that is what counts.",
      auth: "key",
      limits: { gateway_records: 1 },
      charges: { gateway_fetches: 1 },
      plan: "FREE",
      body: z.object({
        ...identity,
        price: Price,
        currency: Currency,
        observed_at: Timestamp.optional().meta({
          description: `Default: now; at most ${OLDEST_DAYS} days ago. Reported more than an hour late, it stays a claim`,
        }),
        seller: plainTextSchema(128).optional().meta({ description: "Default: the platform itself" }),
        region: plainTextSchema(64).optional().meta({ description: "Where the price holds", example: "AT" }),
        url: z
          .url({ protocol: /^https?$/ })
          .max(2_048)
          .optional(),
        product_name: plainTextSchema(500).optional().meta({
          description: "Its name: by this it is compared with others",
          example: "Sony Cyber-shot DSC-W120 silver",
        }),
      }),
      reply: z
        .object({
          ...identity,
          seller: z.string(),
          region: z.string(),
          currency: Currency,
          price_minor: Minor,
          observed_at: Timestamp,
          observations: z
            .int()
            .meta({ description: "Observations kept of this seller, region and currency" }),
          observed_by: ObservedBy.meta({ description: "Always the caller here" }),
          evidence: EvidenceSource.meta({ description: "Always reported here" }),
          told_late: z.boolean().meta({ description: "Reported more than an hour after the observation" }),
          kept: z.boolean().meta({
            description:
              "false: the series is full of what is better attested, or of what your network reported",
          }),
          corroborated: z.boolean(),
          outlier: z.boolean(),
          look: z.enum(["begun", "recent", "no_url", "foreign_url", "limit"]).meta({
            description:
              "Whether the registry observes the offer itself: begun; recent: it did within the hour; no_url: no address is known; foreign_url: the address is not on the platform's host; limit: too many observations were requested",
          }),
          assessment: Assessment,
          claimed_assessment: ClaimedAssessment.nullable(),
          meta: Meta,
        })
        .meta({ id: "PriceTracked" }),
      errors: ["too_many_series"],
      example:
        '/api/v1/price/track {"platform":"shop.example","productId":"w120","price":129.9,"currency":"EUR","product_name":"Sony Cyber-shot DSC-W120"}',
    },
    getPriceHistory: {
      method: "GET",
      paths: ["/api/v1/price/history/{platform}/{productId}"],
      summary: "Price history of a product, and whether its reduction is genuine",
      auth: "key",
      plan: "FREE",
      params: z.object(identity),
      query: z.object({
        seller: plainTextSchema(128).optional(),
        region: plainTextSchema(64).optional(),
        currency: Currency.optional(),
        days: z.int().min(1).max(1_830).default(365).meta({ description: "Steps of the last so many days" }),
        announced_percent: z.number().min(0).max(100).optional().meta({
          description: "A reduction as it is announced, to be judged",
        }),
        announced_was: Price.optional().meta({ description: "An earlier price as it is announced" }),
      }),
      reply: z
        .object({
          ...identity,
          product_name: z.string().nullable(),
          url: z.string().nullable(),
          named_by: ObservedBy.nullable().meta({ description: "Who gave the name and the address" }),
          series: z.array(ShownSeries),
          meta: Meta,
        })
        .meta({ id: "PriceHistory" }),
      errors: ["not_found"],
      example: "/api/v1/price/history/{{platform}}/{{productId}}?announced_percent=20",
    },
    comparePrices: {
      method: "GET",
      paths: ["/api/v1/price/compare"],
      summary: "The same product at other shops",
      auth: "key",
      plan: "FREE",
      query: z.object({
        product_name: plainTextSchema(500).meta({ example: "Sony Cyber-shot DSC-W120" }),
        brand: plainTextSchema(128).optional(),
        model: plainTextSchema(128).optional(),
        currency: Currency.optional(),
        limit: z.int().min(1).max(100).default(20),
      }),
      reply: z
        .object({
          product_name: z.string(),
          model_version: z.string().meta({ description: "Of the matcher" }),
          threshold: z.number().meta({ description: "Confidence from which `same_product` is true" }),
          matches: z.array(
            z.object({
              ...identity,
              product_name: z.string(),
              url: z.string().nullable(),
              match_confidence: z.number().min(0).max(1).meta({
                description:
                  "Probability that the two are one product, where one of ten offers compared is: off by 0.02 at most on the shops it was measured on; not measured on others",
              }),
              same_product: z.boolean(),
              offers: z.array(
                z.object({
                  seller: z.string(),
                  region: z.string(),
                  currency: Currency,
                  price_minor: Minor,
                  observed_at: Timestamp,
                  corroborated: z.boolean().meta({ description: "false: a caller's claim" }),
                  evidence: EvidenceSource,
                }),
              ),
            }),
          ),
          cheapest: z
            .array(
              z.object({
                currency: Currency,
                price_minor: Minor,
                ...identity,
                seller: z.string(),
                corroborated: z.boolean(),
                evidence: EvidenceSource,
              }),
            )
            .meta({
              description:
                "Of those that are the same product, one a currency: of corroborated prices where there are any, else of claims that are no outliers",
            }),
          meta: Meta,
        })
        .meta({ id: "PriceComparison" }),
      errors: [],
      example: "/api/v1/price/compare?product_name=Sony+DSC-W120",
    },
    listSitePrices: {
      method: "GET",
      paths: ["/api/registry/sites/{domain}/prices"],
      summary: "Prices that the registry read on a site's own pages",
      description:
        "The newest first, one for each product, seller, region and currency. Callers' claims are not among them: `GET /api/v1/price/history/{platform}/{productId}` has those too, marked as such.",
      auth: "none",
      params: z.object({
        domain: pastedHostText(4_096).meta({ description: "A domain in any form", example: "shop.example" }),
      }),
      query: z.object({
        limit: z.int().min(1).max(100).default(20).meta({ description: "Most prices" }),
      }),
      reply: z
        .object({
          domain: Host,
          total: z.int().min(0).meta({ description: "Prices that are remembered of this host" }),
          prices: z.array(
            z.object({
              ...identity,
              seller: z.string(),
              region: z.string(),
              currency: Currency,
              minor_digits: z.int().meta({ description: "Digits of the currency after the point" }),
              price_minor: Minor,
              observed_at: Timestamp,
              page: z.string().meta({ description: "The page that stated it, without its query" }),
              readings: z.array(z.object({ at: Timestamp, price_minor: Minor })).meta({
                description: `What the registry itself read, the newest last, at most ${MAX_READINGS}; of the first ${PRICES_WITH_READINGS} prices`,
              }),
            }),
          ),
        })
        .meta({ id: "SitePrices" }),
      errors: ["invalid_domain"],
      example: "/api/registry/sites/shop.example/prices",
    },
  },
});
