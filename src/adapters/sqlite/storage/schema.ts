/** The tables of an index file. Their names and columns are stored; the terms beside them are those of this program. */

/** Raised whenever tables, tokens, term vectors or the vectors of tokens change: an index of another version is built anew. */
export const SQLITE_SCHEMA_VERSION = 13;

/**
 * sites: one slim row a site, for filters (a row holds no text, so that a join touches few pages).
 * listings: JSON of those shown. cards: what candidates are ranked by: their site id, owner and whole name in three lines,
 * what they are about, of which text that was encoded (NULL: by static vectors), and their term vector
 * (src/adapters/index/term-vectors.ts). That comes last, since it is the longest and more vectors of meaning are read than
 * term vectors.
 * facets: (kind, value) to sites in listing order; site_facets: the other way. tombstones: revisions of removals, so that
 * an older put stays dead. totals: what mean lengths come from, and how many segments are flushed ("sealed").
 * A status that is the exception is a facet, too. postings: who holds a term or facet, in the flushed segments ("chunks",
 * segments/postings.ts). words: the term dictionary: every term of flushed segments by its hash, with the sites there
 * that hold it. word_starts, word_ends: the same terms by how they begin, and spelled backwards by how they end; tables of
 * their own, since an index is written with every row, and one tree after the other takes half the time. Facets have no
 * word. new_words: terms that came since, one JSON array a batch: three trees that every batch changed all over were half
 * of what was written.
 * signs: binary vectors, the signs of vectors (NULL: none), kept in memory by readers; every write of a site gives its row
 * a higher change, removal too, so that they read what is new alone.
 */
export const SQLITE_TABLES = `
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE totals (key TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE sites (
  id INTEGER PRIMARY KEY,
  site_id TEXT NOT NULL UNIQUE,
  revision INTEGER NOT NULL,
  registrable_domain TEXT NOT NULL,
  rotation_bucket INTEGER NOT NULL,
  status TEXT NOT NULL,
  ring INTEGER NOT NULL,
  fairness_boost REAL NOT NULL,
  gravity INTEGER NOT NULL,
  verified_at INTEGER,
  expires_at INTEGER,
  latitude REAL,
  longitude REAL,
  network TEXT,
  sample_key INTEGER NOT NULL,
  exact_name TEXT NOT NULL,
  changed_at INTEGER NOT NULL
);
CREATE INDEX sites_by_sample ON sites (status, sample_key);
CREATE INDEX sites_by_name ON sites (exact_name, site_id);
CREATE INDEX sites_by_change ON sites (changed_at, site_id);
CREATE TABLE listings (id INTEGER PRIMARY KEY, listing TEXT NOT NULL);
CREATE TABLE cards (id INTEGER PRIMARY KEY, names TEXT NOT NULL, vector BLOB, encoded TEXT, terms BLOB NOT NULL);
CREATE TABLE signs (change INTEGER PRIMARY KEY AUTOINCREMENT, id INTEGER NOT NULL UNIQUE, signs BLOB);
CREATE TABLE postings (
  chunk INTEGER NOT NULL, block INTEGER NOT NULL, lists BLOB NOT NULL, PRIMARY KEY (chunk, block)
) WITHOUT ROWID;
CREATE TABLE words (hash INTEGER PRIMARY KEY, documents INTEGER NOT NULL, word TEXT);
CREATE TABLE word_starts (word TEXT NOT NULL, hash INTEGER NOT NULL, PRIMARY KEY (word, hash)) WITHOUT ROWID;
CREATE TABLE word_ends (backwards TEXT NOT NULL, hash INTEGER NOT NULL, PRIMARY KEY (backwards, hash)) WITHOUT ROWID;
CREATE TABLE new_words (id INTEGER PRIMARY KEY, words TEXT NOT NULL);
CREATE TABLE facets (
  kind TEXT NOT NULL, value TEXT NOT NULL, site_id TEXT NOT NULL, id INTEGER NOT NULL,
  PRIMARY KEY (kind, value, site_id)
) WITHOUT ROWID;
CREATE TABLE site_facets (
  id INTEGER NOT NULL, kind TEXT NOT NULL, value TEXT NOT NULL, PRIMARY KEY (id, kind, value)
) WITHOUT ROWID;
CREATE TABLE tombstones (
  site_id TEXT PRIMARY KEY, revision INTEGER NOT NULL, changed_at INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX tombstones_by_change ON tombstones (changed_at, site_id);
`;
