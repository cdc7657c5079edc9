/** Takes observations in: callers' as claims, and the registry's own looks at the address of a product. */

import { createHash } from "node:crypto";
import type { z } from "zod";
import type { PriceHistory, PriceOffer, PriceSource, Series } from "../../../schemas/price.ts";
import { OLDEST_DAYS } from "../../../schemas/price.ts";
import { minorDigits, toMinor } from "../../../src/domain/listing/money.ts";
import { isWithin, parseHost, registrableDomain } from "../../../src/domain/names/domain-name.ts";
import { DAY_MS } from "../../../src/domain/protocols/time.ts";
import type { Principals, RequestContext } from "../../../src/rpc/contract.ts";
import { Failure, fail } from "../../../src/rpc/errors.ts";
import type { Limiter } from "../../../src/rpc/limits.ts";
import type { Records } from "../../../src/stores/records.ts";
import type { OfferPage } from "../common/offer-page.ts";
import { isOffered } from "../common/offered.ts";
import type { PageOffer } from "../common/offers.ts";
import { judgePoints } from "./belief.ts";
import type { price } from "./contract.ts";
import type { Look, Looks } from "./looks.ts";
import { MAX_SERIES, withPoint, withRoom } from "./places.ts";
import { callerSource, isSameSource, REGISTRY, rankOf } from "./sources.ts";

const MAX_ATTEMPTS = 8;
const MAX_OBSERVERS = 16;
const SKEW_MS = 60_000;
/** A product's page is looked at again after this at the earliest, whatever became of the look before. */
const LOOK_EVERY_MS = 3_600_000;
/** Addresses remembered as looked at: a wrong one does not keep the right one from being seen. */
const MAX_LOOKED = 8;
/** Sellers on one page that a look takes down. */
const MAX_SELLERS_SEEN = 8;

export interface TrackingDeps {
  histories: Records<PriceHistory>;
  /** Names and latest prices, for comparing. */
  latest: Records<PriceOffer>;
  limiter: Limiter;
  /** Key of the HMAC that hides accounts and addresses. */
  secret: string;
  now: () => number;
}

type TrackBody = z.output<(typeof price)["operations"]["track"]["body"]>;
type Product = Pick<TrackBody, "platform" | "productId">;
type Context = RequestContext<Principals["key"]>;
export type LookState = "begun" | "recent" | "no_url" | "foreign_url" | "limit";

/** A product's key in the buckets: its names may hold anything. */
export const productKey = (platform: string, productId: string): string =>
  createHash("sha256")
    .update(JSON.stringify([platform.toLowerCase(), productId]))
    .digest("base64url");

interface Observed {
  seller: string;
  region: string;
  currency: string;
  priceMinor: number;
  atSeconds: number;
}

/** What is told of a product itself. */
interface Named {
  productName: string | undefined;
  url: string | undefined;
}

const isOf = (one: Pick<Series, "seller" | "region" | "currency">, other: Observed): boolean =>
  one.seller === other.seller && one.region === other.region && one.currency === other.currency;

/** A product's name and address are changed by who gave them, or by somebody of more standing. */
const withName = (history: PriceHistory, named: Named, source: PriceSource): PriceHistory => {
  const { namedBy } = history;
  const productName = named.productName ?? history.productName;
  const url = named.url ?? history.url;
  if (productName === history.productName && url === history.url) return history;
  const mayChange = !namedBy || namedBy.who === source.who || rankOf(source) > rankOf(namedBy);
  return mayChange ? { ...history, productName, url, namedBy: source } : history;
};

/** The history with one observation more, or undefined when it has no room for another series. */
const withObservation = (
  history: PriceHistory,
  seen: Observed,
  source: PriceSource,
): PriceHistory | undefined => {
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
};

/** The price of a series that is shown where one is: the last that is believed, else the last claim that is no outlier. */
const latestOf = (series: Series): PriceOffer["latest"] => {
  const judged = judgePoints(series);
  const last = judged.findLast(({ believed }) => believed) ?? judged.findLast(({ outlier }) => !outlier);
  if (!last) return [];
  const { seller, region, currency } = series;
  const [atSeconds, priceMinor] = last.point;
  return [{ seller, region, currency, priceMinor, atSeconds, corroborated: last.believed }];
};

