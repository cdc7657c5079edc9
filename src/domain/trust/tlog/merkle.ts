/**
 * Merkle tree of a transparency log: hashes of RFC 6962 section 2.1, proofs of RFC 9162 section 2.1 and, as their
 * general case, subtree proofs of draft-ietf-plants-merkle-tree-certs section 4. Indices and sizes are whole numbers
 * below 2^53; hashes are 32 bytes.
 */
import { createHash, hash } from "node:crypto";

export const HASH_BYTES = 32;
/** Root of the tree without leaves. */
export const EMPTY_ROOT: Uint8Array = createHash("sha256").digest();

const LEAF = Uint8Array.of(0);
const NODE = Uint8Array.of(1);

const sha256 = (...parts: Uint8Array[]): Uint8Array => hash("sha256", Buffer.concat(parts), "buffer");

/** Hash of a leaf with these bytes. */
export const leafHash = (entry: Uint8Array): Uint8Array => sha256(LEAF, entry);
export const nodeHash = (left: Uint8Array, right: Uint8Array): Uint8Array => sha256(NODE, left, right);

export const isSameHash = (a: Uint8Array, b: Uint8Array): boolean => Buffer.compare(a, b) === 0;

/** Leaves from `start` to before `end`. */
export interface Range {
  start: number;
  end: number;
}

/**
 * Hash of a complete subtree: `level` 0 is the leaves; `index` counts the subtrees of 2^level leaves from the left.
 * Undefined if it is unavailable.
 */
export type NodeReader = (level: number, index: number) => Promise<Uint8Array | undefined>;

const half = (value: number): number => Math.floor(value / 2);
const isOdd = (value: number): boolean => value % 2 === 1;

/** Largest power of two below `count`, which is at least 2. */
function splitPoint(count: number): number {
  let power = 1;
  while (power * 2 < count) power *= 2;
  return power;
}

// ---------------------------------------------------------------- making proofs

/** Ranges whose hashes prove that leaf `index` is in the tree of `size` leaves: PATH of RFC 6962 section 2.1.1. */
export function inclusionRanges(index: number, size: number): Range[] {
  const path: Range[] = [];
  for (let start = 0, end = size; end - start > 1; ) {
    const middle = start + splitPoint(end - start);
    path.unshift(index < middle ? { start: middle, end } : { start, end: middle });
    if (index < middle) end = middle;
    else start = middle;
  }
  return path;
}

/** Ranges whose hashes prove that the tree of `size` leaves begins with that of `oldSize`: PROOF of RFC 6962 section 2.1.2. */
export function consistencyRanges(oldSize: number, size: number): Range[] {
  if (oldSize === 0 || oldSize === size) return [];
  const proof: Range[] = [];
  let [start, end] = [0, size];
  // Descends the old tree's right edge to its last complete subtree.
  while (end !== oldSize) {
    const middle = start + splitPoint(end - start);
    proof.unshift(oldSize <= middle ? { start: middle, end } : { start, end: middle });
    if (oldSize <= middle) end = middle;
    else start = middle;
  }
  return start === 0 ? proof : [{ start, end }, ...proof];
}

/**
 * Hash of a range from `inclusionRanges` or `consistencyRanges`, or of a whole tree ({start: 0, end: size}).
 * @throws RangeError when `read` lacks a subtree
 */
export async function rangeHash({ start, end }: Range, read: NodeReader): Promise<Uint8Array> {
  const count = end - start;
  if (count === 0) return EMPTY_ROOT;
  const level = Math.log2(count);
  if (Number.isInteger(level) && start % count === 0) {
    const known = await read(level, start / count);
    if (known === undefined) throw new RangeError(`The log lacks leaves ${start} to ${end - 1}`);
    return known;
  }
  const middle = start + splitPoint(count);
  return nodeHash(
    await rangeHash({ start, end: middle }, read),
    await rangeHash({ start: middle, end }, read),
  );
}

