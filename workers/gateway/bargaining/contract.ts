/** Collective Bargaining: buyers pool what they want, seal what they would pay, and get one price; sellers offer for it. */
import { z } from "zod";
import { Sha256, Timestamp } from "../../../schemas/common.ts";
import { Currency } from "../../../schemas/currency.ts";
import { Meta } from "../../../schemas/finding.ts";
import { POOL_STATES } from "../../../schemas/pool.ts";
import { defineService } from "../../../src/rpc/contract.ts";
import { hostText, plainTextSchema, WEB_ADDRESS_PATTERN } from "../../../src/rpc/validation.ts";
import { LADDER } from "./ladder.ts";

const Minor = z.int().min(0).meta({ description: "Of one, in minor units", example: 7900 });
const offerMembers = {
  offer_id: z.uuid(),
  seller: z
    .string()
    .meta({ description: "The site that sells: its owner proved it", example: "shop.example" }),
  url: z.string().meta({ description: "Where to order" }),
  price_minor: Minor,
  valid_until: Timestamp,
};
const ShownOffer = z
  .object({
    ...offerMembers,
    min_quantity: z.int(),
    posted_at: Timestamp,
    state: z.enum(["standing", "taken", "not_taken"]),
  })
  .meta({ id: "BargainingOffer" });
const Deal = z
  .object({
    ...offerMembers,
    buyers: z.int(),
    quantity: z.int(),
    taken_at: Timestamp,
  })
  .meta({ id: "BargainingDeal" });
const Membership = z
  .object({
    quantity: z.int(),
    revealed: z.boolean(),
    buys: z.boolean().nullable().meta({
      description:
        "null: the pool has not cleared, or the price lies within the step that your cap counts as: you know whether your cap is at least the price, and may order if it is",
    }),
    voucher: z.string().nullable().meta({
      description: "Shows the seller of the deal that you are of the pool, and not who you are",
    }),
    notice: z.string().nullable().meta({ description: "What to know or to do now, as a sentence" }),
  })
  .meta({ id: "BargainingMembership" });

const ShownPool = z
  .object({
    pool_id: z.uuid(),
    product_ref: z.string(),
    currency: Currency,
    state: z.enum(POOL_STATES).meta({
      description:
        "open: buyers join; locked: they may reveal; revealing: some have; cleared: one price for all, once and for ever; expired: fewer than five joined or revealed",
    }),
    members: z.string().meta({
      description: "A band: exact counts would show what one buyer changed",
      example: "5 to 9",
    }),
    quantity: z
      .string()
      .meta({ description: "A band; of fewer than five members none", example: "10 to 24" }),
    target_members: z.int().meta({ description: "It locks when so many joined" }),
    locks_at: Timestamp,
    reveals_until: Timestamp,
    price_ladder: z.string().meta({
      description:
        "The public ladder of prices, steps of at least 5 %: revealed caps are rounded down to it before they are stored, and the price is one of its steps",
      example: LADDER,
    }),
    clearing: z
      .object({
        price_minor: z.int().meta({
          description:
            "What every buyer pays at most, minor units: a step of the ladder; where an offer was taken, the step at or above its price",
        }),
        buyers: z.int().meta({ description: "At least five" }),
        quantity: z.int(),
      })
      .nullable()
      .meta({
        description:
          "Once cleared: the price of the lowest offer that holds, else the one at which the order is worth most",
      }),
    offers: z.array(ShownOffer).meta({ description: "The lowest price first; one a site, at most 20" }),
    deal: Deal.nullable().meta({ description: "The offer that the pool took" }),
    you: Membership.nullable().meta({ description: "Yours alone: null unless your account joined" }),
    privacy: z.string().meta({ description: "What the operator of this service can see" }),
  })
  .meta({ id: "BargainingPool" });

const COMMITMENT_LINES =
  "SHA-256, in hexadecimal, over five lines joined by one line feed (none at the end): `bridge-bargaining/1`; product_ref in lower case with single spaces; currency; the most that you would pay for one, in minor units (43.00 EUR: `4300`); a nonce that you keep";
/** What is missing, and how it is made. */
const REQUIRED: Readonly<Record<string, string>> = {
  commitment: `is required: it seals your price cap. ${COMMITMENT_LINES}`,
  nonce: "is required: the one that your commitment was made with",
};

