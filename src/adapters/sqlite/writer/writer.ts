/** The writing side: applies batches in one transaction each. Runs in the writer's thread. */
import type { DatabaseSync, StatementSync } from "node:sqlite";
import { INDEX_FIELDS } from "../../../ports/index.ts";
import { encodeTerms, lengthsOf } from "../../index/term-vectors.ts";
import { SegmentWriter } from "../segments/segment-writer.ts";
import { BatchedRows } from "../storage/batched-rows.ts";
import { facetToken } from "../storage/filter.ts";
import { prepareAll } from "../storage/statements.ts";
import { binaryVectorOf } from "../vectors/binary-vectors.ts";
import {
  contentsOf,
  type PackedContent,
  type PackedPut,
  type PackedWrite,
  type PackedWrites,
} from "./packed-writes.ts";

/** Revisions are compared in JavaScript, inside the one write transaction that a file can have. */
const STATEMENTS = {
  stored: "SELECT id, revision FROM sites WHERE site_id = ?",
  tombstone: "SELECT revision FROM tombstones WHERE site_id = ?",
  terms: "SELECT terms FROM cards WHERE id = ?",
  insertSite: `INSERT INTO sites (revision, registrable_domain, rotation_bucket, status, ring, fairness_boost, gravity,
      verified_at, expires_at, latitude, longitude, network, sample_key, exact_name, changed_at, site_id)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  updateSite: `UPDATE sites SET revision = ?, registrable_domain = ?, rotation_bucket = ?, status = ?, ring = ?,
      fairness_boost = ?, gravity = ?, verified_at = ?, expires_at = ?, latitude = ?, longitude = ?, network = ?,
      sample_key = ?, exact_name = ?, changed_at = ?
    WHERE site_id = ?`,
  putListing: "INSERT OR REPLACE INTO listings VALUES (?, ?)",
  putCard: "INSERT OR REPLACE INTO cards VALUES (?, ?, ?, ?, ?)",
  putBinaryVector: "INSERT OR REPLACE INTO signs (id, signs) VALUES (?, ?)",
  dropSite: "DELETE FROM sites WHERE id = ?",
  dropListing: "DELETE FROM listings WHERE id = ?",
  dropCard: "DELETE FROM cards WHERE id = ?",
  dropFacets: `DELETE FROM facets WHERE (kind, value, site_id) IN
    (SELECT f.kind, f.value, s.site_id FROM site_facets AS f JOIN sites AS s ON s.id = f.id WHERE f.id = ?)`,
  dropSiteFacets: "DELETE FROM site_facets WHERE id = ?",
  putTombstone: `INSERT INTO tombstones VALUES (?, ?, ?) ON CONFLICT DO UPDATE
    SET revision = excluded.revision, changed_at = excluded.changed_at WHERE excluded.revision > revision`,
  dropTombstone: "DELETE FROM tombstones WHERE site_id = ?",
  markFilled: "UPDATE meta SET value = 'yes' WHERE key = 'filled'",
  addTotal: "INSERT INTO totals VALUES (?, ?) ON CONFLICT DO UPDATE SET value = value + excluded.value",
} as const;

const bytesOf = (array: Int8Array | Uint32Array): Uint8Array =>
  new Uint8Array(array.buffer, array.byteOffset, array.byteLength);

/** Sums that a batch changes, behind document count and mean lengths; written once at its end. */
type Totals = Map<string, number>;

export class SqliteWriter {
  readonly #db: DatabaseSync;
  readonly #segments: SegmentWriter;
  readonly #facets: Record<"byValue" | "bySite", BatchedRows>;
  readonly #run: Record<keyof typeof STATEMENTS, StatementSync>;

  constructor(db: DatabaseSync) {
    this.#db = db;
    this.#segments = new SegmentWriter(db);
    this.#facets = {
      byValue: new BatchedRows(db, "(?, ?, ?, ?)", (rows) => `INSERT OR IGNORE INTO facets VALUES ${rows}`),
      bySite: new BatchedRows(db, "(?, ?, ?)", (rows) => `INSERT OR IGNORE INTO site_facets VALUES ${rows}`),
    };
    this.#run = prepareAll(db, STATEMENTS);
  }

  /**
   * Applies the writes in order, all or nothing. Waits for other writers of the file (5 s).
   * Throws SQLite's error (busy, full, damaged) with nothing changed.
   */
  apply(batch: PackedWrites): undefined {
    this.#db.exec("BEGIN IMMEDIATE");
    try {
      this.#segments.begin();
      const totals: Totals = new Map();
      const contents = contentsOf(batch);
      for (const write of batch.writes) {
        if (write.kind === "put") this.#put(write, contents.next().value!, totals);
        else this.#remove(write, totals);
      }
      this.#segments.end();
      for (const rows of Object.values(this.#facets)) rows.flush();
      for (const [key, change] of totals) if (change !== 0) this.#run.addTotal.run(key, change);
      this.#db.exec("COMMIT");
    } catch (error) {
      this.#segments.rollBack();
      for (const rows of Object.values(this.#facets)) rows.clear();
      if (this.#db.isTransaction) this.#db.exec("ROLLBACK");
      throw error;
    }
  }

  markFilled(): undefined {
    this.#run.markFilled.run();
  }

  #put(put: PackedPut, content: PackedContent, totals: Totals): void {
    const { siteId, revision, row, again } = put;
    const dead = this.#run.tombstone.get(siteId) as { revision: number } | undefined;
    if (dead !== undefined) {
      if (dead.revision >= revision) return;
      this.#run.dropTombstone.run(siteId);
    }
    const stored = this.#run.stored.get(siteId) as { id: number; revision: number } | undefined;
    if (stored !== undefined && stored.revision >= (again ? revision + 1 : revision)) return;
    if (stored === undefined) {
      const { lastInsertRowid } = this.#run.insertSite.run(...row);
      this.#putDetails(Number(lastInsertRowid), put, content, undefined, totals);
      return;
    }
    this.#run.updateSite.run(...row);
    this.#putDetails(stored.id, put, content, this.#dropDetails(stored.id, totals), totals);
  }

  #putDetails(
    id: number,
    { siteId, listing, names, facets, encoded: encodedText }: PackedPut,
    { vector, ...codes }: PackedContent,
    before: Uint8Array | undefined,
    totals: Totals,
  ): void {
    const encoded = encodeTerms(codes, facets.map(facetToken));
    const { blob, lengths } = encoded;
    this.#segments.change(id, before, encoded);
    this.#run.putListing.run(id, listing);
    this.#run.putCard.run(id, names, vector === undefined ? null : bytesOf(vector), encodedText, blob);
    this.#run.putBinaryVector.run(id, vector === undefined ? null : bytesOf(binaryVectorOf(vector)));
    for (const [kind, value] of facets) {
      this.#facets.byValue.add(kind, value, siteId, id);
      this.#facets.bySite.add(id, kind, value);
    }
    this.#count(lengths, 1, totals);
  }

  /** @returns the site's term vector until now */
  #dropDetails(id: number, totals: Totals): Uint8Array {
    const { terms } = this.#run.terms.get(id) as { terms: Uint8Array };
    this.#count(lengthsOf(terms), -1, totals);
    // The same batch may have brought them.
    for (const rows of Object.values(this.#facets)) rows.flush();
    this.#run.dropFacets.run(id);
    this.#run.dropSiteFacets.run(id);
    return terms;
  }

  #remove({ siteId, revision, changedAt }: PackedWrite & { kind: "remove" }, totals: Totals): void {
    const stored = this.#run.stored.get(siteId) as { id: number; revision: number } | undefined;
    if (stored !== undefined) {
      if (stored.revision >= revision) return;
      this.#segments.change(stored.id, this.#dropDetails(stored.id, totals), undefined);
      this.#run.dropSite.run(stored.id);
      this.#run.dropListing.run(stored.id);
      this.#run.dropCard.run(stored.id);
      this.#run.putBinaryVector.run(stored.id, null);
    }
    this.#run.putTombstone.run(siteId, revision, changedAt);
  }

  #count(lengths: number[], sign: 1 | -1, totals: Totals): void {
    const add = (key: string, change: number) => totals.set(key, (totals.get(key) ?? 0) + change);
    add("documents", sign);
    INDEX_FIELDS.forEach((field, column) => {
      add(field, sign * lengths[column]!);
    });
  }
}
