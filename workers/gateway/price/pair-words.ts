/**
 * What single words say of whether two offers are one product: "upgrade" in one name alone, "mac" in both. A linear
 * model over the words of a pair, each marked by who has it; a word is a bucket of a hash, its weight 8 bits.
 */
import type { PreparedOffer } from "./prepared.ts";

export const WORD_BUCKETS = 1 << 15;

export interface WordWeights {
  bias: number;
  /** Weight = 8-bit number times this. */
  scale: number;
  /** One for each of WORD_BUCKETS. */
  weights: Int8Array;
}

const FNV_START = 0x811c9dc5;
const FNV_PRIME = 0x01000193;

/** Who has a word: both names, one name and the other offer elsewhere, or one name alone. */
const [BOTH, ELSEWHERE, ALONE] = [1, 2, 3];

/** Buckets of a pair's marked words; the same for either order, but for their order. */
export function pairWordsOf(a: PreparedOffer, b: PreparedOffer): Uint32Array {
  const inBoth = [...a.tokens].filter((word) => b.tokens.has(word)).map((word) => bucketOf(BOTH, word));
  return Uint32Array.from([...inBoth, ...inOneName(a, b), ...inOneName(b, a)]);
}

/** FNV-1a over the mark and the word's units. */
function bucketOf(mark: number, word: string): number {
  let hash = Math.imul(FNV_START ^ mark, FNV_PRIME);
  for (let i = 0; i < word.length; i++) hash = Math.imul(hash ^ word.charCodeAt(i), FNV_PRIME);
  return (hash >>> 0) % WORD_BUCKETS;
}

const inOneName = (one: PreparedOffer, other: PreparedOffer): number[] =>
  [...one.tokens]
    .filter((word) => !other.tokens.has(word))
    .map((word) => bucketOf(other.everything.has(word) ? ELSEWHERE : ALONE, word));

/** Log-odds that the words alone give; whole numbers are added, so that no order matters. */
export function wordScore({ bias, scale, weights }: WordWeights, words: Uint32Array): number {
  let sum = 0;
  for (const bucket of words) sum += weights[bucket]!;
  return bias + (scale * sum) / Math.sqrt(Math.max(1, words.length));
}
