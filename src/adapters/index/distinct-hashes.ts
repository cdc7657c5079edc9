/**
 * Hashes numbered in the order in which they came first, as signed numbers: unsigned ones beyond 31 bits take memory of
 * their own each. A table with open addressing: every word of every site that is written is looked for twice, and
 * Map and Set take several times as long. The hashes are mixed well already.
 */
export class DistinctHashes {
  readonly hashes: number[] = [];
  readonly #most: number;
  /**
   * Pairs, side by side in memory: a hash, and one more than its number; 0: free. At least half are free, so that
   * looking ends.
   */
  readonly #slots: Int32Array;

  /** @param most that are added */
  constructor(most: number) {
    this.#most = most;
    this.#slots = new Int32Array(2 ** (34 - Math.clz32(most)));
  }

  get size(): number {
    return this.hashes.length;
  }

  get isFull(): boolean {
    return this.size >= this.#most;
  }

  /** @returns the hash's number: the size before where it is new */
  add(hash: number): number {
    const slots = this.#slots;
    const mask = slots.length - 1;
    let slot = (hash << 1) & mask;
    for (; slots[slot + 1] !== 0; slot = (slot + 2) & mask)
      if (slots[slot] === hash) return slots[slot + 1]! - 1;
    slots[slot] = hash;
    slots[slot + 1] = this.hashes.push(hash);
    return this.size - 1;
  }
}
