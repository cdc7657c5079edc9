/** What the notary certifies by its own observation: the price that a page's structured data names for a product. */
import { minorDigits } from "../../../src/domain/listing/money.ts";
import { fail } from "../../../src/rpc/errors.ts";
import type { Caller } from "../../../src/threads/thread-tasks.ts";
import type { ReadOfferPage } from "../common/offer-page.ts";
import { isOffered } from "../common/offered.ts";
import type { PageOffer } from "../common/offers.ts";
import { toMinute } from "./rules.ts";

export interface RequestedOffer {
  url: string;
  product: string;
  currency: string;
}

/**
 * Fetches the page and reads the price. The query is left out: what the certificate names is what was fetched.
 * @returns the members of the statement that the observation decides, all in the page's words
 */
export async function observePrice(
  readOfferPage: ReadOfferPage,
  { url, product, currency }: RequestedOffer,
  caller: Caller,
) {
  const requested = new URL(url);
  requested.search = "";
  requested.hash = "";
  const page = await readOfferPage(requested, caller);
  if (!page.ok) return notObserved(page.reason);
  const offer = offerOf(page.offers, product, currency);
  if (typeof offer === "string") return notObserved(offer);
  const { hostname, pathname, origin } = page.url;
  return {
    subject: {
      host: hostname,
      path: pathname === "/" ? null : pathname,
      product: offer.name || product,
      seller: offer.seller,
    },
    currency,
    minor_digits: minorDigits(currency),
    price_minor: offer.priceMinor,
    observed_at: toMinute(page.at),
    observed_url: origin + pathname,
    observer: { country: null, device: "agent" as const, signed_in: false },
    evidence_sha256: page.sha256,
  };
}

const notObserved = (reason: string) =>
  fail(
    "not_observed",
    `The notary could not see the price: ${reason}. A claim can be certified with observed_by: caller.`,
  );

/** The one offer of a product in a currency: of several the page must name one price. */
function offerOf(offers: readonly PageOffer[], product: string, currency: string) {
  if (offers.length === 0) return "the page names no offer in schema.org JSON-LD";
  const ofProduct = offers.filter((offer) => isOffered(offer, product));
  if (ofProduct.length === 0) return "the page offers nothing of this name or number";
  const inCurrency = ofProduct.filter((offer) => offer.currency === currency);
  const prices = new Set(inCurrency.map(({ priceMinor }) => priceMinor));
  if (prices.size === 0) return `the page names no price in ${currency}`;
  return prices.size === 1 ? inCurrency[0]! : "the page names several prices of it";
}
