/** Prices as they are kept: one history a product of a platform, and its name for comparing. */
import { z } from "zod";

/** One seller's prices in one region and currency: [seconds since the epoch, minor units], in order of time. */
const Series = z.looseObject({
  seller: z.string(),
  region: z.string(),
  currency: z.string(),
  points: z.array(z.tuple([z.int(), z.int()])),
  /** Those who observed, as short hashes; the latest sixteen. */
  observers: z.array(z.string()),
});
export type Series = z.infer<typeof Series>;

export const PriceHistory = z.looseObject({
  v: z.literal(1),
  platform: z.string(),
  productId: z.string(),
  productName: z.string().nullable(),
  url: z.string().nullable(),
  series: z.array(Series),
});
export type PriceHistory = z.infer<typeof PriceHistory>;

/** What comparing needs of a product, small enough for every worker to hold. */
export const PriceOffer = z.looseObject({
  v: z.literal(1),
  platform: z.string(),
  productId: z.string(),
  productName: z.string(),
  url: z.string().nullable(),
  latest: z.array(
    z.looseObject({
      seller: z.string(),
      region: z.string(),
      currency: z.string(),
      priceMinor: z.int(),
      atSeconds: z.int(),
    }),
  ),
});
export type PriceOffer = z.infer<typeof PriceOffer>;
