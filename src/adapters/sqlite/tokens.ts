/**
 * How terms and facets are named before they are hashed. A token is made of [a-z0-9], underscores of our own escapes
 * and characters beyond ASCII.
 */

/** Terms longer than this are cut; analysis yields at most 64. */
const MAX_TOKEN_LENGTH = 255;
const PLAIN_TOKEN = /^[a-z0-9]+$/;

/** The token of a term: an injective spelling of any well-formed string ("c++" is "c_2b_2b"). */
export const tokenOf = (term: string): string => {
  if (PLAIN_TOKEN.test(term) && term.length <= MAX_TOKEN_LENGTH) return term;
  return term
    .slice(0, MAX_TOKEN_LENGTH)
    .toWellFormed()
    .replace(/[^a-z0-9\u0080-\uffff]/g, (char) => `_${char.charCodeAt(0).toString(16).padStart(2, "0")}`);
};

/** Kinds of facet: category, intent, place, and a status other than "enabled". */
export type FacetKind = "c" | "i" | "p" | "s";

/** The token of a facet. Two underscores begin no term's token, so facets and terms never meet. */
export const facetToken = (kind: FacetKind, value: string): string => `__${kind}${tokenOf(value)}`;

/** 32-bit FNV-1a with a final mix (MurmurHash3's), unsigned: names a token in the blob of counts. */
export const hashOf = (token: string): number => {
  let hash = 0x811c9dc5;
  for (let i = 0; i < token.length; i++) hash = Math.imul(hash ^ token.charCodeAt(i), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
};
