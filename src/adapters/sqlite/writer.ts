/** The writing side: applies batches in one transaction each. Runs in the writer's thread. */
import type { DatabaseSync, StatementSync } from "node:sqlite";
import { INDEX_FIELDS, type IndexDocument, type IndexWrite } from "../../ports.ts";
import { encodeTerms, HEADER_BYTES, lengthsOf } from "./term-counts.ts";
import { type FacetKind, facetToken } from "./tokens.ts";

/**
 * Revisions are compared in JavaScript, inside the one write transaction that a file can have. Upserts with RETURNING
 * would say the same, but each opens a savepoint, at which FTS5 flushes what it has gathered (40 µs a site).
 */
const STATEMENTS = {
  stored: "SELECT id, revision FROM sites WHERE site_id = ?",
  tombstone: "SELECT revision FROM tombstones WHERE site_id = ?",
  lengths: `SELECT substr(terms, 1, ${HEADER_BYTES}) AS header FROM payload WHERE id = ?`,
  insertSite: `INSERT INTO sites (revision, registrable_domain, status, ring, verified_at, expires_at, latitude,
      longitude, network, sample_key, exact_name, site_id)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  updateSite: `UPDATE sites SET revision = ?, registrable_domain = ?, status = ?, ring = ?, verified_at = ?,
      expires_at = ?, latitude = ?, longitude = ?, network = ?, sample_key = ?, exact_name = ?
    WHERE site_id = ?`,
  putPayload: "INSERT INTO payload VALUES (?, ?, ?)",
  putFacet: "INSERT OR IGNORE INTO facets VALUES (?, ?, ?, ?)",
  putPlace: "INSERT INTO places VALUES (?, ?, ?, ?, ?)",
  putTerms: `INSERT INTO terms (rowid, ${INDEX_FIELDS.join(", ")}, facets) VALUES (?, ?, ?, ?, ?, ?, ?)`,
  dropSite: "DELETE FROM sites WHERE id = ?",
  dropPayload: "DELETE FROM payload WHERE id = ?",
  dropFacets: "DELETE FROM facets WHERE id = ?",
  dropPlace: "DELETE FROM places WHERE id = ?",
  dropTerms: "DELETE FROM terms WHERE rowid = ?",
  putTombstone:
    "INSERT INTO tombstones VALUES (?, ?) ON CONFLICT DO UPDATE SET revision = max(revision, excluded.revision)",
  dropTombstone: "DELETE FROM tombstones WHERE site_id = ?",
  addTotal: "INSERT INTO totals VALUES (?, ?) ON CONFLICT DO UPDATE SET value = value + excluded.value",
} as const;

/** The facets of a document: what a filter can ask for by equality. Statuses are facets when they are the exception. */
const facetsOf = (document: IndexDocument): [FacetKind, string][] => {
  const facets: [FacetKind, string][] = [["c", document.category]];
  for (const tag of document.intentTags) facets.push(["i", tag]);
  for (const place of [document.country, document.region, document.city])
    if (place !== null) facets.push(["p", place]);
  if (document.status !== "enabled") facets.push(["s", document.status]);
  return facets;
};

/** Changes of the sums behind document count and mean lengths, written once a batch. */
type Totals = Map<string, number>;

export class Writer {
  readonly #db: DatabaseSync;
  readonly #run: Record<keyof typeof STATEMENTS, StatementSync>;

  constructor(db: DatabaseSync) {
    this.#db = db;
    const prepared = Object.entries(STATEMENTS).map(([name, sql]) => [name, db.prepare(sql)]);
    this.#run = Object.fromEntries(prepared) as Record<keyof typeof STATEMENTS, StatementSync>;
  }

  /**
   * Applies the writes in order, all or nothing. Waits for other writers of the file (5 s).
   * Throws SQLite's error (busy, full, damaged) with nothing changed.
   */
  apply(writes: IndexWrite[]): undefined {
    this.#db.exec("BEGIN IMMEDIATE");
    try {
      const totals: Totals = new Map();
      for (const write of writes) {
        if (write.kind === "put") this.#put(write.document, totals);
        else this.#remove(write.siteId, write.revision, totals);
      }
      for (const [key, change] of totals) if (change !== 0) this.#run.addTotal.run(key, change);
      this.#db.exec("COMMIT");
    } catch (error) {
      if (this.#db.isTransaction) this.#db.exec("ROLLBACK");
      throw error;
    }
  }

  #put(document: IndexDocument, totals: Totals): void {
    const dead = this.#run.tombstone.get(document.siteId) as { revision: number } | undefined;
    if (dead !== undefined) {
      if (dead.revision >= document.revision) return;
      this.#run.dropTombstone.run(document.siteId);
    }
    const stored = this.#run.stored.get(document.siteId) as { id: number; revision: number } | undefined;
    if (stored !== undefined && stored.revision >= document.revision) return;
    const row = [
      document.revision,
      document.registrableDomain,
      document.status,
      document.ring,
      document.verifiedAt,
      document.expiresAt,
      document.latitude,
      document.longitude,
      document.network,
      document.sampleKey,
      document.exactName,
      document.siteId,
    ];
    if (stored === undefined) {
      const { lastInsertRowid } = this.#run.insertSite.run(...row);
      this.#putDetails(Number(lastInsertRowid), document, totals);
      return;
    }
    this.#run.updateSite.run(...row);
    this.#dropDetails(stored.id, totals);
    this.#putDetails(stored.id, document, totals);
  }

  #putDetails(id: number, document: IndexDocument, totals: Totals): void {
    const { blob, lengths, tokens } = encodeTerms(document.terms);
    const facets = facetsOf(document);
    this.#run.putPayload.run(id, JSON.stringify(document.listing), blob);
    for (const [kind, value] of facets) this.#run.putFacet.run(kind, value, document.siteId, id);
    const { latitude, longitude } = document;
    if (latitude !== null && longitude !== null)
      this.#run.putPlace.run(id, latitude, latitude, longitude, longitude);
    const facetTokens = facets.map(([kind, value]) => facetToken(kind, value)).join(" ");
    this.#run.putTerms.run(id, ...tokens, facetTokens);
    this.#count(lengths, 1, totals);
  }

  #dropDetails(id: number, totals: Totals): void {
    const row = this.#run.lengths.get(id) as { header: Uint8Array };
    this.#count(lengthsOf(row.header), -1, totals);
    this.#run.dropPayload.run(id);
    this.#run.dropFacets.run(id);
    this.#run.dropPlace.run(id);
    this.#run.dropTerms.run(id);
  }

  #remove(siteId: string, revision: number, totals: Totals): void {
    const stored = this.#run.stored.get(siteId) as { id: number; revision: number } | undefined;
    if (stored !== undefined) {
      if (stored.revision >= revision) return;
      this.#dropDetails(stored.id, totals);
      this.#run.dropSite.run(stored.id);
    }
    this.#run.putTombstone.run(siteId, revision);
  }

  #count(lengths: number[], sign: 1 | -1, totals: Totals): void {
    const add = (key: string, change: number) => totals.set(key, (totals.get(key) ?? 0) + change);
    add("documents", sign);
    INDEX_FIELDS.forEach((field, column) => {
      add(field, sign * lengths[column]!);
    });
  }
}
