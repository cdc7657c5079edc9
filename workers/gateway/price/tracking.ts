/** Takes callers' claims in, and has the registry observe the offer itself where it can. */
import { OLDEST_DAYS, type PriceSource, type Series } from "../../../schemas/price.ts";
import { minorDigits, toMinor } from "../../../src/domain/listing/money.ts";
import { registrableDomain } from "../../../src/domain/names/domain-name.ts";
import { DAY_MS } from "../../../src/ports/time.ts";
import type { Input, Principals, RequestContext } from "../../../src/rpc/contract.ts";
import { Failure, fail } from "../../../src/rpc/errors.ts";
import type { Limiter } from "../../../src/rpc/limits.ts";
import { addressToObserve, withObservedAddress } from "./addresses.ts";
import { judgePoints } from "./belief.ts";
import type { price } from "./contract.ts";
import {
  changeHistory,
  type HistoryStores,
  isOf,
  type ObservedPrice,
  type ProductName,
  productKey,
  withName,
  withObservation,
} from "./history.ts";
import type { ObservationQueue } from "./observations.ts";
import { MAX_SERIES } from "./places.ts";
import { callerSource, isSameSource } from "./sources.ts";

const SKEW_MS = 60_000;

export interface TrackingDeps extends HistoryStores {
  limiter: Limiter;
  /** Key of the HMAC that hides accounts and addresses. */
  secret: string;
  now: () => number;
}

type TrackBody = Input<(typeof price)["operations"]["trackPrice"]>["body"];
type Context = RequestContext<Principals["key"]>;
export type ObservationState = "begun" | "recent" | "no_url" | "foreign_url" | "limit";

export interface TrackedPrice {
  seen: ObservedPrice;
  source: PriceSource;
  series: Series;
  look: ObservationState;
}

/** Stores a caller's claim, and has the registry observe the offer itself where it can. */
export async function trackClaim(
  deps: TrackingDeps,
  queue: ObservationQueue,
  body: TrackBody,
  context: Context,
): Promise<TrackedPrice | Failure<"invalid_request" | "too_many_series">> {
  const now = deps.now();
  const seen = observedOf(body, now);
  if (seen instanceof Failure) return seen;
  const { accountId, standing } = context.principal;
  const { clientAddress } = context;
  const source = callerSource(deps.secret, { accountId, standing, clientAddress, ageMs: now - seen.at });
  const address = await chosenAddress(deps, body, context);
  const named: ProductName = { productName: body.product_name, url: body.url };
  const history = await changeHistory(deps, body, (stored) => {
    const next = withObservation(stored, seen, source);
    if (!next) return undefined;
    const renamed = withName(next, named, source);
    return address instanceof URL ? withObservedAddress(renamed, address, now) : renamed;
  });
  if (!history)
    return fail(
      "too_many_series",
      `${MAX_SERIES} better attested sellers, regions and currencies of this product are kept: tell it with a key of an established account, or with the address of the offer at the platform.`,
    );
  const { platform, productId } = body;
  const isBegun = address instanceof URL && queue.add({ platform, productId, url: address, caller: context });
  const look = address instanceof URL ? (isBegun ? "begun" : "limit") : address;
  return { seen, source, series: history.series.find((one) => isOf(one, seen))!, look };
}

/** What a body says was seen, or what is wrong with it. */
function observedOf(
  body: TrackBody,
  now: number,
): (ObservedPrice & { at: number }) | Failure<"invalid_request"> {
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
}

const wrong = (pointer: string, code: string, message: string) =>
  fail("invalid_request", `${pointer.slice(1).replaceAll("/", ".")}: ${message}`, {
    errors: [{ pointer, code, message }],
  });

/** The address that is observed now, charged for; or why there is none. */
async function chosenAddress(
  deps: TrackingDeps,
  body: TrackBody,
  context: Context,
): Promise<URL | Exclude<ObservationState, "begun">> {
  const stored = await deps.histories.get(productKey(body.platform, body.productId));
  const address = addressToObserve(stored?.value, body, deps.now());
  if (!(address instanceof URL)) return address;
  return (await isAdmitted(deps, context, address)) ? address : "limit";
}

/** Charges an observation to the caller and to the site that is visited. @returns whether there is room */
async function isAdmitted({ limiter }: TrackingDeps, { principal, clientAddress }: Context, url: URL) {
  const site = registrableDomain(url.hostname);
  const payer = { account: principal.accountId, key: principal.usageId, clientAddress };
  return !(await limiter.refusal("gateway_fetches", { ...payer, domain: site }));
}

/** Whether the claim was kept, is believed, and is an outlier. */
export function judgedAs({ series, seen, source }: TrackedPrice) {
  const claim = judgePoints(series).find(
    (one) =>
      one.point[0] === seen.atSeconds && one.point[1] === seen.priceMinor && isSameSource(one.source, source),
  );
  return {
    kept: claim !== undefined,
    corroborated: claim?.believed ?? false,
    outlier: claim?.outlier ?? false,
  };
}
