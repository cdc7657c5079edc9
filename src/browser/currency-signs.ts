/** Signs and names of currencies as pages write them beside a figure, and which of several one means on a page. Pure. */
import { isCurrency } from "../../schemas/currency.ts";
import { readTable } from "../tables/read-table.ts";

/** The currencies of the countries that a page says it is of: what tells the kroner, the yen and the rupees apart. */
export type LocalCurrencies = ReadonlySet<string>;

const TABLE = readTable("currency-signs");

/** Signs that mean one currency. */
const SIGNS = byValue(TABLE.one);

/**
 * Signs that several currencies share: the first is meant where the page does not say; where `?` ends the list it is money of an
 * unknown currency, and where `!` does, no sign at all: letters and measures.
 */
const SHARED: ReadonlyMap<string, readonly string[]> = new Map(
  TABLE.shared.flatMap(({ signs, of }) => signs.map((sign) => [sign, of] as const)),
);

const NO_SIGN = "!";
const UNKNOWN: ReadonlySet<string> = new Set(["?", NO_SIGN]);

const OF_COUNTRY = byValue(TABLE.countries);
const OF_LANGUAGE = byValue(TABLE.languages);
/** Domains of countries whose names are sold to the whole world: they say nothing of where a shop is. */
const GENERIC_DOMAINS = new Set(TABLE.generic_domains);
/** Words that one country alone says beside its prices. */
const OF_WORDS: readonly (readonly [RegExp, string])[] = [
  [/\bvarav\b|\bkassan\b|\bfrakt ingår\b/iu, "SEK"],
  [/\bhvorav\b|\bmva\b/iu, "NOK"],
  [/\bheraf\b|\bi alt\b/iu, "DKK"],
  [/\bþar af\b|\bvsk\b/iu, "ISK"],
  [/[\u3041-\u3096\u30a1-\u30fa]|税込/u, "JPY"],
  [/[这个单总计额]/u, "CNY"],
];

/** The currency of a sign that no other has. */
export const currencyOfSign = (sign: string): string | undefined => SIGNS.get(sign.toLowerCase());

/** Whether a sign or code may mean a currency. */
export function mayMean(sign: string, currency: string): boolean {
  const plain = sign.toLowerCase().replace(/\.$/, "");
  const isOf = (word: string) => SIGNS.get(word) === currency || SHARED.get(word)?.includes(currency);
  return plain === currency.toLowerCase() || [plain, sign.toLowerCase()].some(isOf);
}

/** A sign beside a figure; `code` is undefined where it names money of which nobody knows the currency. */
export interface Sign {
  code: string | undefined;
  /** Whether it is a code of ISO 4217, which says more than a sign on the other side. */
  isCode: boolean;
  word: string;
  length: number;
}

const MAX_SIGN_CHARS = 7;
/** Scripts that write words without blanks: a sign may stand right before or after another word. */
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}]/u;

/** Each text of the lists with the key of its list. */
function byValue(lists: Readonly<Record<string, readonly string[]>>): ReadonlyMap<string, string> {
  return new Map(Object.entries(lists).flatMap(([key, texts]) => texts.map((text) => [text, key] as const)));
}

/** What a page says of where it is of. @param text of the page; read once */
export function localCurrencies(language: string | null, host: string, text: string): LocalCurrencies {
  const [primary = "", ...subtags] = (language ?? "").toLowerCase().split("-");
  const region = subtags.find((subtag) => /^[a-z]{2}$/.test(subtag));
  const domain = /\.([a-z]{2})$/.exec(host)?.[1] ?? "";
  const said = [
    region === undefined ? OF_LANGUAGE.get(primary) : OF_COUNTRY.get(region),
    GENERIC_DOMAINS.has(domain) ? undefined : OF_COUNTRY.get(domain),
    ...OF_WORDS.map(([words, code]) => (words.test(text) ? code : undefined)),
  ];
  return new Set(said.filter((code) => code !== undefined));
}