export const proofOf = (ranges: Range[], read: NodeReader): Promise<Uint8Array[]> =>
  Promise.all(ranges.map((range) => rangeHash(range, read)));

// ---------------------------------------------------------------- checking proofs

const isSize = (value: number): boolean => Number.isSafeInteger(value) && value >= 0;

/** Whether a range is a valid subtree: it starts at a multiple of its count rounded up to a power of two. */
function isSubtree({ start, end }: Range): boolean {
  if (!isSize(start) || !isSize(end) || start > end) return false;
  let ceiling = 1;
  while (ceiling < end - start) ceiling *= 2;
  return start % ceiling === 0;
}

/** Whether the leaf with this hash is at `index` in the tree of `size` leaves with this root. Never throws. */
export const verifyInclusion = (
  index: number,
  size: number,
  leaf: Uint8Array,
  proof: readonly Uint8Array[],
  root: Uint8Array,
): boolean => verifySubtreeInclusion(index, { start: 0, end: size }, leaf, proof, root);

/** The same for a subtree: `root` is the hash of its leaves alone. */
export function verifySubtreeInclusion(
  index: number,
  range: Range,
  leaf: Uint8Array,
  proof: readonly Uint8Array[],
  root: Uint8Array,
): boolean {
  if (!isSubtree(range) || !isSize(index) || index < range.start || index >= range.end) return false;
  if (leaf.length !== HASH_BYTES || proof.some(({ length }) => length !== HASH_BYTES)) return false;
  let node = index - range.start;
  let last = range.end - range.start - 1;
  let reached = leaf;
  for (const sibling of proof) {
    if (last === 0) return false;
    if (isOdd(node) || node === last) {
      reached = nodeHash(sibling, reached);
      // A node without a right sibling moves up unchanged, level by level.
      while (!isOdd(node) && node !== 0) {
        node = half(node);
        last = half(last);
      }
    } else reached = nodeHash(reached, sibling);
    node = half(node);
    last = half(last);
  }
  return last === 0 && isSameHash(reached, root);
}

/**
 * Whether the tree of `size` leaves with root `root` begins with the tree of `oldSize` leaves with root `oldRoot`.
 * False for an empty old tree, which begins every tree and proves nothing. Never throws.
 */
export const verifyConsistency = (
  oldSize: number,
  size: number,
  proof: readonly Uint8Array[],
  oldRoot: Uint8Array,
  root: Uint8Array,
): boolean => oldSize > 0 && verifySubtreeConsistency({ start: 0, end: oldSize }, size, proof, oldRoot, root);

/** Whether the tree of `size` leaves with this root has a subtree of this hash at this range. */
export function verifySubtreeConsistency(
  range: Range,
  size: number,
  proof: readonly Uint8Array[],
  subtreeHash: Uint8Array,
  root: Uint8Array,
): boolean {
  if (!isSubtree(range) || !isSize(size) || range.end > size) return false;
  if (proof.some(({ length }) => length !== HASH_BYTES)) return false;
  if (range.start === range.end) return proof.length === 0 && isSameHash(subtreeHash, EMPTY_ROOT);
  let [first, end, last] = [range.start, range.end - 1, size - 1];
  const up = () => {
    [first, end, last] = [half(first), half(end), half(last)];
  };
  while (first !== end && (end === last || isOdd(end))) up();
  // The climb ends when the subtree is one node of the tree, or when its last complete part is, which begins the proof.
  const seed = first === end ? subtreeHash : proof[0];
  if (seed === undefined) return false;
  let [ofSubtree, ofTree] = [seed, seed];
  for (const sibling of first === end ? proof : proof.slice(1)) {
    if (last === 0) return false;
    if (isOdd(end) || end === last) {
      if (first < end) ofSubtree = nodeHash(sibling, ofSubtree);
      ofTree = nodeHash(sibling, ofTree);
      while (!isOdd(end)) up();
    } else ofTree = nodeHash(ofTree, sibling);
    up();
  }
  return last === 0 && isSameHash(ofSubtree, subtreeHash) && isSameHash(ofTree, root);
}