const offerOf = (history: PriceHistory, productName: string): PriceOffer => ({
  v: 1,
  platform: history.platform,
  productId: history.productId,
  productName,
  url: history.url,
  latest: history.series.flatMap(latestOf),
});

/** Changes a product's history as one step. @returns the history as it is now, or undefined where `edit` gave none */
const change = async (
  { histories, latest }: TrackingDeps,
  { platform, productId }: Product,
  edit: (history: PriceHistory) => PriceHistory | undefined,
): Promise<PriceHistory | undefined> => {
  const key = productKey(platform, productId);
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const stored = await histories.get(key);
    const empty: PriceHistory = {
      v: 1,
      platform,
      productId,
      productName: null,
      url: null,
      series: [],
      looked: [],
    };
    const next = edit(stored?.value ?? empty);
    if (!next) return undefined;
    const revision = await histories.compareAndSet(key, next, stored?.revision ?? 0);
    if (revision === undefined) continue;
    // Made anew from every history, so that of two written at once the later one is right.
    if (next.productName !== null) await latest.put(key, offerOf(next, next.productName));
    return next;
  }
  throw new Error("a price history changed under every attempt");
};

/** Where the platform is a host: an address of its own, or one below it. */
const isOfPlatform = (url: URL, platform: string): boolean => {
  const host = parseHost(platform);
  return host.ok && isWithin(url.hostname, host.host.replace(/^www\./, ""));
};

const pageOf = (url: URL): string => createHash("sha256").update(url.href).digest("base64url").slice(0, 12);

/**
 * Addresses that may be looked at: first where the registry saw the product before, then what the caller names. The query is
 * left out: a voucher in it would have the registry see a price that others are not shown.
 */
const addressesOf = ({ namedBy, url }: Pick<PriceHistory, "namedBy" | "url">, given: string | undefined) => {
  const known = namedBy?.standing === "registry" ? [url, given] : [given ?? url];
  return known.flatMap((one) => {
    const address = one ? URL.parse(one) : null;
    if (!address) return [];
    address.search = "";
    address.hash = "";
    return [address];
  });
};

/** Charges a look to who asks and to the site that is asked. @returns whether there is room */
const isAdmitted = async ({ limiter }: TrackingDeps, { principal, clientAddress }: Context, url: URL) => {
  const site = registrableDomain(url.hostname);
  const payer = { account: principal.accountId, key: principal.usageId, clientAddress };
  return !(await limiter.refusal("offer_looks", { ...payer, domain: site }));
};

/** The address that is looked at now, or why none is. Counts the look where one is. */
const askForLook = async (
  deps: TrackingDeps,
  body: TrackBody,
  context: Context,
): Promise<URL | Exclude<LookState, "begun">> => {
  const stored = (await deps.histories.get(productKey(body.platform, body.productId)))?.value;
  const addresses = addressesOf(stored ?? { url: null }, body.url);
  if (addresses.length === 0) return "no_url";
  const own = addresses.filter((url) => isOfPlatform(url, body.platform));
  if (own.length === 0) return "foreign_url";
  const since = deps.now() - LOOK_EVERY_MS;
  const url = own.find((one) => !stored?.looked.some(({ page, at }) => page === pageOf(one) && at > since));
  if (!url) return "recent";
  return (await isAdmitted(deps, context, url)) ? url : "limit";
};

const withLook = (history: PriceHistory, url: URL, now: number): PriceHistory => {
  const others = history.looked.filter(({ page }) => page !== pageOf(url));
  return { ...history, looked: [...others, { page: pageOf(url), at: Math.floor(now) }].slice(-MAX_LOOKED) };
};

const wrong = (pointer: string, code: string, message: string) =>
  fail("invalid_request", `${pointer.slice(1).replaceAll("/", ".")}: ${message}`, {
    errors: [{ pointer, code, message }],
  });

