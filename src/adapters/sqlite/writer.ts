/** The writing side: applies batches in one transaction each. Runs in the writer's thread. */
import type { DatabaseSync, StatementSync } from "node:sqlite";
import { INDEX_FIELDS, type IndexDocument, type IndexWrite } from "../../ports.ts";
import { signsOf } from "./signs.ts";
import { encodeTerms, hashesOf, lengthsOf } from "./term-counts.ts";
import { bucketToken, type FacetKind, facetToken, hashOf } from "./tokens.ts";

/**
 * Revisions are compared in JavaScript, inside the one write transaction that a file can have. Upserts with RETURNING
 * would say the same, but each opens a savepoint, at which FTS5 flushes what it has gathered (40 µs a site).
 */
const STATEMENTS = {
  stored: "SELECT id, revision FROM sites WHERE site_id = ?",
  tombstone: "SELECT revision FROM tombstones WHERE site_id = ?",
  counts: "SELECT terms FROM counts WHERE id = ?",
  facets: "SELECT kind, value FROM facets WHERE id = ?",
  insertSite: `INSERT INTO sites (revision, registrable_domain, status, ring, verified_at, expires_at, latitude,
      longitude, network, sample_key, exact_name, fairness_boost, changed_at, site_id)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  updateSite: `UPDATE sites SET revision = ?, registrable_domain = ?, status = ?, ring = ?, verified_at = ?,
      expires_at = ?, latitude = ?, longitude = ?, network = ?, sample_key = ?, exact_name = ?,
      fairness_boost = ?, changed_at = ?
    WHERE site_id = ?`,
  putListing: "INSERT INTO listings VALUES (?, ?)",
  putCounts: "INSERT INTO counts VALUES (?, ?)",
  putVector: "INSERT INTO vectors VALUES (?, ?)",
  putSigns: "INSERT INTO signs (id, signs) VALUES (?, ?)",
  putFacet: "INSERT OR IGNORE INTO facets VALUES (?, ?, ?, ?)",
  putPlace: "INSERT INTO places VALUES (?, ?, ?, ?, ?)",
  putTerms: `INSERT INTO terms (rowid, ${INDEX_FIELDS.join(", ")}, facets) VALUES (?, ?, ?, ?, ?, ?, ?)`,
  dropSite: "DELETE FROM sites WHERE id = ?",
  dropListing: "DELETE FROM listings WHERE id = ?",
  dropCounts: "DELETE FROM counts WHERE id = ?",
  dropVector: "DELETE FROM vectors WHERE id = ?",
  dropSigns: "DELETE FROM signs WHERE id = ?",
  dropFacets: "DELETE FROM facets WHERE id = ?",
  dropPlace: "DELETE FROM places WHERE id = ?",
  dropTerms: "DELETE FROM terms WHERE rowid = ?",
  putTombstone: `INSERT INTO tombstones VALUES (?, ?, ?) ON CONFLICT DO UPDATE
    SET revision = excluded.revision, changed_at = excluded.changed_at WHERE excluded.revision > revision`,
  dropTombstone: "DELETE FROM tombstones WHERE site_id = ?",
  addWord: `INSERT INTO words (hash, documents, word, backwards) VALUES (?, ?, ?, ?)
    ON CONFLICT DO UPDATE SET documents = documents + excluded.documents`,
  takeWord: "UPDATE words SET documents = documents + ? WHERE hash = ?",
  dropWord: "DELETE FROM words WHERE hash = ? AND documents <= 0",
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

const bytesOf = (array: Int8Array | Uint32Array): Uint8Array =>
  new Uint8Array(array.buffer, array.byteOffset, array.byteLength);

/** Sums that a batch changes, written once at its end. */
interface Totals {
  /** Behind document count and mean lengths. */
  sums: Map<string, number>;
  /** Documents of each word by its hash; the word itself where a document of the batch spells it. */
  words: Map<number, { change: number; word: string | null }>;
}

const countWord = (totals: Totals, hash: number, change: 1 | -1, word: string | null): void => {
  const known = totals.words.get(hash);
  if (known === undefined) totals.words.set(hash, { change, word });
  else {
    known.change += change;
    known.word ??= word;
  }
};

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
      const totals: Totals = { sums: new Map(), words: new Map() };
      for (const write of writes) {
        if (write.kind === "put") this.#put(write.document, totals);
        else this.#remove(write, totals);
      }
      this.#writeTotals(totals);
      this.#db.exec("COMMIT");
    } catch (error) {
      if (this.#db.isTransaction) this.#db.exec("ROLLBACK");
      throw error;
    }
  }

  #writeTotals({ sums, words }: Totals): void {
    for (const [key, change] of sums) if (change !== 0) this.#run.addTotal.run(key, change);
    for (const [hash, { change, word }] of words) {
      if (change > 0) this.#run.addWord.run(hash, change, word, word && [...word].reverse().join(""));
      else if (change < 0) {
        this.#run.takeWord.run(change, hash);
        this.#run.dropWord.run(hash);
      }
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
      document.listing.fairness_boost,
      document.changedAt,
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
    const { blob, lengths, tokens, words } = encodeTerms(document.terms);
    const facets = facetsOf(document);
    this.#run.putListing.run(id, JSON.stringify(document.listing));
    this.#run.putCounts.run(id, blob);
    if (document.vector !== undefined) {
      this.#run.putVector.run(id, bytesOf(document.vector));
      this.#run.putSigns.run(id, bytesOf(signsOf(document.vector)));
    }
    for (const [hash, word] of words) countWord(totals, hash, 1, word);
    for (const [kind, value] of facets)
      if (this.#run.putFacet.run(kind, value, document.siteId, id).changes > 0)
        countWord(totals, hashOf(facetToken(kind, value)), 1, null);
    const { latitude, longitude } = document;
    if (latitude !== null && longitude !== null)
      this.#run.putPlace.run(id, latitude, latitude, longitude, longitude);
    const facetTokens = facets.map(([kind, value]) => facetToken(kind, value));
    this.#run.putTerms.run(id, ...tokens, [...facetTokens, bucketToken(document.rotationBucket)].join(" "));
    this.#count(lengths, 1, totals);
  }

  #dropDetails(id: number, totals: Totals): void {
    const { terms } = this.#run.counts.get(id) as { terms: Uint8Array };
    this.#count(lengthsOf(terms), -1, totals);
    for (const hash of hashesOf(terms)) countWord(totals, hash, -1, null);
    for (const facet of this.#run.facets.all(id) as { kind: FacetKind; value: string }[])
      countWord(totals, hashOf(facetToken(facet.kind, facet.value)), -1, null);
    this.#run.dropListing.run(id);
    this.#run.dropCounts.run(id);
    this.#run.dropVector.run(id);
    this.#run.dropSigns.run(id);
    this.#run.dropFacets.run(id);
    this.#run.dropPlace.run(id);
    this.#run.dropTerms.run(id);
  }

  #remove({ siteId, revision, changedAt }: IndexWrite & { kind: "remove" }, totals: Totals): void {
    const stored = this.#run.stored.get(siteId) as { id: number; revision: number } | undefined;
    if (stored !== undefined) {
      if (stored.revision >= revision) return;
      this.#dropDetails(stored.id, totals);
      this.#run.dropSite.run(stored.id);
    }
    this.#run.putTombstone.run(siteId, revision, changedAt);
  }

  #count(lengths: number[], sign: 1 | -1, totals: Totals): void {
    const add = (key: string, change: number) => totals.sums.set(key, (totals.sums.get(key) ?? 0) + change);
    add("documents", sign);
    INDEX_FIELDS.forEach((field, column) => {
      add(field, sign * lengths[column]!);
    });
  }
}
