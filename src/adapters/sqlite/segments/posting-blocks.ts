/**
 * Lists of words as they are stored: those of about a dozen words together, by the first bits of the words' hashes. Most
 * words of a chunk stand in one of its sites, so that a row each would be mostly rows.
 *
 * A block is little-endian 32-bit numbers: how many words; their hashes, rising; where the list of each ends; the entries.
 */
const BLOCK_BITS = 12;
/** The block that a word's list is in. */
export const blockOf = (hash: number): number => hash >>> (32 - BLOCK_BITS);

/** Entries of many lists one after the other, with the hash of each one's word beside it. */
export interface Entries {
  hashes: Uint32Array;
  entries: Uint32Array;
}

const DIGIT_BITS = 16;

/** One pass of a radix sort: by the 16 bits of the hashes from `shift` on, equals in the order that they had. */
const sortedBy = (shift: number, { hashes, entries }: Entries): Entries => {
  const digit = (hash: number): number => (hash >>> shift) & 0xffff;
  const ends = new Uint32Array(1 << DIGIT_BITS);
  for (let i = 0; i < hashes.length; i++) ends[digit(hashes[i]!)]!++;
  for (let i = 1; i < ends.length; i++) ends[i]! += ends[i - 1]!;
  const sorted = { hashes: new Uint32Array(hashes.length), entries: new Uint32Array(hashes.length) };
  for (let i = hashes.length - 1; i >= 0; i--) {
    const at = --ends[digit(hashes[i]!)]!;
    sorted.hashes[at] = hashes[i]!;
    sorted.entries[at] = entries[i]!;
  }
  return sorted;
};

/** The same entries in the order of their words' hashes, those of one word in the order that they had. */
export const inOrderOfWords = (all: Entries): Entries => sortedBy(DIGIT_BITS, sortedBy(0, all));

/** @param all the entries of a block's words, in the order of the words' hashes */
export const encodeBlock = ({ hashes, entries }: Entries): Uint8Array => {
  const words: number[] = [];
  const ends: number[] = [];
  for (let i = 0; i < hashes.length; i++) {
    if (i > 0 && hashes[i] === hashes[i - 1]) continue;
    if (i > 0) ends.push(i);
    words.push(hashes[i]!);
  }
  ends.push(hashes.length);
  const numbers = new Uint32Array(1 + 2 * words.length + entries.length);
  numbers[0] = words.length;
  numbers.set(words, 1);
  numbers.set(ends, 1 + words.length);
  numbers.set(entries, 1 + 2 * words.length);
  return new Uint8Array(numbers.buffer);
};

const numbersOf = (block: Uint8Array): Uint32Array =>
  block.byteOffset % 4 === 0
    ? new Uint32Array(block.buffer, block.byteOffset, block.length / 4)
    : new Uint32Array(block.slice().buffer);

/** The list of one word, in memory of its own; empty where the block has none. */
export const listIn = (block: Uint8Array, hash: number): Uint32Array => {
  const numbers = numbersOf(block);
  const words = numbers[0]!;
  const hashes = numbers.subarray(1, 1 + words);
  let [low, high] = [0, words];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (hashes[middle]! < hash) low = middle + 1;
    else high = middle;
  }
  if (hashes[low] !== hash) return new Uint32Array(0);
  const ends = numbers.subarray(1 + words, 1 + 2 * words);
  const entries = numbers.subarray(1 + 2 * words);
  return entries.slice(low === 0 ? 0 : ends[low - 1]!, ends[low]!);
};

/** The block with another list of one word; undefined where nothing is left in it. */
export const withList = (
  block: Uint8Array | undefined,
  hash: number,
  list: readonly number[],
): Uint8Array | undefined => {
  const hashes: number[] = [];
  const entries: number[] = [];
  const add = (word: number, those: Iterable<number>): void => {
    for (const entry of those) {
      hashes.push(word);
      entries.push(entry);
    }
  };
  const numbers = block === undefined ? new Uint32Array(1) : numbersOf(block);
  const known = Array.from(numbers.subarray(1, 1 + numbers[0]!));
  for (const word of known) if (word < hash) add(word, listIn(block!, word));
  add(hash, list);
  for (const word of known) if (word > hash) add(word, listIn(block!, word));
  if (hashes.length === 0) return undefined;
  return encodeBlock({ hashes: Uint32Array.from(hashes), entries: Uint32Array.from(entries) });
};
