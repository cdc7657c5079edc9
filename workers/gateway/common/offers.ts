/** What a page itself says that it sells and for how much: schema.org offers in its JSON-LD. Pure; runs in a scan thread. */
import { isCurrency } from "../../../schemas/currency.ts";
import { currencyOfSign, mayMean } from "../../../src/browser/currency-signs.ts";
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

/** What is offered, an offer of it, and what holds the offer: itself, or an aggregate. */
interface Offered {
  item: LdNode;
  offer: LdNode;
  around: LdNode;
}
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
  offeredBy(nodes).take(MAX_LOOKED).flatMap(offerFor).take(MAX_OFFERS).toArray();

/** What is offered with each offer of it: offers are named by what they are for, or name it. */
function* offeredBy(nodes: readonly LdNode[]): Generator<Offered> {
  for (const node of nodes) {
    if (isOneOf(node, "@type", OFFERS)) {
      for (const item of ldNodes(node, "itemOffered"))
        if (!item.has("offers")) yield { item, offer: node, around: node };
      continue;
    }
    for (const around of ldNodes(node, "offers")) {
      const inner = isOneOf(around, "@type", AGGREGATES) ? ldNodes(around, "offers") : [];
      for (const offer of inner.length > 0 ? inner : [around]) yield { item: node, offer, around };
    }
  }
}

function offerFor({ item, offer, around }: Offered): PageOffer[] {
  const prices = pricesOf(offer, currencyIn(offer) ?? currencyIn(around));
  if (prices.length === 0) return [];
  const name = shownText(item, "name") ?? "";
  const seller = ldNodes(offer, "seller").flatMap((one) => shownText(one, "name") ?? [])[0] ?? null;
  const ids = [...new Set([...idsOf(item), ...idsOf(offer)])];
  return prices.slice(0, MAX_OFFERS).map((price) => ({ name, ids, ...price, seller }));
}

/**
 * What an offer asks for one: its own price, else what its specifications say; of a range only one that is none.
 * @param currency where what names the price names none
 */
function pricesOf(offer: LdNode, currency: string | undefined): Priced[] {
  const read = (node: LdNode, member: string): Priced[] => pricedBy(node, member, currency);
  const own = read(offer, "price");
  if (own.length > 0) return own;
  const specified = specifications(offer);
  const prices = specified.flatMap((one) => read(one, "price"));
  if (prices.length > 0) return prices;
  const ranges = [...specified, offer].flatMap((node) => [
    [node, "minPrice", "maxPrice"] as const,
    [node, "lowPrice", "highPrice"] as const,
  ]);
  return ranges.flatMap(([node, from, to]) => {
    const [[low], [high]] = [read(node, from), read(node, to)];
    const isOne = low?.priceMinor === high?.priceMinor || (!high && ldText(node, "offerCount") === "1");
    return low && isOne ? [low] : [];
  });
}

function pricedBy(node: LdNode, member: string, around: string | undefined): Priced[] {
  const currency = currencyIn(node) ?? around;
  if (currency === undefined) return [];
  const amount = amountOf(shownText(node, member), currency);
  const priceMinor = amount === undefined ? undefined : toMinor(amount, currency);
  return priceMinor === undefined ? [] : [{ currency, priceMinor }];
}

/** The currency that a node names, by its code or by a sign of no other. */
function currencyIn(node: LdNode): string | undefined {
  const said = ldText(node, "priceCurrency");
  const code = said?.toUpperCase() ?? "";
  return isCurrency(code) ? code : said && currencyOfSign(said);
}

/**
 * A figure as 1299.00, 1,299.00, 1.299,00, 1'299.00 or 7,90, with the currency's sign or code; undefined where it can be read in
 * two ways.
 */
function amountOf(text: string | undefined, currency: string): number | undefined {
  const said =
    text
      ?.slice(0, 40)
      .trim()
      .replace(/[.,][-–—−]{1,2}(?!\d)/, "") ?? "";
  const digits = [...said.matchAll(/\d/g)].map(({ index }) => index);
  const [first, last] = [digits[0], digits.at(-1)];
  if (first === undefined || last === undefined) return undefined;
  const [before, written, after] = [said.slice(0, first), said.slice(first, last + 1), said.slice(last + 1)];
  const signs = [before, after].map((sign) => sign.trim()).filter((sign) => sign !== "");
  if (!signs.every((sign) => mayMean(sign, currency))) return undefined;
  const figure = written.replace(/[\s'’]/g, "");
  // "1.299 €" is a thousand to some and one to others; without a sign, schema.org's point is one.
  if (signs.length > 0 && /^\d{1,3}\.\d{3}$/.test(figure)) return undefined;
  if (/^\d{1,12}(?:\.\d{1,20})?$/.test(figure)) return Number(figure);
  if (/^\d{1,12},\d{2}$/.test(figure)) return Number(figure.replace(",", "."));
  if (/^\d{1,3}(?:,\d{3}){1,3}\.\d{1,4}$/.test(figure)) return Number(figure.replaceAll(",", ""));
  return /^\d{1,3}(?:\.\d{3}){1,3},\d{1,4}$/.test(figure)
    ? Number(figure.replaceAll(".", "").replace(",", "."))
    : undefined;
}

/**
 * The specifications of an offer's price: of a sale that which is paid, the regular price where it is the only one; with taxes
 * before the same without; of the whole before one of a unit.
 */
function specifications(offer: LdNode): LdNode[] {
  const prices = ldNodes(offer, "priceSpecification").filter(
    (one) =>
      !isOneOf(one, "@type", CHARGES) &&
      !isOneOf(one, "priceType", NOT_PAID) &&
      CONDITIONS.every((condition) => !one.has(condition)),
  );
  const lesser = [
    (one: LdNode) => isOneOf(one, "priceType", REGULAR),
    (one: LdNode) => one.has("referenceQuantity"),
    (one: LdNode) => (one.get("valueAddedTaxIncluded") ?? []).some((said) => /^false$/i.test(String(said))),
  ];
  return lesser.reduce((left, isLesser) => {
    const rest = left.filter((one) => !isLesser(one));
    return rest.length > 0 ? rest : left;
  }, prices);
}

/** A text as readers see it: shops write character references of HTML into their JSON as well. */
function shownText(node: LdNode, member: string): string | undefined {
  const text = ldText(node, member)?.slice(0, MAX_TEXT);
  if (text === undefined) return undefined;
  const shown = ENTITY.test(text) ? rawText(parseHtml(text.replaceAll("<", "&lt;")).document) : text;
  return shown.trim().toWellFormed() || undefined;
}

const idsOf = (node: LdNode): string[] => ID_MEMBERS.flatMap((member) => shownText(node, member) ?? []);
