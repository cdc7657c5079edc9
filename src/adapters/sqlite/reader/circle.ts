/** The sites that pass a filter, in order of their sample keys, as a circle: behind the last comes the first. */

export class Circle {
  readonly #keys: Readonly<Uint32Array>;
  readonly #ids: Readonly<Uint32Array>;

  /**
   * @param keys sample keys by row id
   * @param ids of the sites that pass, in order of their keys
   */
  constructor(keys: Readonly<Uint32Array>, ids: Readonly<Uint32Array>) {
    this.#keys = keys;
    this.#ids = ids;
  }

  /** How many sites pass. */
  get matching(): number {
    return this.#ids.length;
  }

  key(id: number): number {
    return this.#keys[id]!;
  }

  /** The sample key of the site that `rank` of those that pass come before; 0 where there is none. */
  keyAt(rank: number): number {
    return rank < this.#ids.length ? this.key(this.#ids[rank]!) : 0;
  }

  /**
   * Ids from `start` on, around the end and back to it.
   * @param after only those behind this site; one that is gone shares its key with none but by rare chance
   */
  walk(
    start: number,
    skip: number,
    limit: number,
    after?: { key: number; id: number | undefined },
  ): number[] {
    const end = this.#placeOf(start);
    const from = (after === undefined ? end : this.#behind(after)) + skip;
    if (after !== undefined && after.key < start) return this.#slice(from, Math.min(from + limit, end));
    const ahead = this.#slice(from, from + limit);
    const around = Math.max(0, from - this.#ids.length);
    return [...ahead, ...this.#slice(around, Math.min(around + limit - ahead.length, end))];
  }

  #slice(from: number, to: number): number[] {
    return Array.from(this.#ids.subarray(from, Math.max(from, to)));
  }

  /** The first place whose key is `key` or more. */
  #placeOf(key: number): number {
    let [low, high] = [0, this.#ids.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.key(this.#ids[middle]!) < key) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #behind({ key, id }: { key: number; id: number | undefined }): number {
    const first = this.#placeOf(key);
    if (id === undefined || this.key(id) !== key) return first;
    return Math.max(first, this.#ids.indexOf(id, first) + 1);
  }
}

/** Numbers 0 to `keys.length` − 1 in order of their keys, equal keys in order of the numbers. Radix sort by 16 bits. */
export function sortedBy(keys: Uint32Array): Uint32Array {
  const { length } = keys;
  let order = new Uint32Array(length);
  for (let id = 0; id < length; id++) order[id] = id;
  for (const shift of [0, 16]) {
    const places = new Uint32Array(2 ** 16 + 1);
    for (let id = 0; id < length; id++) places[((keys[id]! >>> shift) & 0xffff) + 1]!++;
    for (let part = 1; part < places.length; part++) places[part]! += places[part - 1]!;
    const next = new Uint32Array(length);
    for (let at = 0; at < length; at++) {
      const id = order[at]!;
      next[places[(keys[id]! >>> shift) & 0xffff]!++] = id;
    }
    order = next;
  }
  return order;
}

/** Those of the numbers that a mask lets pass, in their order. */
export function chosenFrom(order: Uint32Array, mask: Readonly<Uint8Array>): Uint32Array {
  const chosen = new Uint32Array(order.length);
  let count = 0;
  for (let at = 0; at < order.length; at++) {
    chosen[count] = order[at]!;
    count += mask[order[at]!]!;
  }
  return chosen.slice(0, count);
}
