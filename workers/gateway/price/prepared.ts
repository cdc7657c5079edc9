/** Offers taken apart into tokens and trigrams, once, to be compared many times. */

export interface Offer {
  name: string;
  description?: string | undefined;
  brand?: string | undefined;
  model?: string | undefined;
  /** In one currency with what it is compared with; undefined when it is not known. */
  price?: number | undefined;
}

export type TokenSet = ReadonlySet<string>;

/** An offer taken apart once, to be compared many times. */
export interface PreparedOffer {
  tokens: TokenSet;
  first: string | undefined;
  /** Tokens of every field. */
  everything: TokenSet;
  described: TokenSet;
  brand: TokenSet;
  /** Tokens that look like a maker's model number. */
  models: TokenSet;
  numbers: TokenSet;
  /** Of the name, as numbers, each once, in order: a tenth of the memory of a set of strings. */
  trigrams: Uint16Array;
  /** The name without anything but letters and digits. */
  joined: string;
  price: number | undefined;
}

const MAX_NAME = 1_000;
const MAX_DESCRIPTION = 4_000;
const PARTS = /[a-z]+\d+[a-z\d]*|\d+[a-z]+[a-z\d]*|\d+(?:\.\d+)?|[^\W\d_]+/g;

/** The letters and digits of a trigram, and the blank for all else: 37 of them, so that three fit into 16 bits. */
const ALPHABET = " abcdefghijklmnopqrstuvwxyz0123456789";
const INDEX_OF = new Uint8Array(128);
for (let i = 0; i < ALPHABET.length; i++) INDEX_OF[ALPHABET.charCodeAt(i)] = i;

const NONE: TokenSet = new Set();

export function prepare(offer: Offer): PreparedOffer {
  const name = plain(offer.name, MAX_NAME);
  const inName = offerTokens(name);
  const described = tokensIn(offer.description, MAX_DESCRIPTION);
  const brand = tokensIn(offer.brand, MAX_NAME);
  const inModel = tokensIn(offer.model, MAX_NAME);
  const model = plain(offer.model ?? "", MAX_NAME).replace(/[^a-z\d]/g, "");
  const tokens = new Set(inName);
  const models = [...tokens].filter(isModel).concat(model === "" ? [] : [model]);
  const numbers = [...tokens].filter((token) => /^\d/.test(token) && !/[a-z]/.test(token));
  const isNameAll = described.size + brand.size + inModel.size === 0;
  return {
    tokens,
    first: inName[0],
    everything: isNameAll ? tokens : new Set([...tokens, ...described, ...brand, ...inModel]),
    described,
    brand,
    models: models.length > 0 ? new Set(models) : NONE,
    numbers: numbers.length > 0 ? new Set(numbers) : NONE,
    trigrams: trigramsOf(name),
    joined: name.replace(/[^a-z\d]/g, ""),
    price: offer.price,
  };
}

const plain = (text: string, most: number): string =>
  text
    .slice(0, most)
    .normalize("NFKD")
    .replace(/\p{Mn}/gu, "")
    .toLowerCase();

/** Words and numbers; what punctuation holds together ("dsc-w120") is a token of its own too. */
export const offerTokens = (text: string): string[] =>
  text.split(/[\s,;:()[\]|"']+/).flatMap((word) => {
    const parts: string[] = word.match(PARTS) ?? [];
    const joined = word.replace(/[^a-z\d]/g, "");
    return parts.length > 1 && !parts.includes(joined) ? [...parts, joined] : parts;
  });

const tokensIn = (text: string | undefined, most: number): TokenSet =>
  text ? new Set(offerTokens(plain(text, most))) : NONE;

const isModel = (token: string): boolean =>
  (token.length >= 4 && /\d/.test(token) && /[a-z]/.test(token)) || /^\d{5,}$/.test(token);

function trigramsOf(text: string): Uint16Array {
  const padded = `  ${text.replace(/[^a-z\d]+/g, " ")} `;
  const all = new Uint16Array(padded.length - 2);
  const indexAt = (i: number): number => INDEX_OF[padded.charCodeAt(i)]!;
  for (let i = 0; i < all.length; i++)
    all[i] = (indexAt(i) * ALPHABET.length + indexAt(i + 1)) * ALPHABET.length + indexAt(i + 2);
  all.sort();
  return all.filter((trigram, i) => i === 0 || trigram !== all[i - 1]);
}
