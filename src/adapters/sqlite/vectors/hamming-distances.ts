/**
 * Hamming distances, 16 bytes at a time: 3 ns a site, where JavaScript's 32-bit words take 13. The function is WebAssembly
 * for its vector instructions: hamming-distances.wat.
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

/** Binary vectors in a memory of their own, by row id. */
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
