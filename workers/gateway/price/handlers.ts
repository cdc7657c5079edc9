import type { EvidenceSource } from "../../../schemas/evidence.ts";
import type { PriceOffer } from "../../../schemas/price.ts";
import { round } from "../../../src/detectors/risk.ts";
import { minorDigits, toMinor } from "../../../src/domain/listing/money.ts";
import { parsePastedDomain } from "../../../src/domain/names/pasted-domain.ts";
import type { Handlers, Input, Principals, RequestContext } from "../../../src/rpc/contract.ts";
import { Failure, fail } from "../../../src/rpc/errors.ts";
import { moduleMeta } from "../common/meta.ts";
import { judgePoints } from "./belief.ts";
import { MAX_READINGS, PRICES_WITH_READINGS, type price } from "./contract.ts";
import { productKey } from "./history.ts";
import type { MatchModel } from "./matching.ts";
import type { ObservationQueue } from "./observations.ts";
import type { Offers } from "./offers.ts";
import { outlierTest } from "./robust.ts";
import { assessmentsOf, shownSeries, timeOfSeconds } from "./showing.ts";
import { judgedAs, type TrackingDeps, trackClaim } from "./tracking.ts";

/** Matches less likely than this are not shown. */
const LEAST_CONFIDENCE = 0.05;
/** Claims that can make another an outlier, where no price of a product is corroborated. */
const LEAST_CLAIMS = 3;

export interface PriceDeps extends TrackingDeps {
  queue: ObservationQueue;
  offers: Offers;
  model: MatchModel;
}

type Operations = (typeof price)["operations"];
type Context = RequestContext<Principals["key"]>;

type Latest = PriceOffer["latest"][number];

interface Comparable {
  price_minor: number;
  corroborated: boolean;
  evidence: EvidenceSource;
}

export const priceHandlers = (deps: PriceDeps): Handlers<typeof price> => ({
  trackPrice: (input, context) => track(deps, input, context),
  getPriceHistory: (input, context) => history(deps, input, context),
  comparePrices: (input, context) => compare(deps, input, context),
  listSitePrices: async (input) => sitePrices(deps, input),
});

async function track(deps: PriceDeps, { body }: Input<Operations["trackPrice"]>, context: Context) {
  const startedMs = performance.now();
  const tracked = await trackClaim(deps, deps.queue, body, context);
  if (tracked instanceof Failure) return tracked;
  const { seen, source, series, look } = tracked;
  return {
    platform: body.platform,
    productId: body.productId,
    seller: seen.seller,
    region: seen.region,
    currency: seen.currency,
    price_minor: seen.priceMinor,
    observed_at: timeOfSeconds(seen.atSeconds),
    observations: series.points.length,
    observed_by: "caller" as const,
    evidence: { kind: "reported" as const, at: timeOfSeconds(seen.atSeconds), url: null },
    told_late: source.late,
    ...judgedAs(tracked),
    look,
    ...assessmentsOf(judgePoints(series)),
    meta: moduleMeta("price", context, startedMs),
  };
}

async function history(
  deps: PriceDeps,
  { params, query }: Input<Operations["getPriceHistory"]>,
  context: Context,
) {
  const startedMs = performance.now();
  const stored = await deps.histories.get(productKey(params.platform, params.productId));
  if (!stored)
    return fail("not_found", "Nobody has told a price of this product; POST /api/v1/price/track does.");
  const { platform, productId, productName, url, namedBy, series } = stored.value;
  const since = deps.now() / 1_000 - query.days * 86_400;
  const chosen = series.filter(
    (one) =>
      (query.seller ?? one.seller) === one.seller &&
      (query.region ?? one.region) === one.region &&
      (query.currency ?? one.currency) === one.currency,
  );
  const isNamed = productName !== null || url !== null;
  return {
    platform,
    productId,
    product_name: productName,
    url,
    named_by: isNamed
      ? namedBy?.standing === "registry"
        ? ("registry" as const)
        : ("caller" as const)
      : null,
    series: chosen.map((one) => {
      const wasMinor =
        query.announced_was === undefined ? undefined : toMinor(query.announced_was, one.currency);
      return shownSeries(one, since, { percent: query.announced_percent, wasMinor });
    }),
    meta: moduleMeta("price", context, startedMs),
  };
}

