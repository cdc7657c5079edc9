import { createHash } from "node:crypto";
import type { z } from "zod";
import type { PriceHistory, PriceOffer, Series } from "../../../schemas/price.ts";
import type { Records } from "../../../src/adapters/nats/records.ts";
import type { Handlers, Input, Principals, RequestContext } from "../../../src/contract.ts";
import { minorDigits, toMinor } from "../../../src/domain/money.ts";
import { fail } from "../../../src/errors.ts";
import { round } from "../common/finding.ts";
import { metaOf } from "../common/meta.ts";
import type { price } from "./contract.ts";
import type { MatchModel } from "./matching.ts";
import type { Offers } from "./offers.ts";
import { type Assessment, addPoint, assess, type Claim, stepsOf } from "./rules.ts";

const MAX_ATTEMPTS = 8;
/** Sellers, regions and currencies of one product. */
const MAX_SERIES = 32;
const MAX_OBSERVERS = 16;
const OLDEST_MS = 5 * 366 * 86_400_000;
const SKEW_MS = 60_000;
/** Matches less likely than this are not shown. */
const LEAST_CONFIDENCE = 0.05;
const RULE = "Directive 98/6/EC, article 6a(1) and (2); CJEU C-330/23";

export interface PriceDeps {
  histories: Records<PriceHistory>;
  /** Names and latest prices, for comparing. */
  latest: Records<PriceOffer>;
  offers: Offers;
  model: MatchModel;
  now: () => number;
}

/** A product's key in the buckets: its names may hold anything. */
const productKey = (platform: string, productId: string): string =>
  createHash("sha256")
    .update(JSON.stringify([platform.toLowerCase(), productId]))
    .digest("base64url");

const timeOf = (seconds: number): string => new Date(seconds * 1_000).toISOString();

type TrackBody = z.output<(typeof price)["operations"]["track"]["body"]>;

const emptyHistory = ({ platform, productId }: TrackBody): PriceHistory => ({
  v: 1,
  platform,
  productId,
  productName: null,
  url: null,
  series: [],
});

interface Observed {
  seller: string;
  region: string;
  currency: string;
  priceMinor: number;
  atSeconds: number;
  observer: string;
}

const isOf = (one: Pick<Series, "seller" | "region" | "currency">, other: Observed | Series): boolean =>
  one.seller === other.seller && one.region === other.region && one.currency === other.currency;

/** The history with one observation more, or undefined when it has no room for another series. */
const withObservation = (
  history: PriceHistory,
  seen: Observed,
  body: TrackBody,
): PriceHistory | undefined => {
  const known = history.series.find((series) => isOf(series, seen));
  if (!known && history.series.length >= MAX_SERIES) return undefined;
  const { seller, region, currency } = seen;
  const series: Series = {
    ...(known ?? { seller, region, currency }),
    points: addPoint(known?.points ?? [], [seen.atSeconds, seen.priceMinor]).map((point) => [...point]),
    observers: [
      ...new Set([...(known?.observers ?? []).filter((one) => one !== seen.observer), seen.observer]),
    ].slice(-MAX_OBSERVERS),
  };
  return {
    ...history,
    productName: body.product_name ?? history.productName,
    url: body.url ?? history.url,
    series: [...history.series.filter((one) => one !== known), series],
  };
};

const offerOf = (history: PriceHistory, productName: string): PriceOffer => ({
  v: 1,
  platform: history.platform,
  productId: history.productId,
  productName,
  url: history.url,
  latest: history.series.map(({ seller, region, currency, points }) => {
    const [atSeconds, priceMinor] = points.at(-1)!;
    return { seller, region, currency, priceMinor, atSeconds };
  }),
});

const shownAssessment = (assessment: Assessment) => ({
  verdict: assessment.verdict,
  since: timeOf(assessment.sinceSeconds),
  price_minor: assessment.priceMinor,
  prior_price_minor: assessment.priorMinor ?? null,
  actual_percent: assessment.actualPercent === undefined ? null : round(assessment.actualPercent, 2),
  announced_percent: assessment.announcedPercent === undefined ? null : round(assessment.announcedPercent, 2),
  coverage: round(assessment.coverage),
  rule: RULE,
});

const shownSeries = (
  { seller, region, currency, points, observers }: Series,
  since: number,
  claim: Claim,
) => {
  const prices = points.map(([, priceMinor]) => priceMinor);
  return {
    seller,
    region,
    currency,
    minor_digits: minorDigits(currency),
    lowest_minor: Math.min(...prices),
    highest_minor: Math.max(...prices),
    latest_minor: prices.at(-1)!,
    observers: observers.length,
    steps: stepsOf(points)
      .filter((step) => step.toSeconds >= since)
      .map((step) => ({
        price_minor: step.priceMinor,
        from: timeOf(step.fromSeconds),
        to: timeOf(step.toSeconds),
        observations: step.observations,
      })),
    assessment: shownAssessment(assess(points, claim)!),
  };
};

