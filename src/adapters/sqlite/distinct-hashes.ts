/**
 * Hashes numbered in the order in which they came first, as signed numbers: unsigned ones beyond 31 bits take memory of
 * their own each. A table with open addressing: every word of every site that is written is looked for twice, and
 * Map and Set take several times as long. The hashes are mixed well already.
 */
export class DistinctHashes {
  readonly hashes: number[] = [];
  readonly #most: number;
  /** One more than a hash's number; 0: free. At least half are free, so that looking ends. */
  readonly #slots: Int32Array;

  /** @param most that are added */
  constructor(most: number) {
    this.#most = most;
    this.#slots = new Int32Array(2 ** (33 - Math.clz32(most)));
  }

  get size(): number {
    return this.hashes.length;
  }

  get isFull(): boolean {
    return this.size >= this.#most;
  }

  /** @returns the hash's number: the size before where it is new */
  add(hash: number): number {
    const mask = this.#slots.length - 1;
    let slot = hash & mask;
    for (let known = this.#slots[slot]!; known !== 0; known = this.#slots[slot]!) {
      if (this.hashes[known - 1] === hash) return known - 1;
      slot = (slot + 1) & mask;
    }
    this.#slots[slot] = this.hashes.push(hash);
    return this.size - 1;
  }
}