/** What a body says was seen, or what is wrong with it. */
const observedOf = (
  body: TrackBody,
  now: number,
): (Observed & { at: number }) | Failure<"invalid_request"> => {
  const priceMinor = toMinor(body.price, body.currency);
  if (priceMinor === undefined)
    return wrong(
      "/body/price",
      "too_precise",
      `${body.currency} has ${minorDigits(body.currency)} digits after the point`,
    );
  const at = body.observed_at === undefined ? now : Date.parse(body.observed_at);
  if (at > now + SKEW_MS || at < now - OLDEST_DAYS * DAY_MS)
    return wrong("/body/observed_at", "out_of_range", `must be from ${OLDEST_DAYS} days ago to now`);
  const { currency, seller = body.platform, region = "" } = body;
  return { seller, region, currency, priceMinor, at, atSeconds: Math.floor(at / 1_000) };
};

export interface Tracked {
  seen: Observed;
  source: PriceSource;
  series: Series;
  look: LookState;
}

/** Stores a caller's observation, and has the registry look itself where it can. */
export const trackClaim = async (
  deps: TrackingDeps,
  looks: Looks,
  body: TrackBody,
  context: Context,
): Promise<Tracked | Failure<"invalid_request" | "too_many_series">> => {
  const now = deps.now();
  const seen = observedOf(body, now);
  if (seen instanceof Failure) return seen;
  const { accountId, standing } = context.principal;
  const { clientAddress } = context;
  const source = callerSource(deps.secret, { accountId, standing, clientAddress, ageMs: now - seen.at });
  const asked = await askForLook(deps, body, context);
  const named: Named = { productName: body.product_name, url: body.url };
  const history = await change(deps, body, (stored) => {
    const next = withObservation(stored, seen, source);
    if (!next) return undefined;
    const renamed = withName(next, named, source);
    return asked instanceof URL ? withLook(renamed, asked, now) : renamed;
  });
  if (!history)
    return fail(
      "too_many_series",
      `${MAX_SERIES} better attested sellers, regions and currencies of this product are kept: tell it with a key of an established account, or with the address of the offer at the platform.`,
    );
  const { platform, productId } = body;
  const begun = asked instanceof URL && looks.add({ platform, productId, url: asked, caller: context });
  const look = asked instanceof URL ? (begun ? "begun" : "limit") : asked;
  return { seen, source, series: history.series.find((one) => isOf(one, seen))!, look };
};

/** Offers of one price a currency are the platform's own; of several, each is its seller's. */
const sightings = (offers: readonly PageOffer[], { platform }: Look, at: number): Observed[] =>
  [...Map.groupBy(offers, ({ currency }) => currency).values()].flatMap((inCurrency) => {
    const isOne = new Set(inCurrency.map(({ priceMinor }) => priceMinor)).size === 1;
    const shown = isOne ? inCurrency.slice(0, 1) : inCurrency.filter(({ seller }) => seller !== null);
    return shown.slice(0, MAX_SELLERS_SEEN).map(({ seller, currency, priceMinor }) => ({
      seller: isOne ? platform : seller!.slice(0, 128),
      region: "",
      currency,
      priceMinor,
      atSeconds: Math.floor(at / 1_000),
    }));
  });

/** Stores what the registry saw on a product's page, where the page itself says that it is the product's. */
export const trackLook = async (
  deps: TrackingDeps,
  look: Look,
  { offers, at, url }: OfferPage & { ok: true },
): Promise<void> => {
  const own = offers.filter((offer) => isOffered({ name: "", ids: offer.ids }, look.productId));
  const seen = sightings(own, look, at);
  if (seen.length === 0 || !isOfPlatform(url, look.platform)) return;
  const named: Named = { productName: own[0]!.name || undefined, url: url.origin + url.pathname };
  await change(deps, look, (stored) =>
    withName(
      seen.reduce((history, one) => withObservation(history, one, REGISTRY) ?? history, stored),
      named,
      REGISTRY,
    ),
  );
};

/** Whether what was just told was kept, is believed, and is outside of what the others say. */
export const judgedAs = ({ series, seen, source }: Tracked) => {
  const told = judgePoints(series).find(
    (one) =>
      one.point[0] === seen.atSeconds && one.point[1] === seen.priceMinor && isSameSource(one.source, source),
  );
  return { kept: told !== undefined, corroborated: told?.believed ?? false, outlier: told?.outlier ?? false };
};
