/** Takes the registry's own observations in: the prices that a product's page states for it. */
import type { PriceHistory } from "../../../schemas/price.ts";
import type { OfferPage } from "../common/offer-page.ts";
import { isOffered } from "../common/offered.ts";
import type { PageOffer } from "../common/offers.ts";
import { isOfPlatform } from "./addresses.ts";
import {
  changeHistory,
  type HistoryStores,
  isOf,
  type ObservedPrice,
  type ProductName,
  withName,
  withObservation,
} from "./history.ts";
import type { ObservationRequest } from "./observations.ts";
import { fetchedFrom, REGISTRY } from "./sources.ts";

/** Sellers on one page whose prices one observation keeps. */
const MAX_SELLERS = 8;

/** Stores the prices that the registry read on a product's page, where the page itself says that it is the product's. */
export async function trackObservation(
  stores: HistoryStores,
  request: ObservationRequest,
  { offers, at, url }: OfferPage & { ok: true },
): Promise<void> {
  const own = offers.filter((offer) => isOffered({ name: "", ids: offer.ids }, request.productId));
  const seen = observedPrices(own, request, at);
  if (seen.length === 0 || !isOfPlatform(url, request.platform)) return;
  const page = url.origin + url.pathname;
  const named: ProductName = { productName: own[0]!.name || undefined, url: page };
  const withFetched = (history: PriceHistory, one: ObservedPrice): PriceHistory => {
    const { sources = [] } = history.series.find((series) => isOf(series, one)) ?? {};
    return withObservation(history, one, fetchedFrom(sources, page)) ?? history;
  };
  await changeHistory(stores, request, (stored) =>
    withName(seen.reduce(withFetched, stored), named, REGISTRY),
  );
}

/** Offers of one price a currency are the platform's own; of several, each is its seller's. */
const observedPrices = (
  offers: readonly PageOffer[],
  { platform }: ObservationRequest,
  at: number,
): ObservedPrice[] =>
  [...Map.groupBy(offers, ({ currency }) => currency).values()].flatMap((inCurrency) => {
    const isOne = new Set(inCurrency.map(({ priceMinor }) => priceMinor)).size === 1;
    const shown = isOne ? inCurrency.slice(0, 1) : inCurrency.filter(({ seller }) => seller !== null);
    return shown.slice(0, MAX_SELLERS).map(({ seller, currency, priceMinor }) => ({
      seller: isOne ? platform : seller!.slice(0, 128),
      region: "",
      currency,
      priceMinor,
      atSeconds: Math.floor(at / 1_000),
    }));
  });
