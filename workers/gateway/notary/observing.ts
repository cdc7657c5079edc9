/** What the notary certifies because it saw it: the price that a page's own structured data names for a product. */
import { minorDigits } from "../../../src/domain/listing/money.ts";
import { fail } from "../../../src/rpc/errors.ts";
import type { Caller } from "../../../src/threads/thread-tasks.ts";
import type { LookAtOffers } from "../common/offer-page.ts";
import { isOffered } from "../common/offered.ts";
import type { PageOffer } from "../common/offers.ts";
import { toMinute } from "./rules.ts";

const notObserved = (reason: string) =>
  fail(
    "not_observed",
    `The notary could not see the price: ${reason}. A claim can be certified with observed_by: caller.`,
  );

/** The one offer of a product in a currency: of several the page must name one price. */
const offerOf = (offers: readonly PageOffer[], product: string, currency: string) => {
  if (offers.length === 0) return "the page names no offer in schema.org JSON-LD";
  const ofProduct = offers.filter((offer) => isOffered(offer, product));
  if (ofProduct.length === 0) return "the page offers nothing of this name or number";
  const inCurrency = ofProduct.filter((offer) => offer.currency === currency);
  const prices = new Set(inCurrency.map(({ priceMinor }) => priceMinor));
  if (prices.size === 0) return `the page names no price in ${currency}`;
  return prices.size === 1 ? inCurrency[0]! : "the page names several prices of it";
};

export interface Asked {
  url: string;
  product: string;
  currency: string;
}

/**
 * Fetches the page and reads the price. The query is left out: what the certificate names is what was fetched.
 * @returns the members of the statement that the look decides, all in the page's words
 */
export const observePrice = async (look: LookAtOffers, { url, product, currency }: Asked, caller: Caller) => {
  const asked = new URL(url);
  asked.search = "";
  asked.hash = "";
  const page = await look(asked, caller);
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
};
