/**
 * Binary vectors of all sites in memory: the signs of their vectors' components, 32 bytes a site. Their Hamming distance
 * says nearly how near two vectors are, and comparing takes 3 ns a site, so that no tree or cluster has to be kept.
 */
import { readFileSync } from "node:fs";

/** The part of the platform's interface that is used: the types of Node do not hold it. */
declare const WebAssembly: {
  Module: new (bytes: Uint8Array<ArrayBuffer>) => object;
  Memory: new (limits: { initial: number }) => { buffer: ArrayBuffer };
  Instance: new (module: object, imports: object) => { exports: object };
};

export const ROW_BYTES = 32;
export const MOST_DISTANCE = 8 * ROW_BYTES;
/** The distance of a row that is passed over. */
export const NONE = 0xffff;

/** Where the memory holds how many rows have each distance, behind the query at 0; behind them the columns begin. */
const SIZES_AT = ROW_BYTES;
const COLUMNS_AT = 2_048;
const PAGE_BYTES = 65_536;

const compiled = new WebAssembly.Module(readFileSync(new URL("hamming-distances.wasm", import.meta.url)));

type Measure = (row: number, known: number, mask: number, distance: number, end: number) => void;

/**
 * Binary vectors in a memory of their own, by row id. Their Hamming distances are measured 16 bytes at a time: 3 ns a site,
 * where JavaScript's 32-bit words take 13. The function is WebAssembly for its vector instructions: hamming-distances.wat.
 */
export class HammingDistances {
  readonly room: number;
  /** ROW_BYTES a row. */
  readonly rows: Uint8Array;
  /** 1 where there is a row. */
  readonly known: Uint8Array;
  /** What `measure` found: bits that differ, or NONE. */
  readonly distances: Uint16Array;
  /** How many rows have each distance. */
  readonly sizes: Uint32Array;
  readonly #query: Uint8Array;
  readonly #mask: Uint8Array;
  readonly #measure: Measure;

  /** @param room rows */
  constructor(room: number) {
    const bytes = COLUMNS_AT + room * (ROW_BYTES + 2 + 1 + 1);
    const memory = new WebAssembly.Memory({ initial: Math.ceil(bytes / PAGE_BYTES) });
    const { buffer } = memory;
    this.room = room;
    this.#query = new Uint8Array(buffer, 0, ROW_BYTES);
    this.sizes = new Uint32Array(buffer, SIZES_AT, MOST_DISTANCE + 1);
    this.rows = new Uint8Array(buffer, COLUMNS_AT, room * ROW_BYTES);
    this.distances = new Uint16Array(buffer, COLUMNS_AT + room * ROW_BYTES, room);
    this.known = new Uint8Array(buffer, COLUMNS_AT + room * (ROW_BYTES + 2), room);
    this.#mask = new Uint8Array(buffer, COLUMNS_AT + room * (ROW_BYTES + 3), room);
    const { exports } = new WebAssembly.Instance(compiled, { host: { memory } });
    this.#measure = (exports as { measure: Measure }).measure;
  }

  /**
   * Compares the first rows with the query's binary vector.
   * @param mask of the row ids: 0 at those that are passed over
   */
  measure(query: Uint8Array, mask: Uint8Array, rows: number): void {
    this.#query.set(query);
    this.#mask.set(mask.subarray(0, rows));
    this.sizes.fill(0);
    const { rows: at, known, distances } = this;
    this.#measure(
      at.byteOffset,
      known.byteOffset,
      this.#mask.byteOffset,
      distances.byteOffset,
      known.byteOffset + rows,
    );
  }
}

/** Words of 32 bits. */
const WIDTH = ROW_BYTES / 4;
/** Of so many times the rows asked for, as many are chosen by how long the vector's components are, too. */
const POOL = 4;

/** Rows are addressed by the site's row id, which the table hands out densely. */
export class BinaryVectors {
  #all = new HammingDistances(0);
  #size = 0;

  /** Takes in a site's binary vector as it is stored; null: it has none. */
  set(id: number, vector: Uint8Array | null): void {
    if (id >= this.#all.room) this.#grow(id);
    this.#all.known[id] = vector === null ? 0 : 1;
    if (vector !== null) this.#all.rows.set(vector.subarray(0, ROW_BYTES), id * ROW_BYTES);
    this.#size = Math.max(this.#size, id + 1);
  }

  has(id: number): boolean {
    return this.#all.known[id] === 1;
  }

  #grow(id: number): void {
    const { rows, known } = this.#all;
    this.#all = new HammingDistances(Math.max(1_024, 2 ** Math.ceil(Math.log2(id + 1))));
    this.#all.rows.set(rows);
    this.#all.known.set(known);
  }

  /**
   * At most `most` row ids whose binary vectors tell the greatest cosine with the vector.
   * @param mask 0 at the row ids that are not asked for
   */
  nearest(vector: Int8Array, most: number, mask: Uint8Array): number[] {
    const pool = this.#atLeastDistance(vector, POOL * most, mask);
    if (pool.length <= most) return pool;
    const table = leaningsOf(vector);
    const { rows } = this.#all;
    // Most leaning first, then by id: one number of both sorts fastest.
    const keys = Float64Array.from(pool, (id) => {
      let leaning = 0;
      for (let byte = 0; byte < ROW_BYTES; byte++)
        leaning += table[256 * byte + rows[ROW_BYTES * id + byte]!]!;
      return id - leaning * 2 ** 32;
    }).sort();
    return Array.from(keys.subarray(0, most), (key) => key - Math.floor(key / 2 ** 32) * 2 ** 32);
  }

  /** At most `most` row ids at the least Hamming distance from the vector, in the order of ids. */
  #atLeastDistance(vector: Int8Array, most: number, mask: Uint8Array): number[] {
    this.#all.measure(new Uint8Array(binaryVectorOf(vector).buffer), mask, this.#size);
    const { distances, sizes } = this.#all;
    let [bound, below] = [0, 0];
    while (bound < MOST_DISTANCE && below + sizes[bound]! < most) below += sizes[bound++]!;
    let atBound = most - below;
    const ids: number[] = [];
    for (let id = 0; id < this.#size; id++)
      if (distances[id]! < bound || (distances[id] === bound && atBound-- > 0)) ids.push(id);
    return ids;
  }
}

/** A bit a component: bit i of word ⌊i / 32⌋ is set where component i is not negative. At most 256. */
export function binaryVectorOf(vector: Int8Array): Uint32Array {
  const bits = new Uint32Array(WIDTH);
  const most = Math.min(vector.length, MOST_DISTANCE);
  for (let i = 0; i < most; i++) if (vector[i]! >= 0) bits[i >>> 5]! |= 1 << (i & 31);
  return bits;
}

/** For each byte of a row, what each of its 256 values says of the cosine: components whose signs agree, less the others. */
function leaningsOf(vector: Int8Array): Int16Array {
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
}
