/** What a page itself says that it sells and for how much: schema.org offers in its JSON-LD. Pure; runs in a scan thread. */
import type { DefaultTreeAdapterTypes as Dom } from "parse5";
import { isCurrency } from "../../../schemas/currency.ts";
import { toMinor } from "../../../src/domain/listing/money.ts";
import { attribute, parseHtml } from "../../../src/pages/parse-html.ts";
import { sha256 } from "./digest.ts";
import { decoded, type FetchedText } from "./page-text.ts";

const MAX_BLOCKS = 20;
const MAX_BLOCK_CHARS = 131_072;
const MAX_VALUES = 5_000;
const MAX_OFFERS = 100;
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

type Json = Record<string, unknown>;

const isObject = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const textOf = (value: unknown): string | undefined =>
  typeof value === "string" || typeof value === "number"
    ? String(value).trim().slice(0, MAX_TEXT).toWellFormed() || undefined
    : undefined;

const isOf = (node: Json, type: string): boolean =>
  [node["@type"]].flat().some((one) => typeof one === "string" && one.endsWith(type));

/** schema.org asks for a point and no separators: anything else is read by nobody for sure. */
const amountOf = (value: unknown): number | undefined => {
  const text = textOf(value);
  return text !== undefined && /^\d{1,12}(?:\.\d{1,4})?$/.test(text) ? Number(text) : undefined;
};

const offersIn = (value: unknown): Json[] =>
  [value]
    .flat()
    .filter(isObject)
    .flatMap((one) => (isOf(one, "AggregateOffer") ? [one.offers].flat().filter(isObject) : [one]));

const ID_MEMBERS = ["sku", "productID", "mpn", "gtin", "gtin8", "gtin12", "gtin13", "gtin14"];

const offersOf = (product: Json): PageOffer[] => {
  const name = textOf(product.name) ?? "";
  const idsOf = (node: Json) => ID_MEMBERS.flatMap((member) => textOf(node[member]) ?? []);
  return offersIn(product.offers).flatMap((offer) => {
    const currency = textOf(offer.priceCurrency)?.toUpperCase();
    const amount = amountOf(offer.price);
    if (currency === undefined || amount === undefined || !isCurrency(currency)) return [];
    const priceMinor = toMinor(amount, currency);
    if (priceMinor === undefined) return [];
    const seller = isObject(offer.seller) ? (textOf(offer.seller.name) ?? null) : null;
    return [{ name, ids: [...new Set([...idsOf(product), ...idsOf(offer)])], currency, priceMinor, seller }];
  });
};

const productsIn = (block: string): Json[] => {
  let value: unknown;
  try {
    value = JSON.parse(block);
  } catch {
    return []; // A stranger's mistake: it says nothing.
  }
  const found: Json[] = [];
  const pending: unknown[] = [value];
  for (let left = MAX_VALUES; pending.length > 0 && left > 0; left--) {
    const one = pending.pop();
    if (isObject(one) && isOf(one, "Product")) found.push(one);
    if (typeof one === "object" && one !== null)
      for (const member of Object.values(one).slice(0, MAX_VALUES))
        if (typeof member === "object") pending.push(member);
  }
  return found;
};

/** Every offer of every product that the page's structured data names, at most 100. */
export const readOffers = (html: string): PageOffer[] => {
  const blocks: string[] = [];
  const scripts: Dom.Element[] = [];
  parseHtml(html, {
    onElement: (element) => {
      if (element.tagName === "script") scripts.push(element);
    },
  });
  for (const script of scripts) {
    if (attribute(script, "type")?.trim().toLowerCase() !== "application/ld+json") continue;
    const text = script.childNodes.map((child) => ("value" in child ? child.value : "")).join("");
    if (text.length <= MAX_BLOCK_CHARS && blocks.length < MAX_BLOCKS) blocks.push(text);
  }
  return blocks.flatMap(productsIn).flatMap(offersOf).slice(0, MAX_OFFERS);
};

/** The same of a fetched page, with the digest of its bytes, as a scan thread's task. */
export const offersOfPage = (page: FetchedText): { offers: PageOffer[]; sha256: string } => ({
  offers: readOffers(decoded(page)),
  sha256: sha256(page.bytes),
});
