/** What a page itself says that it sells and for how much: schema.org offers in its JSON-LD. Pure; runs in a scan thread. */
import { isCurrency } from "../../../schemas/currency.ts";
import { toMinor } from "../../../src/domain/listing/money.ts";
import { isOneOf, type LdNode, ldNodes, ldText, parseJsonLd, readGraph } from "../../../src/pages/json-ld.ts";
import { readPageModel } from "../../../src/pages/page-model.ts";
import { jsonLdTexts } from "../../../src/pages/page-parts.ts";
import { parseHtml } from "../../../src/pages/parse-html.ts";
import { rawText } from "../../../src/pages/visible-text.ts";
import { decoded } from "./decoded-text.ts";
import { sha256 } from "./digest.ts";
import type { FetchedText } from "./page-text.ts";

const MAX_OFFERS = 100;
/** Pairs of what is offered and an offer of it: one node may be named by thousands. */
const MAX_LOOKED = 5_000;
const MAX_TEXT = 500;

export interface PageOffer {
  /** The product's name, as the page has it. */
  name: string;
  /** What the page calls the product by: sku, productID, mpn, gtin. */
  ids: string[];
  currency: string;
  priceMinor: number;
  /** Null: the page names no seller. */
  seller: string | null;
}

const ENTITY = /&(?:#\d{1,7}|#x[\da-f]{1,6}|[a-z][a-z\d]{1,30});/i;

const OFFERS = new Set(["Offer", "AggregateOffer", "Demand", "OfferForPurchase", "OfferForLease"]);
const AGGREGATES = new Set(["AggregateOffer"]);
/** Prices that are crossed out, recommended or paid by others (schema.org's PriceTypeEnumeration). */
const NOT_PAID = new Set([
  "ListPrice",
  "StrikethroughPrice",
  "MSRP",
  "SRP",
  "InvoicePrice",
  "MinimumAdvertisedPrice",
]);
const REGULAR = new Set(["RegularPrice"]);
/** What is paid beside the price or for a part of it. */
const CHARGES = new Set(["DeliveryChargeSpecification", "PaymentChargeSpecification"]);
/** A price for some buyers, of a part, or of many: none that anybody pays for one. */
const CONDITIONS = [
  "priceComponentType",
  "validForMemberTier",
  "eligibleQuantity",
  "eligibleTransactionVolume",
  "billingDuration",
];

type Priced = Pick<PageOffer, "currency" | "priceMinor">;

const ID_MEMBERS = ["sku", "productID", "mpn", "gtin", "gtin8", "gtin12", "gtin13", "gtin14"];

/** The same of a fetched page, with the digest of its bytes, as a scan thread's task. */
export const offersOfPage = (page: FetchedText): { offers: PageOffer[]; sha256: string } => ({
  offers: readOffers(decoded(page)),
  sha256: sha256(page.bytes),
});

/** Every offer that the page's structured data names, at most 100. */
export const readOffers = (html: string): PageOffer[] =>
  offersIn(readGraph(jsonLdTexts(readPageModel(html)).map(parseJsonLd)));

/** Every offer of what a page's structured data describes, at most 100. */
const offersIn = (nodes: readonly LdNode[]): PageOffer[] =>
  offeredBy(nodes)
    .take(MAX_LOOKED)
    .flatMap(([item, offer]) => offerFor(item, offer))
    .take(MAX_OFFERS)
    .toArray();

/** What is offered with each offer of it: offers are named by what they are for, or name it. */
function* offeredBy(nodes: readonly LdNode[]): Generator<[item: LdNode, offer: LdNode]> {
  for (const node of nodes) {
    if (isOneOf(node, "@type", OFFERS)) {
      for (const item of ldNodes(node, "itemOffered")) if (!item.has("offers")) yield [item, node];
      continue;
    }
    for (const offer of ldNodes(node, "offers")) {
      const inner = isOneOf(offer, "@type", AGGREGATES) ? ldNodes(offer, "offers") : [];
      for (const one of inner.length > 0 ? inner : [offer]) yield [node, one];
    }
  }
}

function offerFor(product: LdNode, offer: LdNode): PageOffer[] {
  const prices = pricesOf(offer);
  if (prices.length === 0) return [];
  const name = shownText(product, "name") ?? "";
  const seller = ldNodes(offer, "seller").flatMap((one) => shownText(one, "name") ?? [])[0] ?? null;
  const ids = [...new Set([...idsOf(product), ...idsOf(offer)])];
  return prices.slice(0, MAX_OFFERS).map((price) => ({ name, ids, ...price, seller }));
}

/** What an offer asks for one: its own price, else what its specifications say; of a range only one that is none. */
function pricesOf(offer: LdNode): Priced[] {
  const own = pricedBy(offer, "price", offer);
  if (own.length > 0) return own;
  const specified = specifications(offer).flatMap((one) => pricedBy(one, "price", offer));
  if (specified.length > 0 || !isOneOf(offer, "@type", AGGREGATES)) return specified;
  const [[low], [high]] = [pricedBy(offer, "lowPrice", offer), pricedBy(offer, "highPrice", offer)];
  const isOne = low?.priceMinor === high?.priceMinor || (!high && ldText(offer, "offerCount") === "1");
  return low && isOne ? [low] : [];
}

function pricedBy(node: LdNode, member: string, offer: LdNode): Priced[] {
  const currency = (ldText(node, "priceCurrency") ?? ldText(offer, "priceCurrency"))?.toUpperCase();
  if (currency === undefined || !isCurrency(currency)) return [];
  const amount = amountOf(ldText(node, member), currency);
  const priceMinor = amount === undefined ? undefined : toMinor(amount, currency);
  return priceMinor === undefined ? [] : [{ currency, priceMinor }];
}

/** A figure as 1299.00, 1,299.00, 1.299,00 or 7,90, with the currency's sign or code; undefined where it can be read in two ways. */
function amountOf(text: string | undefined, currency: string): number | undefined {
  const figure = text
    ?.slice(0, 40)
    .replace(currency, "")
    .replace(/[\p{Sc}\s]/gu, "");
  if (figure === undefined) return undefined;
  if (/^\d{1,12}(?:\.\d{1,20})?$/.test(figure)) return Number(figure);
  if (/^\d{1,12},\d{2}$/.test(figure)) return Number(figure.replace(",", "."));
  if (/^\d{1,3}(?:,\d{3}){1,3}\.\d{1,4}$/.test(figure)) return Number(figure.replaceAll(",", ""));
  return /^\d{1,3}(?:\.\d{3}){1,3},\d{1,4}$/.test(figure)
    ? Number(figure.replaceAll(".", "").replace(",", "."))
    : undefined;
}

/** The specifications of an offer's price: of a sale that which is paid, the regular price where it is the only one. */
function specifications(offer: LdNode): LdNode[] {
  const prices = ldNodes(offer, "priceSpecification").filter(
    (one) =>
      !isOneOf(one, "@type", CHARGES) &&
      !isOneOf(one, "priceType", NOT_PAID) &&
      CONDITIONS.every((condition) => !one.has(condition)),
  );
  const paid = prices.filter((one) => !isOneOf(one, "priceType", REGULAR));
  return paid.length > 0 ? paid : prices;
}

/** A text as readers see it: shops write character references of HTML into their JSON as well. */
function shownText(node: LdNode, member: string): string | undefined {
  const text = ldText(node, member)?.slice(0, MAX_TEXT);
  if (text === undefined) return undefined;
  const shown = ENTITY.test(text) ? rawText(parseHtml(text.replaceAll("<", "&lt;")).document) : text;
  return shown.trim().toWellFormed() || undefined;
}

const idsOf = (node: LdNode): string[] => ID_MEMBERS.flatMap((member) => shownText(node, member) ?? []);
