/** Signs and names of currencies as pages write them beside a figure, and which of several one means on a page. Pure. */
import { isCurrency } from "../../schemas/currency.ts";

/** The currencies of the countries that a page says it is of: what tells the kroner, the yen and the rupees apart. */
export type Place = ReadonlySet<string>;

/** A sign of one currency, or of several; the first of several is meant where nothing says otherwise, if it is marked so. */
const SIGNS: Readonly<Record<string, string>> = {
  "€": "EUR",
  euro: "EUR",
  euros: "EUR",
  eur: "EUR",
  "£": "GBP",
  gbp: "GBP",
  "₤": "GBP",
  $: "USD",
  us$: "USD",
  usd: "USD",
  "＄": "USD",
  a$: "AUD",
  au$: "AUD",
  c$: "CAD",
  ca$: "CAD",
  nz$: "NZD",
  s$: "SGD",
  sg$: "SGD",
  hk$: "HKD",
  nt$: "TWD",
  mx$: "MXN",
  mex$: "MXN",
  r$: "BRL",
  cl$: "CLP",
  col$: "COP",
  co$: "COP",
  ar$: "ARS",
  j$: "JMD",
  tt$: "TTD",
  rd$: "DOP",
  b$: "BND",
  "jp¥": "JPY",
  "cn¥": "CNY",
  rmb: "CNY",
  円: "JPY",
  圆: "CNY",
  人民币: "CNY",
  "₩": "KRW",
  원: "KRW",
  "₹": "INR",
  "₽": "RUB",
  руб: "RUB",
  рублей: "RUB",
  "₺": "TRY",
  tl: "TRY",
  "₴": "UAH",
  грн: "UAH",
  "₫": "VND",
  đ: "VND",
  vnđ: "VND",
  "₪": "ILS",
  "฿": "THB",
  บาท: "THB",
  "₱": "PHP",
  php: "PHP",
  "₦": "NGN",
  "₡": "CRC",
  "₲": "PYG",
  "₸": "KZT",
  тг: "KZT",
  "₾": "GEL",
  "₼": "AZN",
  "₮": "MNT",
  "៛": "KHR",
  "₭": "LAK",
  "₵": "GHS",
  "֏": "AMD",
  rp: "IDR",
  rm: "MYR",
  "s/": "PEN",
  kes: "KES",
  zł: "PLN",
  zl: "PLN",
  pln: "PLN",
  kč: "CZK",
  kc: "CZK",
  czk: "CZK",
  ft: "HUF",
  лв: "BGN",
  "fr.": "CHF",
  sfr: "CHF",
  chf: "CHF",
  ден: "MKD",
  дин: "RSD",
  сум: "UZS",
  sek: "SEK",
  nok: "NOK",
  dkk: "DKK",
  "د.إ": "AED",
  درهم: "AED",
  "ر.س": "SAR",
  ريال: "SAR",
  "د.ك": "KWD",
  "ج.م": "EGP",
};

/** Signs that several currencies share. `?` at the end: none is meant where the page does not say. */
const SHARED: Readonly<Record<string, readonly string[]>> = {
  kr: ["SEK", "NOK", "DKK", "ISK", "?"],
  kroner: ["NOK", "DKK", "?"],
  kronor: ["SEK"],
  "¥": ["JPY", "CNY"],
  "￥": ["JPY", "CNY"],
  元: ["CNY", "TWD", "HKD"],
  圓: ["TWD", "HKD", "?"],
  rs: ["INR", "PKR", "LKR", "NPR", "MUR", "?"],
  "₨": ["INR", "PKR", "LKR", "NPR", "MUR", "?"],
  lei: ["RON", "MDL"],
  dh: ["AED", "MAD", "?"],
  dhs: ["AED", "MAD", "?"],
  din: ["RSD", "DZD", "?"],
  "﷼": ["IRR", "SAR", "?"],
};

/** Currencies whose sign is a dollar's, whichever code stands on the other side of the figure. */
const DOLLARS: ReadonlySet<string> = new Set(
  "USD AUD CAD NZD SGD HKD TWD MXN ARS CLP COP UYU BRL JMD TTD DOP BND BBD BSD BZD FJD XCD NAD".split(" "),
);

const OF_COUNTRY: Readonly<Record<string, string>> = {
  se: "SEK",
  no: "NOK",
  dk: "DKK",
  is: "ISK",
  jp: "JPY",
  cn: "CNY",
  tw: "TWD",
  hk: "HKD",
  ro: "RON",
  md: "MDL",
  in: "INR",
  pk: "PKR",
  lk: "LKR",
  np: "NPR",
  mu: "MUR",
  ae: "AED",
  ma: "MAD",
  rs: "RSD",
  dz: "DZD",
  ir: "IRR",
  sa: "SAR",
};
const OF_LANGUAGE: Readonly<Record<string, string>> = {
  sv: "SEK",
  nb: "NOK",
  nn: "NOK",
  no: "NOK",
  da: "DKK",
  is: "ISK",
  ja: "JPY",
  zh: "CNY",
  ro: "RON",
  hi: "INR",
  ur: "PKR",
  si: "LKR",
  ne: "NPR",
  sr: "RSD",
  fa: "IRR",
};
/** Words that one country alone says beside its prices. */
const OF_WORDS: readonly (readonly [RegExp, string])[] = [
  [/\bvarav\b|\bkassan\b|\bfrakt ingår\b/iu, "SEK"],
  [/\bhvorav\b|\bmva\b/iu, "NOK"],
  [/\bheraf\b|\bi alt\b/iu, "DKK"],
  [/\bþar af\b|\bvsk\b/iu, "ISK"],
  [/[\u3041-\u3096\u30a1-\u30fa]|税込/u, "JPY"],
  [/[这个单总计额]/u, "CNY"],
];

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

