/**
 * How terms are spelled and hashed in every engine. A token is made of [a-z0-9], underscores of our own escapes and
 * characters beyond ASCII.
 */

/** Terms longer than this are cut; analysis yields at most 64. */
const MAX_TOKEN_LENGTH = 255;
const PLAIN_TOKEN = /^[a-z0-9]+$/;

const SEED = 0x811c9dc5;
const PRIME = 0x01000193;

/** The hash of the token of the term that stands there, as a signed number. */
export function hashOfTerm(codes: Uint16Array, from: number, to: number): number {
  let hash = SEED;
  for (let i = from; i < to; i++) {
    const code = codes[i]!;
    if (!isPlain(code) || i - from === MAX_TOKEN_LENGTH) return hashOf(tokenOf(textOf(codes, from, to))) | 0;
    hash = Math.imul(hash ^ code, PRIME);
  }
  return mixed(hash);
}

/** [a-z0-9]: what is its own token. */
const isPlain = (code: number): boolean => (code >= 97 && code <= 122) || (code >= 48 && code <= 57);

/** 32-bit FNV-1a with a final mix, unsigned: names a token in term vectors and posting lists. */
export function hashOf(token: string): number {
  let hash = SEED;
  for (let i = 0; i < token.length; i++) hash = Math.imul(hash ^ token.charCodeAt(i), PRIME);
  return mixed(hash) >>> 0;
}

/** MurmurHash3's final mix. */
function mixed(hash: number): number {
  let mix = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  mix = Math.imul(mix ^ (mix >>> 13), 0xc2b2ae35);
  return mix ^ (mix >>> 16);
}

/** The token of a term: an injective spelling of any well-formed string ("c++" is "c_2b_2b"). */
export function tokenOf(term: string): string {
  if (PLAIN_TOKEN.test(term) && term.length <= MAX_TOKEN_LENGTH) return term;
  return term
    .slice(0, MAX_TOKEN_LENGTH)
    .toWellFormed()
    .replace(/[^a-z0-9\u0080-\uffff]/g, (char) => `_${char.charCodeAt(0).toString(16).padStart(2, "0")}`);
}

export const textOf = (codes: Uint16Array, from: number, to: number): string =>
  String.fromCharCode(...codes.subarray(from, to));
