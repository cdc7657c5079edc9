/** The history of one product: who named it, the series of its prices, and what follows from them for comparing. */
import { createHash } from "node:crypto";
import type { PriceHistory, PriceOffer, PriceSource, Series } from "../../../schemas/price.ts";
import type { Records } from "../../../src/stores/records.ts";
import { judgePoints, latestOf } from "./belief.ts";
import { withPoint, withRoom } from "./places.ts";
import { REGISTRY, rankOf } from "./sources.ts";

const MAX_OBSERVERS = 16;

export interface HistoryStores {
  histories: Records<PriceHistory>;
  /** Names and latest prices, for comparing. */
  latest: Records<PriceOffer>;
}

export const OFFER_KEYS = "offer.*";

/** One price of one seller at one time. */
export interface ObservedPrice {
  seller: string;
  region: string;
  currency: string;
  priceMinor: number;
  atSeconds: number;
}

/** Name and address of a product, as somebody gave them. */
export interface ProductName {
  productName: string | undefined;
  url: string | undefined;
}

/** A product's name and address are changed by who gave them, or by somebody of more standing. */
export function withName(history: PriceHistory, named: ProductName, source: PriceSource): PriceHistory {
  const { namedBy } = history;
  const productName = named.productName ?? history.productName;
  const url = named.url ?? history.url;
  if (productName === history.productName && url === history.url) return history;
  const mayChange = !namedBy || namedBy.who === source.who || rankOf(source) > rankOf(namedBy);
  return mayChange ? { ...history, productName, url, namedBy: source } : history;
}

/** The history with one observation more, or undefined when it has no room for another series. */
export function withObservation(
  history: PriceHistory,
  seen: ObservedPrice,
  source: PriceSource,
): PriceHistory | undefined {
  const known = history.series.find((series) => isOf(series, seen));
  const room = known ? history : withRoom(history, source);
  if (!room) return undefined;
  const { seller, region, currency, atSeconds, priceMinor } = seen;
  const base: Series = known ?? { seller, region, currency, points: [], observers: [], sources: [] };
  const others = base.observers.filter((one) => one !== source.who);
  const series: Series = {
    ...base,
    ...withPoint(base, [atSeconds, priceMinor], source),
    observers: [...others, source.who].slice(-MAX_OBSERVERS),
  };
  return { ...room, series: [...room.series.filter((one) => one !== known), series] };
}

export const isOf = (one: Pick<Series, "seller" | "region" | "currency">, other: ObservedPrice): boolean =>
  one.seller === other.seller && one.region === other.region && one.currency === other.currency;

/** Changes a product's history as one step. @returns the history as it is now, or undefined where `edit` gave none */
export async function changeHistory(
  { histories, latest }: HistoryStores,
  { platform, productId }: Pick<PriceHistory, "platform" | "productId">,
  edit: (history: PriceHistory) => PriceHistory | undefined,
): Promise<PriceHistory | undefined> {
  const key = productKey(platform, productId);
  const empty: PriceHistory = {
    v: 1,
    platform,
    productId,
    productName: null,
    url: null,
    series: [],
    looked: [],
  };
  const changed = await histories.update<{ history: PriceHistory | undefined }>(key, (stored = empty) => {
    const history = edit(stored);
    return history ? { next: history, result: { history } } : { result: { history } };
  });
  if (!changed) throw new Error("a price history changed under every attempt");
  const { history } = changed;
  // Made anew from every history, so that of two written at once the later one is right.
  if (history && history.productName !== null)
    await latest.put(offerKey(key), offerOf(history, history.productName));
  return history;
}

/** A product's key in the buckets: its names may hold anything. */
export const productKey = (platform: string, productId: string): string =>
  createHash("sha256")
    .update(JSON.stringify([platform.toLowerCase(), productId]))
    .digest("base64url");

/** Key of a product's name and latest prices, beside its history. */
const offerKey = (key: string): string => `offer.${key}`;

const offerOf = (history: PriceHistory, productName: string): PriceOffer => ({
  v: 1,
  platform: history.platform,
  productId: history.productId,
  productName,
  url: history.url,
  latest: history.series.flatMap(latestOffer),
});

/** The price of a series that is shown where one is. */
function latestOffer(series: Series): PriceOffer["latest"] {
  const last = latestOf(judgePoints(series));
  if (!last) return [];
  const { seller, region, currency } = series;
  const { point, source, believed: corroborated } = last;
  const [atSeconds, priceMinor] = point;
  const evidence = { fetched: source.standing === REGISTRY.standing, page: source.page ?? null };
  return [{ seller, region, currency, priceMinor, atSeconds, corroborated, ...evidence }];
}
