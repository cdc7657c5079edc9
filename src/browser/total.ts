/**
 * The total that a page shows beside a form: what sending it would cost. Read from the page's text alone, in one pass;
 * where several amounts call themselves the total, the greatest of the best named.
 */
import { isCurrency } from "../../schemas/currency.ts";
import { minorDigits } from "../domain/listing/money.ts";
import { minorOf, type Total } from "./amount.ts";
import type { Element, Page } from "./controls.ts";
import { oneLine, visibleText } from "./page.ts";

const MAX_CHARS = 200_000;
const MAX_LINE_CHARS = 400;
/** Figures of one text that are looked at. */
const MAX_FIGURES = 2_000;

/** Signs and short names of currencies; a dollar sign is that of the United States unless a code stands beside it. */
const SIGNS: Readonly<Record<string, string>> = {
  "€": "EUR",
  "£": "GBP",
  $: "USD",
  us$: "USD",
  a$: "AUD",
  c$: "CAD",
  "¥": "JPY",
  円: "JPY",
  元: "CNY",
  "₹": "INR",
  "₩": "KRW",
  "₽": "RUB",
  "₺": "TRY",
  "₴": "UAH",
  "₫": "VND",
  "₪": "ILS",
  "฿": "THB",
  zł: "PLN",
  kč: "CZK",
  ft: "HUF",
  lei: "RON",
  "fr.": "CHF",
  r$: "BRL",
  euro: "EUR",
  euros: "EUR",
};

const currencyOf = (word: string): string | undefined => {
  const lower = word.toLowerCase();
  if (Object.hasOwn(SIGNS, lower)) return SIGNS[lower];
  return word.length === 3 && isCurrency(word.toUpperCase()) && word === word.toUpperCase()
    ? word
    : undefined;
};

/** The word that ends, or begins, right at a place: letters, signs and a point. */
const wordBefore = (text: string): string => /[\p{L}\p{Sc}.]{1,6}$/u.exec(text.trimEnd())?.[0] ?? "";
const wordAfter = (text: string): string => /^[\p{L}\p{Sc}.]{1,6}/u.exec(text.trimStart())?.[0] ?? "";

