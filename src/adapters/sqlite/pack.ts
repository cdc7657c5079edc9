/** What ranking needs of sites, read from their cards. */
import { cosine } from "../../domain/embeddings/static-vectors.ts";
import { INDEX_FIELDS } from "../../ports.ts";
import type { Connection } from "./connection.ts";
import type { PackedSites } from "./messages.ts";
import { lengthsOf, readCounts } from "./term-counts.ts";

/** Cosine of a stored vector and the query's; NaN where there is none. */
export const similarityOf = (stored: unknown, vector: Int8Array | undefined): number =>
  stored instanceof Uint8Array && vector !== undefined
    ? cosine(new Int8Array(stored.buffer, stored.byteOffset, stored.length), vector)
    : Number.NaN;

/**
 * Loads the cards of these row ids, in their order.
 * @param hashes of the terms whose counts are wanted
 */
export const pack = (
  connection: Connection,
  ids: number[],
  hashes: number[],
  vector: Int8Array | undefined,
): PackedSites => {
  const fields = INDEX_FIELDS.length;
  const siteIds: string[] = [];
  const owners: string[] = [];
  const exactNames: string[] = [];
  const rings = new Uint8Array(ids.length);
  const fairnessBoosts = new Float64Array(ids.length);
  const counts = new Uint8Array(ids.length * fields * hashes.length);
  const lengths = new Uint32Array(ids.length * fields);
  const similarities = new Float32Array(ids.length);
  // One statement for all rows costs half of one statement a row; json_each keeps their order.
  const rows = connection.tuples(
    `SELECT c.site_id, c.owner, c.exact_name, c.ring, c.fairness_boost, c.terms, ${vector ? "v.vector" : "NULL"}
     FROM json_each(?) AS chosen CROSS JOIN cards AS c ON c.id = chosen.value
     ${vector ? "LEFT JOIN vectors AS v ON v.id = c.id" : ""}`,
    [JSON.stringify(ids)],
  );
  rows.forEach(([siteId, owner, exactName, ring, boost, terms, stored], i) => {
    const blob = terms as Uint8Array;
    siteIds.push(String(siteId));
    owners.push(String(owner));
    exactNames.push(String(exactName));
    rings[i] = Number(ring);
    fairnessBoosts[i] = Number(boost);
    readCounts(blob, hashes, counts, i * fields * hashes.length);
    lengths.set(lengthsOf(blob), i * fields);
    similarities[i] = similarityOf(stored, vector);
  });
  const names = JSON.stringify([siteIds, owners, exactNames]);
  return { names, rings, fairnessBoosts, counts, lengths, similarities };
};