/** Stores an observation. @returns the series it went to, or undefined when the product has no room for it */
const store = async (deps: PriceDeps, body: TrackBody, seen: Observed): Promise<Series | undefined> => {
  const key = productKey(body.platform, body.productId);
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const stored = await deps.histories.get(key);
    const next = withObservation(stored?.value ?? emptyHistory(body), seen, body);
    if (!next) return undefined;
    const revision = await deps.histories.compareAndSet(key, next, stored?.revision ?? 0);
    if (revision === undefined) continue;
    // Made anew from every history, so that of two written at once the later one is right.
    if (next.productName !== null) await deps.latest.put(key, offerOf(next, next.productName));
    return next.series.find((series) => isOf(series, seen))!;
  }
  throw new Error("a price history changed under every attempt");
};

const wrong = (pointer: string, code: string, message: string) =>
  fail("invalid_request", `${pointer.slice(1).replaceAll("/", ".")}: ${message}`, {
    errors: [{ pointer, code, message }],
  });

type Operations = (typeof price)["operations"];
type Context = RequestContext<Principals["key"]>;

const track = async (deps: PriceDeps, { body }: Input<Operations["track"]>, context: Context) => {
  const startedMs = performance.now();
  const priceMinor = toMinor(body.price, body.currency);
  if (priceMinor === undefined)
    return wrong(
      "/body/price",
      "too_precise",
      `${body.currency} has ${minorDigits(body.currency)} digits after the point`,
    );
  const at = body.observed_at === undefined ? deps.now() : Date.parse(body.observed_at);
  if (at > deps.now() + SKEW_MS || at < deps.now() - OLDEST_MS)
    return wrong("/body/observed_at", "out_of_range", "must be from five years ago to now");
  const seen: Observed = {
    seller: body.seller ?? body.platform,
    region: body.region ?? "",
    currency: body.currency,
    priceMinor,
    atSeconds: Math.floor(at / 1_000),
    observer: createHash("sha256").update(context.principal.usageId).digest("base64url").slice(0, 8),
  };
  const series = await store(deps, body, seen);
  if (!series)
    return fail("too_many_series", `${MAX_SERIES} sellers, regions and currencies of this product are kept.`);
  return {
    platform: body.platform,
    productId: body.productId,
    seller: seen.seller,
    region: seen.region,
    currency: seen.currency,
    price_minor: priceMinor,
    observed_at: timeOf(seen.atSeconds),
    observations: series.points.length,
    assessment: shownAssessment(assess(series.points)!),
    meta: metaOf("price", context, startedMs),
  };
};

const history = async (
  deps: PriceDeps,
  { params, query }: Input<Operations["history"]>,
  context: Context,
) => {
  const startedMs = performance.now();
  const stored = await deps.histories.get(productKey(params.platform, params.productId));
  if (!stored)
    return fail("not_found", "Nobody has told a price of this product; POST /api/v1/price/track does.");
  const { platform, productId, productName, url, series } = stored.value;
  const since = deps.now() / 1_000 - query.days * 86_400;
  const chosen = series.filter(
    (one) =>
      (query.seller ?? one.seller) === one.seller &&
      (query.region ?? one.region) === one.region &&
      (query.currency ?? one.currency) === one.currency,
  );
  return {
    platform,
    productId,
    product_name: productName,
    url,
    series: chosen.map((one) => {
      const wasMinor =
        query.announced_was === undefined ? undefined : toMinor(query.announced_was, one.currency);
      return shownSeries(one, since, { percent: query.announced_percent, wasMinor });
    }),
    meta: metaOf("price", context, startedMs),
  };
};

const compare = async (deps: PriceDeps, { query }: Input<Operations["compare"]>, context: Context) => {
  const startedMs = performance.now();
  const { product_name: name, brand, model, currency, limit } = query;
  const matches = deps.offers
    .match({ name, brand, model }, limit)
    .filter(({ confidence }) => confidence >= LEAST_CONFIDENCE)
    .map(({ offer, confidence }) => ({
      platform: offer.platform,
      productId: offer.productId,
      product_name: offer.productName,
      url: offer.url,
      match_confidence: round(confidence),
      same_product: confidence >= deps.model.threshold,
      offers: offer.latest
        .filter((one) => (currency ?? one.currency) === one.currency)
        .map((one) => ({
          seller: one.seller,
          region: one.region,
          currency: one.currency,
          price_minor: one.priceMinor,
          observed_at: timeOf(one.atSeconds),
        })),
    }))
    .filter(({ offers }) => offers.length > 0);
  const same = matches.filter(({ same_product }) => same_product);
  const all = same.flatMap(({ platform, productId, offers }) =>
    offers.map(({ seller, currency: code, price_minor }) => ({
      currency: code,
      price_minor,
      platform,
      productId,
      seller,
    })),
  );
  const cheapest = [...Map.groupBy(all, (one) => one.currency).values()].map((group) =>
    group.reduce((least, one) => (one.price_minor < least.price_minor ? one : least)),
  );
  return {
    product_name: name,
    model_version: deps.model.version,
    threshold: deps.model.threshold,
    matches,
    cheapest,
    meta: metaOf("price", context, startedMs),
  };
};

export const priceHandlers = (deps: PriceDeps): Handlers<typeof price> => ({
  track: (input, context) => track(deps, input, context),
  history: (input, context) => history(deps, input, context),
  compare: (input, context) => compare(deps, input, context),
});