const joinBody = z
  .object({
    product_ref: plainTextSchema(300).optional().meta({
      description: "What is wanted, such as a GTIN or a maker's name for it; case and spacing do not matter",
      example: "gtin:04548736000001",
    }),
    quantity: z.int().min(1).max(10_000).optional().meta({ example: 1 }),
    currency: Currency.optional(),
    commitment: Sha256.optional().meta({
      description: COMMITMENT_LINES,
      example: "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    }),
    target_members: z.int().min(5).max(500).optional().meta({
      description: "For the first of a pool: how many it waits for. Default 50",
    }),
    open_hours: z.int().min(1).max(720).optional().meta({
      description: "For the first of a pool: how long it stays open. Default 72",
    }),
    pool_id: z.uuid().optional().meta({ description: "To reveal: the pool" }),
    price: z.number().min(0).max(1e12).optional().meta({
      description: "To reveal: the cap, in major units (43.00); replies have amounts in minor units (4300)",
    }),
    nonce: plainTextSchema(128).optional().meta({ description: "To reveal: the nonce of the commitment" }),
  })
  .superRefine((body, context) => {
    const needed =
      body.pool_id === undefined
        ? (["product_ref", "quantity", "currency", "commitment"] as const)
        : (["price", "nonce"] as const);
    for (const name of needed)
      if (body[name] === undefined)
        context.addIssue({
          code: "custom",
          path: [name],
          message: REQUIRED[name] ?? "is required",
          input: body,
        });
  })
  .meta({
    anyOf: [
      { required: ["product_ref", "quantity", "currency", "commitment"], not: { required: ["pool_id"] } },
      { required: ["pool_id", "price", "nonce"] },
    ],
  });

export const bargaining = defineService({
  name: "bargaining",
  description: "Collective Bargaining: sealed caps, one price, no names",
  operations: {
    joinPool: {
      method: "POST",
      makes: true,
      paths: ["/api/v1/bargaining/join"],
      summary: "Join the pool of a product, or reveal the cap once it is locked",
      description:
        "An account joins a pool once, whichever of its keys it uses, and cannot leave it; the account must be established (docs/agents.md), for a clearing rests on at least five different ones. To join: product_ref, quantity, currency and commitment. Once the pool is locked, to reveal: pool_id, price and nonce, by the same account; caps that are not revealed in time do not count.",
      auth: "key",
      limits: { gateway_records: 1 },
      charges: { pool_calls: 2 },
      plan: "PRO",
      body: joinBody,
      reply: z
        .object({
          action: z.enum(["joined", "revealed"]),
          pool: ShownPool,
          meta: Meta,
        })
        .meta({ id: "BargainingJoin" }),
      errors: [
        "account_required",
        "account_not_established",
        "already_joined",
        "not_a_member",
        "pool_not_locked",
        "commitment_mismatch",
        "not_found",
        "rate_limited",
      ],
      example:
        '/api/v1/bargaining/join {"product_ref":"gtin:04548736000001","quantity":1,"currency":"EUR","commitment":"9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"}',
    },
    offerToPool: {
      method: "POST",
      makes: true,
      paths: ["/api/v1/bargaining/offer"],
      summary: "Sell to a pool: a price for a quantity, from a site that you proved",
      description:
        "Of the offers that stand when a pool clears, the one of the lowest price is taken for which at least five members buy as much as it asks for; whoever's cap is at or above its price buys (a cap counts as the step of the ladder below it; where the price lies between a cap's step and the next, the member decides). A pool that cleared without one takes the first that asks for no more than its published price and quantity, for 14 days. Offering again replaces the offer of that site. Members see it when they read the pool; the seller then reads quantities by voucher there (`orders`). Nothing is paid here.",
      auth: "key",
      limits: { gateway_records: 1 },
      charges: { pool_calls: 1 },
      plan: "PRO",
      body: z.object({
        pool_id: z.uuid(),
        site: hostText(253).meta({
          description: "A site that the account behind the key has proved",
          example: "shop.example",
        }),
        price: z.number().min(0).max(1e12).meta({
          description:
            "Of one, in major units of the pool's currency (43.00); replies have it in minor units (`price_minor`: 4300)",
          example: 79,
        }),
        min_quantity: z.int().min(1).max(5_000_000).default(1).meta({
          description: "What the pool must order for the offer to hold",
        }),
        valid_until: Timestamp.meta({
          description: "At least a day after the pool clears, at most 60 days from now",
        }),
        url: z.string().min(1).max(2_048).optional().meta({
          description: "Where members order, on the site, by https. Default: its home page",
          pattern: WEB_ADDRESS_PATTERN,
          example: "https://shop.example/pool",
        }),
      }),
      reply: z
        .object({
          action: z.enum(["offered", "taken"]),
          pool: ShownPool,
          meta: Meta,
        })
        .meta({ id: "BargainingOffered" }),
      errors: [
        "account_required",
        "account_not_established",
        "proof_required",
        "invalid_domain",
        "invalid_url",
        "invalid_amount",
        "invalid_time",
        "offer_refused",
        "not_found",
        "rate_limited",
      ],
      example:
        '/api/v1/bargaining/offer {"pool_id":"{{pool}}","site":"{{sellingSite}}","price":79,"min_quantity":10,"valid_until":"{{nextMonth}}"}',
    },
    listPools: {
      method: "GET",
      paths: ["/api/v1/bargaining/pools"],
      summary: "Pools, the newest first",
      auth: "key",
      plan: "PRO",
      query: z.object({
        product_ref: plainTextSchema(300).optional(),
        state: z.enum(POOL_STATES).optional(),
        mine: z.boolean().default(false).meta({
          description: "true: only pools that your account joined, of the newest 5,000 that fit the rest",
        }),
        limit: z.int().min(1).max(100).default(20),
        offset: z.int().min(0).max(100_000).default(0),
      }),
      reply: z
        .object({ total: z.int(), limit: z.int(), offset: z.int(), pools: z.array(ShownPool), meta: Meta })
        .meta({ id: "BargainingPools" }),
      errors: ["account_required"],
      example: "/api/v1/bargaining/pools?state=open",
    },
    getPool: {
      method: "GET",
      paths: ["/api/v1/bargaining/pool/{id}"],
      summary: "One pool",
      auth: "key",
      plan: "PRO",
      params: z.object({ id: z.uuid() }),
      reply: z
        .object({
          pool: ShownPool,
          orders: z
            .array(z.object({ voucher: z.string(), quantity: z.int() }))
            .nullable()
            .meta({ description: "For the seller of the deal alone: what to deliver, by voucher" }),
          meta: Meta,
        })
        .meta({ id: "BargainingPoolReply" }),
      errors: ["not_found"],
      example: "/api/v1/bargaining/pool/{{pool}}",
    },
  },
});
