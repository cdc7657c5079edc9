/** What ranking needs of sites, read from their cards. */
import { VECTOR_SIZE } from "../../../../schemas/common.ts";
import { INDEX_FIELDS } from "../../../ports/index.ts";
import { readCounts, viewOf } from "../../index/term-vectors.ts";
import type { Connection } from "../storage/connection.ts";
import type { Searcher } from "./searcher.ts";

/** The values of all rows one after the other: one of them costs what each of many would. */
const together = (column: string): string => `CAST(group_concat(CAST(${column} AS TEXT), '') AS BLOB)`;
/** In the order of the row ids given, which json_each keeps. */
const CHOSEN_CARDS = "FROM json_each(?) AS chosen CROSS JOIN cards AS c ON c.id = chosen.value";
const NO_VECTOR = `zeroblob(${VECTOR_SIZE})`;

/** Cosines between the query's vector and others that stand one after the other; 0 for one that is all zero. */
const cosines = (vectors: Int8Array, query: Int8Array): Float64Array => {
  const found = new Float64Array(vectors.length / VECTOR_SIZE);
  const squaresQuery = query.reduce((sum, component) => sum + component * component, 0);
  for (let i = 0; i < found.length; i++) {
    let dot = 0;
    let squares = 0;
    for (let component = 0, at = i * VECTOR_SIZE; component < VECTOR_SIZE; component++, at++) {
      const value = vectors[at]!;
      // 256 products of bytes fit 32 bits, and whole numbers need no check for more.
      dot = (dot + Math.imul(value, query[component]!)) | 0;
      squares = (squares + Math.imul(value, value)) | 0;
    }
    found[i] = squares === 0 || squaresQuery === 0 ? 0 : dot / Math.sqrt(squares * squaresQuery);
  }
  return found;
};

const asVectors = (bytes: unknown): Int8Array => {
  const { buffer, byteOffset, length } = bytes as Uint8Array;
  return new Int8Array(buffer, byteOffset, length);
};

/** Cosines between the vector and those of these row ids, all of which have one. */
export const similaritiesOf = (connection: Connection, ids: number[], vector: Int8Array): Float64Array => {
  if (ids.length === 0) return new Float64Array(0);
  const [row] = connection.tuples(`SELECT ${together("c.vector")} ${CHOSEN_CARDS}`, [JSON.stringify(ids)]);
  return cosines(asVectors(row![0]), vector);
};

/** What ranking needs of some sites, in columns: typed arrays and one text cross between threads far faster than objects. */
export interface PackedSites {
  /** Three lines a site: its id, its owner and its whole name. */
  names: string;
  rings: Uint8Array;
  fairnessBoosts: Float64Array;
  /** For each site, for each field, one count a term. */
  counts: Uint8Array;
  /** For each site, one length a field. */
  lengths: Uint32Array;
  /** For each site, NaN where it has no vector or the query none. */
  similarities: Float64Array;
}

const NOTHING: PackedSites = {
  names: "",
  rings: new Uint8Array(0),
  fairnessBoosts: new Float64Array(0),
  counts: new Uint8Array(0),
  lengths: new Uint32Array(0),
  similarities: new Float64Array(0),
};

/**
 * Loads the cards of these row ids, in their order.
 * @param hashes of the terms whose counts are wanted
 */
export const readCards = (
  { connection, columns }: Searcher,
  ids: number[],
  hashes: number[],
  vector: Int8Array | undefined,
): PackedSites => {
  if (ids.length === 0) return NOTHING;
  const fields = INDEX_FIELDS.length;
  const vectors = vector === undefined ? "NULL" : together(`coalesce(c.vector, ${NO_VECTOR})`);
  const [row] = connection.tuples(
    `SELECT group_concat(c.names, char(10)), ${together("c.terms")}, ${vectors} ${CHOSEN_CARDS}`,
    [JSON.stringify(ids)],
  );
  const termVectors = viewOf(row![1] as Uint8Array);
  const width = fields * hashes.length;
  const counts = new Uint8Array(ids.length * width);
  const lengths = new Uint32Array(ids.length * fields);
  for (let i = 0, at = 0; i < ids.length; i++)
    at = readCounts(termVectors, at, hashes, { counts, countsAt: i * width, lengths, lengthsAt: i * fields });
  const similarities =
    vector === undefined
      ? new Float64Array(ids.length).fill(Number.NaN)
      : cosines(asVectors(row![2]), vector);
  ids.forEach((id, i) => {
    if (!columns.vectors.has(id)) similarities[i] = Number.NaN;
  });
  return {
    names: String(row![0]),
    rings: Uint8Array.from(ids, (id) => columns.ring(id)),
    fairnessBoosts: Float64Array.from(ids, (id) => columns.fairnessBoost(id)),
    counts,
    lengths,
    similarities,
  };
};
