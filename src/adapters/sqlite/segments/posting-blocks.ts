/**
 * Posting lists as they are stored: those of about a dozen terms in one block, by the first bits of the terms' hashes. Most
 * terms of a segment stand in one of its sites, so that a row each would be mostly rows.
 *
 * A block is little-endian 32-bit numbers: how many terms; their hashes, rising; where the list of each ends; the postings.
 */
const BLOCK_BITS = 12;
/** The block that a term's list is in. */
export const blockOf = (hash: number): number => hash >>> (32 - BLOCK_BITS);

/** Postings of many lists one after the other, with the hash of each one's term beside it. */
export interface HashedPostings {
  hashes: Uint32Array;
  postings: Uint32Array;
}

const DIGIT_BITS = 16;

/** One pass of a radix sort: by the 16 bits of the hashes from `shift` on, equals in the order that they had. */
const sortedBy = (shift: number, { hashes, postings }: HashedPostings): HashedPostings => {
  const digit = (hash: number): number => (hash >>> shift) & 0xffff;
  const ends = new Uint32Array(1 << DIGIT_BITS);
  for (let i = 0; i < hashes.length; i++) ends[digit(hashes[i]!)]!++;
  for (let i = 1; i < ends.length; i++) ends[i]! += ends[i - 1]!;
  const sorted = { hashes: new Uint32Array(hashes.length), postings: new Uint32Array(hashes.length) };
  for (let i = hashes.length - 1; i >= 0; i--) {
    const at = --ends[digit(hashes[i]!)]!;
    sorted.hashes[at] = hashes[i]!;
    sorted.postings[at] = postings[i]!;
  }
  return sorted;
};

/** The same postings in the order of their terms' hashes, those of one term in the order that they had. */
export const inOrderOfTerms = (all: HashedPostings): HashedPostings => sortedBy(DIGIT_BITS, sortedBy(0, all));

/** @param all the postings of a block's terms, in the order of the terms' hashes */
export const encodeBlock = ({ hashes, postings }: HashedPostings): Uint8Array => {
  const terms: number[] = [];
  const ends: number[] = [];
  for (let i = 0; i < hashes.length; i++) {
    if (i > 0 && hashes[i] === hashes[i - 1]) continue;
    if (i > 0) ends.push(i);
    terms.push(hashes[i]!);
  }
  ends.push(hashes.length);
  const numbers = new Uint32Array(1 + 2 * terms.length + postings.length);
  numbers[0] = terms.length;
  numbers.set(terms, 1);
  numbers.set(ends, 1 + terms.length);
  numbers.set(postings, 1 + 2 * terms.length);
  return new Uint8Array(numbers.buffer);
};

const numbersOf = (block: Uint8Array): Uint32Array =>
  block.byteOffset % 4 === 0
    ? new Uint32Array(block.buffer, block.byteOffset, block.length / 4)
    : new Uint32Array(block.slice().buffer);

/** The list of one term, in memory of its own; empty where the block has none. */
export const listIn = (block: Uint8Array, hash: number): Uint32Array => {
  const numbers = numbersOf(block);
  const terms = numbers[0]!;
  const hashes = numbers.subarray(1, 1 + terms);
  let [low, high] = [0, terms];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (hashes[middle]! < hash) low = middle + 1;
    else high = middle;
  }
  if (hashes[low] !== hash) return new Uint32Array(0);
  const ends = numbers.subarray(1 + terms, 1 + 2 * terms);
  const postings = numbers.subarray(1 + 2 * terms);
  return postings.slice(low === 0 ? 0 : ends[low - 1]!, ends[low]!);
};

/** The block with another list of one term; undefined where nothing is left in it. */
export const withList = (
  block: Uint8Array | undefined,
  hash: number,
  list: readonly number[],
): Uint8Array | undefined => {
  const hashes: number[] = [];
  const postings: number[] = [];
  const add = (term: number, those: Iterable<number>): void => {
    for (const posting of those) {
      hashes.push(term);
      postings.push(posting);
    }
  };
  const numbers = block === undefined ? new Uint32Array(1) : numbersOf(block);
  const known = Array.from(numbers.subarray(1, 1 + numbers[0]!));
  for (const term of known) if (term < hash) add(term, listIn(block!, term));
  add(hash, list);
  for (const term of known) if (term > hash) add(term, listIn(block!, term));
  if (hashes.length === 0) return undefined;
  return encodeBlock({ hashes: Uint32Array.from(hashes), postings: Uint32Array.from(postings) });
};
