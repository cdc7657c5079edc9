/**
 * Amounts of money in a text, as shops of many countries write them. What names money and cannot be read for certain is
 * told too: whoever looks for the greatest amount must not take a lesser one for it. Pure, and linear in the text.
 */
import { minorDigits } from "../domain/listing/money.ts";
import { minorOf, ofMinor, type Total } from "./amount.ts";
import { agreed, type LocalCurrencies, signAfter, signBefore } from "./currency-signs.ts";

/** Figures of one text that are looked at. */
const MAX_FIGURES = 2_000;
const MAX_FIGURE_CHARS = 32;
const MAX_WHOLE_DIGITS = 12;

/** An amount of money; null where the text names one that cannot be read for certain. */
export interface Price {
  total: Total | null;
  /** Where it begins and ends in the text, with its currency's sign. */
  from: number;
  to: number;
  /** The figure alone, where no currency stands beside it: perhaps no money at all. */
  bare?: number;
}

/** The zeros of the digits that people write prices with, beside those of ASCII. */
const ZEROS = [0x0660, 0x06f0, 0x0966, 0x09e6, 0x0e50, 0xff10];
const FOREIGN_DIGITS =
  /[\u0660-\u0669\u06f0-\u06f9\u0966-\u096f\u09e6-\u09ef\u0e50-\u0e59\uff10-\uff19\uff0c\uff0e]/g;

