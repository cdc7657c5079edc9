/** Series as time would have made them: told by these, at these times. */
import type { PriceSource, Series } from "../../../../schemas/price.ts";
import { withPoint } from "../../../../workers/gateway/price/places.ts";
import { REGISTRY } from "../../../../workers/gateway/price/sources.ts";

export { REGISTRY };

export const source = (name: string, more: Partial<PriceSource> = {}): PriceSource => ({
  who: name,
  network: `net ${name}`,
  standing: "established",
  late: false,
  ...more,
});

export const seriesOf = (
  told: readonly (readonly [atSeconds: number, priceMinor: number, by: PriceSource])[],
  seller = "shop.example",
): Series => ({
  seller,
  region: "",
  currency: "EUR",
  observers: [],
  ...told.reduce<Pick<Series, "points" | "sources">>(
    (series, [at, price, by]) => withPoint(series, [at, price], by),
    { points: [], sources: [] },
  ),
});