/** A figure as shops write it, in the currency's digits: 1.234,50 and 1,234.50 and 1 234.5; undefined for what is none. */
const amountOf = (figure: string, currency: string): string | undefined => {
  const digits = minorDigits(currency);
  const plain = figure.replace(/[\s'’]/g, "");
  const last = Math.max(plain.lastIndexOf("."), plain.lastIndexOf(","));
  const decimals = last < 0 ? "" : plain.slice(last + 1);
  const isPoint = last >= 0 && decimals.length <= digits && digits > 0 && decimals !== "";
  const whole = (isPoint ? plain.slice(0, last) : plain).replace(/[.,]/g, "");
  if (whole.length === 0 || whole.length > 12) return undefined;
  const groups = (isPoint ? plain.slice(0, last) : plain).split(/[.,]/);
  if (groups.slice(1).some((group) => group.length !== 3)) return undefined;
  const units = whole.replace(/^0+(?=\d)/, "");
  return digits === 0 ? units : `${units}.${(isPoint ? decimals : "").padEnd(digits, "0")}`;
};

interface Price extends Total {
  /** Where it begins in the text. */
  at: number;
}

/** All prices of a text, in their order. */
export const pricesIn = (text: string): Price[] => {
  const prices: Price[] = [];
  let looked = 0;
  for (const match of text.matchAll(
    /\d(?:[\d.,'’\u00a0\u202f]{0,18}\d)?(?: \d{3}(?!\d)){0,3}(?:[.,]\d{1,3})?/g,
  )) {
    if (++looked > MAX_FIGURES) break;
    const [figure] = match;
    const before = text.slice(Math.max(0, match.index - 8), match.index);
    const end = match.index + figure.length;
    // "24,-" and "24.–" are whole amounts.
    const after = text.slice(end, end + 12).replace(/^[.,][-–—]+/, "");
    const near = [wordAfter(after), wordBefore(before)].flatMap((word) => [word, word.replace(/\.$/, "")]);
    const currency = near.map(currencyOf).find((each) => each !== undefined);
    const code = near.find((word) => currencyOf(word) === word);
    const amount = currency && amountOf(figure, code ?? currency);
    if (amount) prices.push({ amount, currency: code ?? currency!, at: match.index });
  }
  return prices;
};

/** What the last word on the cost is called, the surest first. */
const FIRST = [
  ...[
    "order total",
    "grand total",
    "total to pay",
    "total due",
    "amount due",
    "total amount",
    "amount payable",
    "to pay",
  ],
  ...[
    "total price",
    "you pay",
    "your total",
    "total cost",
    "balance due",
    "total incl",
    "pay now",
    "total (incl",
  ],
  ...[
    "gesamtsumme",
    "gesamtbetrag",
    "gesamtpreis",
    "zu zahlen",
    "endbetrag",
    "endsumme",
    "rechnungsbetrag",
    "zahlbetrag",
  ],
  ...[
    "total ttc",
    "total a payer",
    "montant total",
    "net a payer",
    "a payer",
    "total de la commande",
    "total general",
  ],
  ...[
    "total a pagar",
    "importe total",
    "total del pedido",
    "precio total",
    "a pagar",
    "totale ordine",
    "te betalen",
  ],
];
const SECOND = [
  " total",
  " gesamt",
  " summe",
  " totale",
  " totaal",
  " insgesamt",
  " betrag",
  " montant",
  " importe",
];
/** What is only a part of it. */
const PARTS = [
  "subtotal",
  "sub-total",
  "sub total",
  "zwischensumme",
  "sous-total",
  "sous total",
  "subtotale",
  "subtotaal",
];

const plain = (text: string): string => ` ${text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase()}`;

/** How surely a line names the total: 2, 1, or 0 for not at all. */
const rankOf = (line: string): 0 | 1 | 2 => {
  const words = plain(line);
  if (PARTS.some((part) => words.includes(part))) return 0;
  if (FIRST.some((label) => words.includes(label))) return 2;
  return SECOND.some((label) => words.includes(label)) ? 1 : 0;
};

interface Named {
  rank: 1 | 2;
  price: Price;
}

/** Prices that a line, or the line before, calls the total. */
const totalsIn = (text: string): Named[] => {
  const named: Named[] = [];
  let pending: 0 | 1 | 2 = 0;
  for (const whole of text.split("\n")) {
    const line = oneLine(whole.slice(0, MAX_LINE_CHARS));
    if (line === "") continue;
    const rank = rankOf(line);
    const prices = pricesIn(line);
    const price = prices.at(-1);
    // A label on a line of its own names the price of the next one.
    const sure = rank > 0 ? rank : prices.length === 1 ? pending : 0;
    if (price && sure > 0) named.push({ rank: sure as 1 | 2, price });
    pending = price ? 0 : rank;
  }
  return named;
};

const greatest = (prices: readonly Total[]): Total | null => {
  const [first] = prices;
  // Two currencies cannot be compared: nobody knows which is asked for.
  if (!first || prices.some(({ currency }) => currency !== first.currency)) return null;
  const { amount, currency } = prices.reduce((most, each) => (minorOf(each) > minorOf(most) ? each : most));
  return { amount, currency };
};

const bestOf = (named: readonly Named[]): Total | null => {
  const most = Math.max(0, ...named.map(({ rank }) => rank));
  return greatest(named.filter(({ rank }) => rank === most).map(({ price }) => price));
};

const isOnePrice = (prices: readonly Price[]): boolean =>
  prices.length > 0 &&
  prices.every(({ amount, currency }) => amount === prices[0]!.amount && currency === prices[0]!.currency);

/**
 * What sending a form would cost, as the page shows it: on its button, as a total in the form or else on the page; or the
 * one price that the form itself names. Null where nothing of it is certain.
 * @param button words of the button that sends it
 */
export const totalOf = (page: Page, form: Element | undefined, button: string): Total | null => {
  const onButton = pricesIn(button);
  if (isOnePrice(onButton)) return greatest(onButton);
  const own = form ? visibleText(form, MAX_CHARS).text : "";
  const inForm = bestOf(totalsIn(own));
  if (inForm) return inForm;
  const onPage = bestOf(totalsIn(visibleText(page.document, MAX_CHARS).text));
  if (onPage) return onPage;
  const prices = pricesIn(own);
  return isOnePrice(prices) ? greatest(prices) : null;
};