const FIGURE = /\d+(?:[.,'’٬٫]\d+|[ \u00a0\u2007\u2009\u202f]\d{3}(?!\d))*/g;

/** "12 × €9.90", "€9.90 x 12" and "4 payments of €9.90" cost twelve and four times as much. */
const TIMES_BEFORE = /(?<![\d.,])(\d{1,4}) ?[x×✕*] ?$/iu;
const TIMES_AFTER = /^ ?[x×✕*] ?(\d{1,4})(?![\d.,])/iu;
const PAYMENTS =
  /(?<![\d.,])(\d{1,3}) (?:[\p{L}-]{1,20} ){0,2}(?:payments?|instal+ments?|raten|monatsraten|mensualit[ée]s|versements|[ée]ch[ée]ances|cuotas|plazos|pagos|rate|termijnen|rat|rater|parcelas|presta[çc][õo]es)(?: [\p{L}]{1,4})? ?$/iu;

/** What multiplies the figure before it: "1.2 lakh", "12k", "1万2,800円", "1,5 juta". Read without it, it would be told too low. */
const MULTIPLIES =
  /^(?:[km](?!\p{L})|\s?(?:mn|mln|mio|bn|mrd|tys|tsd|lakhs?|lacs?|crores?|cr|juta|jt|ribu|rb|tri[eệ]u|ngh[iì]n|ng[aà]n|thousand|mil|mill?i[oó]n(?:s|es|en)?|milh[oõ]es|миллион\p{L}{0,3}|млн|тыс|тис)\.?(?!\p{L})|\s?[万萬億亿만억千천])/iu;
const MULTIPLIED = /[万萬億亿만억千천]\s?$/;

const NOWHERE: LocalCurrencies = new Set();

/** How many amounts of money a text names, readable or not. */
export const countPrices = (text: string, local: LocalCurrencies = NOWHERE): number =>
  pricesIn(text, local).filter(({ bare }) => bare === undefined).length;

/** All amounts of money of a text, in their order. @param local of the page, which tell shared signs apart */
export function pricesIn(given: string, local: LocalCurrencies = NOWHERE): Price[] {
  const text = asciiDigits(given);
  const prices: Price[] = [];
  let looked = 0;
  let known = local;
  for (const match of text.matchAll(FIGURE)) {
    if (++looked > MAX_FIGURES) break;
    let { index } = match;
    let figure = match[0];
    const end = index + figure.length;
    // ",89 €" is less than one; after a figure and a blank it is that figure's cents.
    const point = /(?:^|[\s\p{Sc}])[.,]$/u.test(text.slice(Math.max(0, index - 2), index));
    if (point && /^\d\d$/.test(figure)) {
      const whole = /(\d{1,12})\s$/.exec(text.slice(Math.max(0, index - 16), index - 1));
      figure = `${whole?.[1] ?? "0"}.${figure}`;
      index -= 1;
    }
    const ahead = text.slice(Math.max(0, index - 16), index);
    const after = text.slice(end, end + 16);
    const more = MULTIPLIES.exec(after)?.[0].length ?? 0;
    const signs = [
      signBefore(ahead, known),
      signAfter(text.slice(end + more, end + more + 16), known),
    ] as const;
    const [left, right] = signs;
    const [from, to] = [index - (left?.length ?? 0), end + more + (right?.length ?? 0)];
    if (!left && !right) {
      if (looksLikeMoney(match[0], after))
        prices.push({ total: null, from: index, to: end, bare: bareValue(figure) });
      continue;
    }
    const currency = agreed(...signs);
    // "AUD $59.90 inc. GST $5.45": a code says what the next sign means, too.
    if (currency && signs.some((sign) => sign?.isCode)) known = new Set([...local, currency]);
    const isPart = currency === undefined || more > 0 || MULTIPLIED.test(ahead);
    const read = isPart ? undefined : amountOf(figure, currency);
    const count = read ? timesOf(text.slice(Math.max(0, from - 64), from), text.slice(to, to + 8)) : 1;
    prices.push({ total: read ? times(read, count) : null, from, to });
  }
  return prices;
}

/** In ASCII's digits, each character in its place. */
const asciiDigits = (text: string): string =>
  text.replace(FOREIGN_DIGITS, (character) => {
    const code = character.charCodeAt(0);
    if (code === 0xff0c || code === 0xff0e) return code === 0xff0c ? "," : ".";
    const zero = ZEROS.find((each) => code >= each && code <= each + 9)!;
    return String(code - zero);
  });

/** A figure with cents, or in groups, that is no percentage and no measure. */
const looksLikeMoney = (figure: string, after: string): boolean =>
  /[.,]\d\d$|[.,'’]\d{3}(?:[.,]|$)| \d{3}/.test(figure) &&
  !/^\s?(?:[%‰°×x:/]|(?:k?g|lbs?|oz|m?l|cl|[ckm]?m|km|kwh|gb|mb|cm|mm|min|h|std|stars?)\b)/iu.test(after);

/** Its value where its currency is not known, by the usual two digits. */
const bareValue = (figure: string): number => Number(amountOf(figure, "EUR")?.amount ?? Number.NaN);

/** A figure in the currency's digits: 1.234,50 and 1,234.50 and 1 234.5 and 1,23,456.00; undefined for what is none. */
function amountOf(figure: string, currency: string): Total | undefined {
  const digits = minorDigits(currency);
  const plain = figure.replace(/[\s'’٬]/g, "").replaceAll("٫", ".");
  if (plain.length > MAX_FIGURE_CHARS) return undefined;
  const parts = plain.split(/[.,]/);
  const separators = plain.replace(/\d/g, "");
  const decimal = hasDecimals(separators, parts, /[\s'’٬]/.test(figure), digits);
  if (decimal === undefined) return undefined;
  const groups = decimal ? parts.slice(0, -1) : parts;
  const kinds = new Set(decimal ? separators.slice(0, -1) : separators);
  const whole = groups.join("");
  if (kinds.size > 1 || !areGroups(groups) || whole.length > MAX_WHOLE_DIGITS) return undefined;
  const decimals = decimal ? parts.at(-1)! : "";
  const minor = Number(`${whole}${decimals.slice(0, digits).padEnd(digits, "0")}`);
  // More digits than the currency has are rounded up.
  const more = /[1-9]/.test(decimals.slice(digits)) ? 1 : 0;
  return ofMinor(minor + more, currency);
}

/** Whether the last separator of a figure stands before decimals; undefined where it may be either. */
function hasDecimals(separators: string, parts: readonly string[], spaced: boolean, digits: number) {
  const last = separators.at(-1);
  if (last === undefined) return false;
  const isOnly = separators.indexOf(last) === separators.length - 1;
  if (!isOnly) return false;
  if (separators.length > 1 || spaced) return true;
  const tail = parts.at(-1)!;
  if (/^0+$/.test(parts[0]!) || tail.length < 3) return true;
  // 1.234 is a thousand and more, the greater reading; with three digits after the point a point is one.
  if (tail.length === 3) return digits === 3 && last === ".";
  return undefined;
}

/** Groups of three; of two before the last three, as in India; or of four, as in China and Japan. */
function areGroups([first = "", ...rest]: readonly string[]): boolean {
  if (rest.length === 0) return true;
  const sizes = rest.map(({ length }) => length);
  const inner = sizes.slice(0, -1);
  if (sizes.every((size) => size === 3)) return first.length <= 3;
  if (sizes.every((size) => size === 4)) return first.length <= 4;
  return sizes.at(-1) === 3 && first.length <= 2 && inner.every((size) => size === 2);
}

function timesOf(before: string, after: string): number {
  const near = before.slice(-64);
  const count = TIMES_BEFORE.exec(near) ?? TIMES_AFTER.exec(after.slice(0, 8)) ?? PAYMENTS.exec(near);
  return Math.max(1, Number(count?.[1] ?? 1));
}

const times = (total: Total, count: number): Total | null =>
  count === 1 ? total : (ofMinor(minorOf(total) * count, total.currency) ?? null);
