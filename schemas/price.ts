/** Prices as they are kept: one history a product of a platform, and its name for comparing. */
import { z } from "zod";

/** Who observed, as short keyed hashes: the account, or the network where there is none; and the network. */
const PriceSource = z.object({
  who: z.string(),
  network: z.string(),
  /** When it was told. unknown: told before sources were kept. */
  standing: z.enum(["unknown", "anonymous", "new", "established", "registry"]),
  /** Told long after it was seen. */
  late: z.boolean(),
});
export type PriceSource = z.infer<typeof PriceSource>;

/** One seller's prices in one region and currency, in order of time. */
const Series = z.looseObject({
  seller: z.string(),
  region: z.string(),
  currency: z.string(),
  /** Seconds since the epoch, minor units, place among `sources` (absent in points of old: nobody knows whose). */
  points: z.array(z.tuple([z.int(), z.int()], z.int())),
  /** Those who observed, as short hashes; the latest sixteen. */
  observers: z.array(z.string()),
  sources: z.array(PriceSource).default([]),
});
export type Series = z.infer<typeof Series>;

export const PriceHistory = z.looseObject({
  v: z.literal(1),
  platform: z.string(),
  productId: z.string(),
  productName: z.string().nullable(),
  url: z.string().nullable(),
  /** Who gave the name and the address, so that nobody of less standing changes them. */
  namedBy: PriceSource.optional(),
  /** Addresses that the registry lately began to look at itself, by hash; milliseconds. The latest eight. */
  looked: z.array(z.object({ page: z.string(), at: z.int() })).default([]),
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
      /** Whether it is more than a caller's claim. */
      corroborated: z.boolean().default(false),
    }),
  ),
});
export type PriceOffer = z.infer<typeof PriceOffer>;

export const PRICE_VERDICTS = ["genuine", "overstated", "no_reduction", "insufficient_history"] as const;
export type PriceVerdict = (typeof PRICE_VERDICTS)[number];
/** The verdict that claims alone would support: none of this service. */
export const CLAIMED_PRICE_VERDICTS = [
  "claimed_genuine",
  "claimed_overstated",
  "claimed_no_reduction",
  "insufficient_history",
] as const satisfies readonly (PriceVerdict | `claimed_${PriceVerdict}`)[];
export type ClaimedPriceVerdict = (typeof CLAIMED_PRICE_VERDICTS)[number];

/** Oldest observation that is accepted, in days. */
export const OLDEST_DAYS = 90;
