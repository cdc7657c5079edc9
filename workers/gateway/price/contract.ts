/** Price Time Machine: what a price was, whether a reduction is one, and what the same product costs elsewhere. */
import { z } from "zod";
import { Timestamp } from "../../../schemas/common.ts";
import { defineService } from "../../../src/contract.ts";
import { isCurrency } from "../../../src/domain/money.ts";
import { plainText } from "../../../src/validation.ts";
import { Meta } from "../common/finding.ts";
import { VERDICTS } from "./rules.ts";

const Platform = plainText(64).meta({ description: "Shop or marketplace", example: "shop.example" });
const ProductId = plainText(128).meta({ description: "The platform's own id", example: "B0012345" });
const Currency = z
  .string()
  .regex(/^[A-Z]{3}$/)
  .refine(isCurrency, { error: "must be an ISO 4217 code" })
  .meta({ description: "ISO 4217", example: "EUR" });
const Price = z.number().min(0).max(1e12).meta({
  description: "In major units, with no more digits than the currency has",
  example: 19.99,
});
const Minor = z.int().meta({ description: "In minor units (cents)", example: 1999 });

const Assessment = z
  .object({
    verdict: z.enum(VERDICTS).meta({
      description:
        "genuine: lower than every price of the 30 days before; overstated: less than announced; no_reduction: not lower; insufficient_history: too little is known of the 30 days",
    }),
    since: Timestamp.meta({ description: "When today's price was first seen" }),
    price_minor: Minor,
    prior_price_minor: Minor.nullable().meta({ description: "The lowest price of the 30 days before" }),
    actual_percent: z.number().nullable().meta({ description: "Counted from the prior price" }),
    announced_percent: z.number().nullable(),
    coverage: z.number().meta({ description: "Share of the 30 days that was observed, 0 to 1" }),
    rule: z.string().meta({ example: "Directive 98/6/EC, article 6a(1) and (2); CJEU C-330/23" }),
  })
  .meta({ id: "PriceAssessment" });

const ShownSeries = z
  .object({
    seller: z.string(),
    region: z.string(),
    currency: Currency,
    minor_digits: z.int().meta({ description: "Digits of the currency after the point" }),
    lowest_minor: Minor,
    highest_minor: Minor,
    latest_minor: Minor,
    observers: z.int().meta({ description: "Different keys among those who observed last, at most 16" }),
    steps: z
      .array(z.object({ price_minor: Minor, from: Timestamp, to: Timestamp, observations: z.int() }))
      .meta({ description: "Times through which the price was the same, oldest first" }),
    assessment: Assessment,
  })
  .meta({ id: "PriceSeries" });

const identity = { platform: Platform, productId: ProductId };

export const price = defineService({
  name: "price",
  description: "Price Time Machine: price histories, fake discounts, and the same product elsewhere",
  operations: {
    track: {
      method: "POST",
      paths: ["/api/v1/price/track"],
      summary: "Tell an observed price",
      auth: "key",
      plan: "FREE",
      body: z.object({
        ...identity,
        price: Price,
        currency: Currency,
        observed_at: Timestamp.optional().meta({ description: "Default: now; at most five years ago" }),
        seller: plainText(128).optional().meta({ description: "Default: the platform itself" }),
        region: plainText(64).optional().meta({ description: "Where the price holds", example: "AT" }),
        url: z
          .url({ protocol: /^https?$/ })
          .max(2_048)
          .optional(),
        product_name: plainText(500).optional().meta({
          description: "What it is called: by this it is compared with others",
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
          assessment: Assessment,
          meta: Meta,
        })
        .meta({ id: "PriceTracked" }),
      errors: ["too_many_series"],
      example:
        '/api/v1/price/track {"platform":"shop.example","productId":"w120","price":129.9,"currency":"EUR","product_name":"Sony Cyber-shot DSC-W120"}',
    },
    history: {
      method: "GET",
      paths: ["/api/v1/price/history/{platform}/{productId}"],
      summary: "What a product cost, and whether its reduction is one",
      auth: "key",
      plan: "FREE",
      params: z.object(identity),
      query: z.object({
        seller: plainText(128).optional(),
        region: plainText(64).optional(),
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
          series: z.array(ShownSeries),
          meta: Meta,
        })
        .meta({ id: "PriceHistory" }),
      errors: ["not_found"],
      example: "/api/v1/price/history/{{platform}}/{{productId}}?announced_percent=20",
    },
    compare: {
      method: "GET",
      paths: ["/api/v1/price/compare"],
      summary: "The same product at other shops",
      auth: "key",
      plan: "FREE",
      query: z.object({
        product_name: plainText(500).meta({ example: "Sony Cyber-shot DSC-W120" }),
        brand: plainText(128).optional(),
        model: plainText(128).optional(),
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
              match_confidence: z.number().min(0).max(1),
              same_product: z.boolean(),
              offers: z.array(
                z.object({
                  seller: z.string(),
                  region: z.string(),
                  currency: Currency,
                  price_minor: Minor,
                  observed_at: Timestamp,
                }),
              ),
            }),
          ),
          cheapest: z
            .array(z.object({ currency: Currency, price_minor: Minor, ...identity, seller: z.string() }))
            .meta({ description: "Of those that are the same product, one a currency" }),
          meta: Meta,
        })
        .meta({ id: "PriceComparison" }),
      errors: [],
      example: "/api/v1/price/compare?product_name=Sony+DSC-W120",
    },
  },
});