/** What a page says of where it is of. @param text of the page; read once */
export function placeOf(language: string | null, host: string, text: string): Place {
  const [primary = "", ...subtags] = (language ?? "").toLowerCase().split("-");
  const region = subtags.find((subtag) => /^[a-z]{2}$/.test(subtag));
  const said = [
    region === undefined ? OF_LANGUAGE[primary] : OF_COUNTRY[region],
    OF_COUNTRY[/\.([a-z]{2})$/.exec(host)?.[1] ?? ""],
    ...OF_WORDS.map(([words, code]) => (words.test(text) ? code : undefined)),
  ];
  return new Set(said.filter((code) => code !== undefined));
}

/** The sign that ends right where a figure begins. @param text up to the figure */
export function signBefore(text: string, place: Place): Sign | undefined {
  const near = text.slice(-MAX_SIGN_CHARS - 8);
  const gap = /\s{0,2}[:−-]?\s?$/.exec(near)![0].length;
  const end = near.length - gap;
  const dotted = near[end - 1] === "." ? 1 : 0;
  for (const stop of dotted ? [end, end - 1] : [end])
    for (let length = Math.min(MAX_SIGN_CHARS, stop); length > 0; length--) {
      const word = near.slice(stop - length, stop);
      if (isLetter(word[0]) && isLetter(near[stop - length - 1])) continue;
      const sign = signOf(word, place);
      if (!sign) continue;
      // "X$": a dollar, and nobody here knows whose.
      const prefix = /(?<![\p{L}])\p{Lu}{1,3}$/u.exec(near.slice(0, stop - length));
      const unknown = word === "$" && prefix !== null;
      return { ...sign, ...(unknown && { code: undefined }), length: sign.length + near.length - stop };
    }
  return undefined;
}

const isLetter = (character: string | undefined): boolean =>
  character !== undefined && /[\p{L}\p{M}]/u.test(character) && !UNSPACED.test(character);

function signOf(word: string, place: Place): Sign | undefined {
  const lower = word.toLowerCase();
  const of = (code: string | undefined, isCode = false): Sign => ({
    code,
    isCode,
    word: lower,
    length: word.length,
  });
  if (/^[A-Z]{3}$/.test(word) && isCurrency(word)) return of(word, true);
  if (Object.hasOwn(SIGNS, lower)) return of(SIGNS[lower], lower.length === 3 && /^[a-z]+$/.test(lower));
  return Object.hasOwn(SHARED, lower) ? of(meantBy(SHARED[lower]!, place)) : undefined;
}

/** Of the currencies that share a sign the one of the page; undefined where it says several, or none and none is usual. */
function meantBy(codes: readonly string[], place: Place): string | undefined {
  const [first, ...others] = codes.filter((code) => place.has(code));
  if (others.length > 0) return undefined;
  return first ?? (codes.at(-1) === "?" ? undefined : codes[0]);
}

/** The sign that begins right where a figure ends. @param text from the end of the figure */
export function signAfter(text: string, place: Place): Sign | undefined {
  const near = text.slice(0, MAX_SIGN_CHARS + 8);
  // "24,-", "24.–" and "24:-" are whole amounts.
  const dash = /^[.,:][-–—−]{1,2}/.exec(near)?.[0].length ?? 0;
  const at = dash + /^\s{0,2}/.exec(near.slice(dash))![0].length;
  for (let length = Math.min(MAX_SIGN_CHARS, near.length - at); length > 0; length--) {
    const word = near.slice(at, at + length);
    if (isLetter(word.at(-1)) && isLetter(near[at + length])) continue;
    const sign = signOf(word, place);
    if (sign) return { ...sign, length: at + length };
  }
  return dash > 0 ? { code: undefined, isCode: false, word: "", length: dash } : undefined;
}

/** The one currency that the signs on both sides of a figure mean; undefined where they do not agree. */
export function agreed(before: Sign | undefined, after: Sign | undefined): string | undefined {
  if (!before || !after) return (before ?? after)?.code;
  if (before.code === after.code || after.word === "") return before.code;
  const [code, sign] = after.isCode ? [after, before] : [before, after];
  if (!code.isCode || sign.isCode) return undefined;
  const family = sign.word.endsWith("$") && sign.word.length === 1 ? DOLLARS : undefined;
  return family?.has(code.code!) || SHARED[sign.word]?.includes(code.code!) ? code.code : undefined;
}