async function compare(deps: PriceDeps, { query }: Input<Operations["comparePrices"]>, context: Context) {
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
          observed_at: timeOfSeconds(one.atSeconds),
          corroborated: one.corroborated,
          evidence: offerEvidence(one),
        })),
    }))
    .filter(({ offers }) => offers.length > 0);
  const same = matches.filter(({ same_product }) => same_product);
  const all = same.flatMap(({ platform, productId, offers }) =>
    offers.map(({ seller, currency: code, price_minor, corroborated, evidence }) => ({
      currency: code,
      price_minor,
      platform,
      productId,
      seller,
      corroborated,
      evidence,
    })),
  );
  const cheapest = [...Map.groupBy(all, (one) => one.currency).values()].flatMap(cheapestOf);
  return {
    product_name: name,
    model_version: deps.model.version,
    threshold: deps.model.threshold,
    matches,
    cheapest,
    meta: moduleMeta("price", context, startedMs),
  };
}

const offerEvidence = ({ fetched, page, atSeconds }: Latest): EvidenceSource => ({
  kind: fetched ? "fetched" : "reported",
  at: timeOfSeconds(atSeconds),
  url: page,
});

/** The cheapest of one currency: a claim only where nothing is corroborated, and none that the others speak against; of one price, what was fetched. */
function cheapestOf<T extends Comparable>(offers: readonly T[]): T[] {
  const own = offers.filter(({ corroborated }) => corroborated);
  const isOutlier = outlierTest(
    offers.length < LEAST_CLAIMS ? [] : offers.map(({ price_minor }) => price_minor),
  );
  const plausible = offers.filter(({ price_minor }) => !isOutlier(price_minor));
  const chosen = own.length > 0 ? own : plausible;
  return chosen.length === 0
    ? []
    : [
        chosen.reduce((least, one) =>
          one.price_minor < least.price_minor ||
          (one.price_minor === least.price_minor && one.evidence.kind === "fetched")
            ? one
            : least,
        ),
      ];
}

async function sitePrices(deps: PriceDeps, { params, query }: Input<Operations["listSitePrices"]>) {
  const parsed = parsePastedDomain(params.domain);
  if (!parsed.ok)
    return fail("invalid_domain", `domain ${parsed.detail}. Send a domain such as shop.example.`);
  const seen = deps.offers.seenAt(parsed.host);
  const shown = seen.slice(0, query.limit);
  const readings = await Promise.all(
    shown.slice(0, PRICES_WITH_READINGS).map(({ offer, latest }) => readingsOf(deps, offer, latest)),
  );
  return {
    domain: parsed.host,
    total: seen.length,
    prices: shown.map(({ offer, latest }, i) => ({
      platform: offer.platform,
      productId: offer.productId,
      seller: latest.seller,
      region: latest.region,
      currency: latest.currency,
      minor_digits: minorDigits(latest.currency),
      price_minor: latest.priceMinor,
      observed_at: timeOfSeconds(latest.atSeconds),
      page: latest.page,
      readings: readings[i] ?? [],
    })),
  };
}

/** What the registry itself read of an offer; claims of callers are not among it. */
async function readingsOf({ histories }: PriceDeps, { platform, productId }: PriceOffer, latest: Latest) {
  const stored = await histories.get(productKey(platform, productId));
  const series = stored?.value.series.find(
    ({ seller, region, currency }) =>
      seller === latest.seller && region === latest.region && currency === latest.currency,
  );
  if (!series) return [];
  return series.points
    .filter(([, , source]) => series.sources[source]?.standing === "registry")
    .slice(-MAX_READINGS)
    .map(([atSeconds, price_minor]) => ({ at: timeOfSeconds(atSeconds), price_minor }));
}