/** The sign that ends right where a figure begins. @param text up to the figure */
export function signBefore(text: string, local: LocalCurrencies): Sign | undefined {
  const near = text.slice(-MAX_SIGN_CHARS - 8);
  const gap = /\s{0,2}[:−-]?\s?$/.exec(near)![0].length;
  const end = near.length - gap;
  const dotted = near[end - 1] === "." ? 1 : 0;
  for (const stop of dotted ? [end, end - 1] : [end])
    for (let length = Math.min(MAX_SIGN_CHARS, stop); length > 0; length--) {
      const word = near.slice(stop - length, stop);
      if (isLetter(word[0]) && isLetter(near[stop - length - 1])) continue;
      const sign = signOf(word, local);
      if (!sign) continue;
      // "AUD $59.90": the code says whose dollar it is.
      const [behind, code = ""] = /(?<!\p{L})([A-Z]{3})\)?:?\s$/u.exec(near.slice(0, stop - length)) ?? [""];
      const named: Sign = { code, isCode: true, word: code.toLowerCase(), length: 0 };
      // Of another currency it is a word: "ALL $45".
      if (!sign.isCode && isCurrency(code) && agreed(named, sign) === code)
        return { ...named, length: near.length - stop + length + behind.length };
      // "X$": a dollar, and nobody here knows whose.
      const prefix = /(?<![\p{L}])\p{Lu}{1,3}$/u.exec(near.slice(0, stop - length));
      const unknown = word === "$" && prefix !== null;
      return { ...sign, ...(unknown && { code: undefined }), length: sign.length + near.length - stop };
    }
  return undefined;
}

const isLetter = (character: string | undefined): boolean =>
  character !== undefined && /[\p{L}\p{M}]/u.test(character) && !UNSPACED.test(character);

function signOf(word: string, local: LocalCurrencies): Sign | undefined {
  const lower = word.toLowerCase();
  const of = (code: string | undefined, isCode = false): Sign => ({
    code,
    isCode,
    word: lower,
    length: word.length,
  });
  if (/^[A-Z]{3}$/.test(word) && isCurrency(word)) return of(word, true);
  if (SIGNS.has(lower)) return of(SIGNS.get(lower), lower.length === 3 && /^[a-z]+$/.test(lower));
  const codes = SHARED.get(lower);
  const meant = codes && meantBy(codes, local);
  return codes && (meant !== undefined || codes.at(-1) !== NO_SIGN) ? of(meant) : undefined;
}

/** Of the currencies that share a sign the one of the page; undefined where it says several, or none and none is usual. */
function meantBy(codes: readonly string[], local: LocalCurrencies): string | undefined {
  const [first, ...others] = codes.filter((code) => local.has(code));
  if (others.length > 0) return undefined;
  return first ?? (UNKNOWN.has(codes.at(-1)!) ? undefined : codes[0]);
}

/** The sign that begins right where a figure ends. @param text from the end of the figure */
export function signAfter(text: string, local: LocalCurrencies): Sign | undefined {
  const near = text.slice(0, MAX_SIGN_CHARS + 8);
  // "24,-", "24.–" and "24:-" are whole amounts.
  const dash = /^[.,:][-–—−]{1,2}/.exec(near)?.[0].length ?? 0;
  const at = dash + /^\s{0,2}/.exec(near.slice(dash))![0].length;
  for (let length = Math.min(MAX_SIGN_CHARS, near.length - at); length > 0; length--) {
    const word = near.slice(at, at + length);
    if (isLetter(word.at(-1)) && isLetter(near[at + length])) continue;
    const sign = signOf(word, local);
    // "$XY": a dollar, and nobody here knows whose.
    const unknown = word === "$" && isLetter(near[at + length]);
    if (sign) return { ...sign, ...(unknown && { code: undefined }), length: at + length };
  }
  return dash > 0 ? { code: undefined, isCode: false, word: "", length: dash } : undefined;
}

/** The one currency that the signs on both sides of a figure mean; undefined where they do not agree. */
export function agreed(before: Sign | undefined, after: Sign | undefined): string | undefined {
  if (!before || !after) return (before ?? after)?.code;
  if (before.code === after.code || after.word === "") return before.code;
  const [code, sign] = after.isCode ? [after, before] : [before, after];
  if (!code.isCode || sign.isCode) return undefined;
  return SHARED.get(sign.word)?.includes(code.code!) ? code.code : undefined;
}
