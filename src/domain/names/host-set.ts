/**
 * A set of host names in 16 to 32 bytes each, whatever their length: of millions, a `Set` of strings takes more memory than
 * the rest of the process. Both hashes of two names are equal by chance only; another seed makes that another pair.
 */

const FULL_SHARE = 0.5;
const FIRST_SLOTS = 1_024;

const powerOfTwo = (atLeast: number): number => 2 ** Math.ceil(Math.log2(Math.max(atLeast, FIRST_SLOTS)));

export class HostSet {
  readonly #seed: number;
  /** Slot and fingerprint of each name, side by side; a fingerprint of 0 is a free place. */
  #table: Uint32Array;
  #size = 0;

  /**
   * @param expected names, so that it does not grow meanwhile
   * @param seed a random integer
   */
  constructor(expected: number, seed: number) {
    this.#seed = seed;
    this.#table = new Uint32Array(2 * powerOfTwo(expected / FULL_SHARE));
  }

  get size(): number {
    return this.#size;
  }

  add(host: string): void {
    if (this.#size >= (this.#table.length / 2) * FULL_SHARE) this.#grow();
    if (this.#put(mix(this.#seed, host), mix(~this.#seed, host) || 1)) this.#size++;
  }

  has(host: string): boolean {
    const [slot, fingerprint] = [mix(this.#seed, host), mix(~this.#seed, host) || 1];
    const mask = this.#table.length / 2 - 1;
    for (let at = slot & mask; this.#table[2 * at + 1] !== 0; at = (at + 1) & mask)
      if (this.#table[2 * at] === slot && this.#table[2 * at + 1] === fingerprint) return true;
    return false;
  }

  /** @returns false when it was there */
  #put(slot: number, fingerprint: number): boolean {
    const mask = this.#table.length / 2 - 1;
    let at = slot & mask;
    for (; this.#table[2 * at + 1] !== 0; at = (at + 1) & mask)
      if (this.#table[2 * at] === slot && this.#table[2 * at + 1] === fingerprint) return false;
    this.#table[2 * at] = slot;
    this.#table[2 * at + 1] = fingerprint;
    return true;
  }

  #grow(): void {
    const before = this.#table;
    this.#table = new Uint32Array(2 * before.length);
    for (let at = 0; at < before.length; at += 2)
      if (before[at + 1] !== 0) this.#put(before[at]!, before[at + 1]!);
  }
}

/** 32 bits: FNV-1a from a start of its own, finished as MurmurHash3 does. */
function mix(start: number, text: string): number {
  let hash = start;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
