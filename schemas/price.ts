/** Stored prices: one history per product of a platform, and its name for comparisons. */
import { z } from "zod";

/** The observer, as short keyed hashes: the account (or the network where there is none), and the network. */
const PriceSource = z.object({
  who: z.string(),
  network: z.string(),
  /** At the time of the report. */
  standing: z.enum(["anonymous", "new", "established", "registry"]),
  /** Reported long after the observation. */
  late: z.boolean(),
  /** The page that the registry fetched, without its query. */
  page: z.string().optional(),
});
export type PriceSource = z.infer<typeof PriceSource>;

/** One seller's prices in one region and currency, in chronological order. */
const Series = z.looseObject({
  seller: z.string(),
  region: z.string(),
  currency: z.string(),
  /** Seconds since the epoch, minor units, index into `sources`. */
  points: z.array(z.tuple([z.int(), z.int(), z.int()])),
  /** The latest sixteen observers, as short hashes. */
  observers: z.array(z.string()),
  sources: z.array(PriceSource),
});
export type Series = z.infer<typeof Series>;

export const PriceHistory = z.looseObject({
  v: z.literal(1),
  platform: z.string(),
  productId: z.string(),
  productName: z.string().nullable(),
  url: z.string().nullable(),
  /** The source of the name and the address: a source of lower standing cannot change them. */
  namedBy: PriceSource.optional(),
  /** The latest eight addresses that the registry itself began to fetch, by hash; times in milliseconds. */
  looked: z.array(z.object({ page: z.string(), at: z.int() })),
  series: z.array(Series),
});
export type PriceHistory = z.infer<typeof PriceHistory>;

/** What a comparison needs of a product, small enough for every worker to hold. */
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
      /** Whether anything beyond a caller's claim supports it. */
      corroborated: z.boolean(),
      /** Whether the registry fetched it itself, and from which page. */
      fetched: z.boolean(),
      page: z.string().nullable(),
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
