/**
 * The signs of all vectors in memory: 32 bytes a site. How many signs two vectors share says nearly how near they are,
 * and comparing them takes 13 ns a site, so that no tree or cluster has to be kept.
 */
/** Words of 32 signs. */
const WIDTH = 8;
const MOST_DISTANCE = 32 * WIDTH;
const NONE = 0xffff;
const ROW_BYTES = 4 * WIDTH;
/** Of so many times the rows asked for, as many are chosen by how long the vector's components are, too. */
const POOL = 4;

/** The sign of each component: bit i of word ⌊i / 32⌋ is set where component i is not negative. At most 256. */
export const signsOf = (vector: Int8Array): Uint32Array => {
  const signs = new Uint32Array(WIDTH);
  vector.subarray(0, MOST_DISTANCE).forEach((component, i) => {
    if (component >= 0) signs[i >>> 5]! |= 1 << (i & 31);
  });
  return signs;
};

/** How many bits are set in each four of 32 (Warren, Hacker's Delight, 5-1). */
const inFours = (bits: number): number => {
  const pairs = bits - ((bits >>> 1) & 0x55555555);
  return (pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333);
};

/** Sums of fours, of three words at most so that none overflows, as sums of eights. */
const inEights = (fours: number): number => (fours & 0x0f0f0f0f) + ((fours >>> 4) & 0x0f0f0f0f);

const sumOfEights = (eights: number): number =>
  (eights & 0xff) + ((eights >>> 8) & 0xff) + ((eights >>> 16) & 0xff) + (eights >>> 24);

/** For each byte of a row, what each of its 256 values says of the cosine: components where signs agree, less the others. */
const leaningsOf = (vector: Int8Array): Int16Array => {
  const table = new Int16Array(ROW_BYTES * 256);
  for (let byte = 0; byte < ROW_BYTES; byte++) {
    const components = vector.subarray(8 * byte, 8 * byte + 8);
    const at = 256 * byte;
    table[at] = -components.reduce((sum, component) => sum + component, 0);
    for (let value = 1; value < 256; value++) {
      const lowest = value & -value;
      table[at + value] = table[at + (value ^ lowest)]! + 2 * components[31 - Math.clz32(lowest)]!;
    }
  }
  return table;
};

/** Rows are addressed by the site's row id, which the table hands out densely. */
export class Signs {
  #rows = new Uint32Array(0);
  #known = new Uint8Array(0);
  #distances = new Uint16Array(0);
  #lastId = -1;

  /** Takes in the signs of a site as they are stored; null: it has none. */
  set(id: number, signs: Uint8Array | null): void {
    this.#reserve(id);
    this.#known[id] = signs === null ? 0 : 1;
    if (signs === null) return;
    this.#rows.set(new Uint32Array(signs.slice(0, 4 * WIDTH).buffer), id * WIDTH);
    this.#lastId = Math.max(this.#lastId, id);
  }

  has(id: number): boolean {
    return this.#known[id] === 1;
  }

  #reserve(id: number): void {
    if (id < this.#known.length) return;
    const size = Math.max(1_024, 2 ** Math.ceil(Math.log2(id + 1)));
    const grown = new Uint32Array(size * WIDTH);
    grown.set(this.#rows);
    this.#rows = grown;
    const known = new Uint8Array(size);
    known.set(this.#known);
    this.#known = known;
    this.#distances = new Uint16Array(size);
  }

  /**
   * At most `most` row ids whose signs tell the greatest cosine with the vector.
   * @param mask 0 at the row ids that are not asked for
   */
  nearest(vector: Int8Array, most: number, mask: Uint8Array): number[] {
    const pool = this.#fewestDifferent(vector, POOL * most, mask);
    if (pool.length <= most) return pool;
    const table = leaningsOf(vector);
    const bytes = new Uint8Array(this.#rows.buffer);
    const leaning = (id: number): number => {
      let sum = 0;
      for (let byte = 0; byte < ROW_BYTES; byte++) sum += table[256 * byte + bytes[ROW_BYTES * id + byte]!]!;
      return sum;
    };
    return pool
      .map((id) => ({ id, leaning: leaning(id) }))
      .sort((a, b) => b.leaning - a.leaning || a.id - b.id)
      .slice(0, most)
      .map(({ id }) => id);
  }

  /** At most `most` row ids whose signs differ least from the vector's, in the order of ids. */
  #fewestDifferent(vector: Int8Array, most: number, mask: Uint8Array): number[] {
    this.#measure(signsOf(vector), mask);
    const distances = this.#distances;
    const sizes = new Uint32Array(MOST_DISTANCE + 1);
    for (let id = 0; id <= this.#lastId; id++) if (distances[id] !== NONE) sizes[distances[id]!]!++;
    let [bound, below] = [0, 0];
    while (bound < MOST_DISTANCE && below + sizes[bound]! < most) below += sizes[bound++]!;
    let atBound = most - below;
    const ids: number[] = [];
    for (let id = 0; id <= this.#lastId; id++)
      if (distances[id]! < bound || (distances[id] === bound && atBound-- > 0)) ids.push(id);
    return ids;
  }

  /** Signs that differ between `query` and each row; NONE where there is none, or the mask is 0. */
  #measure(query: Uint32Array, mask: Uint8Array): void {
    const [q0, q1, q2, q3, q4, q5, q6, q7] = query as unknown as number[];
    const [rows, known, distances] = [this.#rows, this.#known, this.#distances];
    for (let id = 0, at = 0; id <= this.#lastId; id++, at += WIDTH) {
      if (known[id] === 0 || mask[id] === 0) {
        distances[id] = NONE;
        continue;
      }
      const first = inFours(rows[at]! ^ q0!) + inFours(rows[at + 1]! ^ q1!) + inFours(rows[at + 2]! ^ q2!);
      const second =
        inFours(rows[at + 3]! ^ q3!) + inFours(rows[at + 4]! ^ q4!) + inFours(rows[at + 5]! ^ q5!);
      const third = inFours(rows[at + 6]! ^ q6!) + inFours(rows[at + 7]! ^ q7!);
      distances[id] = sumOfEights(inEights(first) + inEights(second) + inEights(third));
    }
  }
}
