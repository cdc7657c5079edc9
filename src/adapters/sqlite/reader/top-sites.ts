/** The best of many sites: a heap whose root is the worst of them. Of equals those are better that were offered first. */
export class TopSites {
  readonly #keys: Float64Array;
  readonly #ids: Uint32Array;
  /** When each was offered. */
  readonly #turns: Uint32Array;
  #count = 0;
  #offered = 0;

  constructor(limit: number) {
    this.#keys = new Float64Array(limit);
    this.#ids = new Uint32Array(limit);
    this.#turns = new Uint32Array(limit);
  }

  /**
   * @param key above what the offer before answered
   * @returns what a key has to be above to be offered
   */
  offer(id: number, key: number): number {
    const isFull = this.#count === this.#keys.length;
    const turn = this.#offered++;
    if (isFull) this.#sink(id, key, turn);
    else this.#rise(this.#count++, id, key, turn);
    return this.#count < this.#keys.length ? Number.NEGATIVE_INFINITY : this.#keys[0]!;
  }

  /** The best first. */
  get ids(): number[] {
    const order = Array.from({ length: this.#count }, (_, at) => at);
    order.sort((a, b) => this.#keys[b]! - this.#keys[a]! || this.#turns[a]! - this.#turns[b]!);
    return order.map((at) => this.#ids[at]!);
  }

  #isWorse(at: number, key: number, turn: number): boolean {
    const known = this.#keys[at]!;
    return known < key || (known === key && this.#turns[at]! > turn);
  }

  #put(at: number, id: number, key: number, turn: number): void {
    this.#ids[at] = id;
    this.#keys[at] = key;
    this.#turns[at] = turn;
  }

  #move(from: number, to: number): void {
    this.#put(to, this.#ids[from]!, this.#keys[from]!, this.#turns[from]!);
  }

  #rise(from: number, id: number, key: number, turn: number): void {
    let at = from;
    while (at > 0) {
      const parent = (at - 1) >>> 1;
      if (this.#isWorse(parent, key, turn)) break;
      this.#move(parent, at);
      at = parent;
    }
    this.#put(at, id, key, turn);
  }

  /** In the place of the worst. */
  #sink(id: number, key: number, turn: number): void {
    const count = this.#count;
    let at = 0;
    for (let child = 1; child < count; child = 2 * at + 1) {
      if (child + 1 < count && this.#isWorse(child + 1, this.#keys[child]!, this.#turns[child]!)) child++;
      if (!this.#isWorse(child, key, turn)) break;
      this.#move(child, at);
      at = child;
    }
    this.#put(at, id, key, turn);
  }
}
