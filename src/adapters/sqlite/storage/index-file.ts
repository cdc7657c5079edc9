/** Opening the index file: its identity, and what happens to a file that cannot be used. */
import { randomUUID } from "node:crypto";
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { pathToFileURL } from "node:url";
import { SQLITE_SCHEMA_VERSION, SQLITE_TABLES } from "./schema.ts";

const BUSY_TIMEOUT_MS = 5_000;
const OPEN_ATTEMPTS = 20;
const CACHE_KIB = 64 * 1024;
/** Of the file's beginning, what readers look at where the system has it: 300,000 sites. Both share one copy. */
const MAPPED_BYTES = 1 << 30;
/** 64 MiB of log between checkpoints: pages that every batch changes are copied once for many of them. */
const CHECKPOINT_PAGES = 16_000;

export interface OpenIndex {
  db: DatabaseSync;
  id: string;
}

const SQLITE_BUSY = 5;
const SQLITE_CORRUPT = 11;
const SQLITE_NOTADB = 26;

/** Leaves word that damage was met, so that the next opening starts a new index instead of failing again. */
export function markDamaged(path: string): void {
  try {
    writeFileSync(doubtPath(path), "");
  } catch {
    // The call that met the damage fails anyway, and so does the next one.
  }
}

const doubtPath = (path: string): string => `${path}.doubt`;

/**
 * Opens or creates the index at `path`. A file of another schema version, a damaged file or no database at all is
 * moved aside and a new index with a new id takes its place. Throws when the file cannot be opened or made for
 * another reason (permissions, disk full, locked for long).
 */
export function openFile(path: string): OpenIndex {
  mkdirSync(dirname(path), { recursive: true });
  if (existsSync(doubtPath(path))) moveAside(path);
  for (let attempt = 1; ; attempt++) {
    let db: DatabaseSync | undefined;
    try {
      db = connect(path);
      const id = identify(db);
      if (id !== undefined) return { db, id };
      db.close();
      moveAside(path);
    } catch (error) {
      if (db?.isOpen) db.close();
      if (attempt === OPEN_ATTEMPTS) throw error;
      if (isDamage(error)) moveAside(path);
      // Switching to WAL does not wait for other openers by itself.
      else if (sqliteCode(error) === SQLITE_BUSY) pause(25 * attempt);
      else throw error;
    }
  }
}

function moveAside(path: string): void {
  for (const tail of ["-wal", "-shm", ""]) {
    rmSync(asidePath(path) + tail, { force: true });
    if (existsSync(path + tail)) renameSync(path + tail, asidePath(path) + tail);
  }
  rmSync(doubtPath(path), { force: true });
}

/** Where a file that could not be used is kept for a look; one, the newest. */
const asidePath = (path: string): string => `${path}.unusable`;

function connect(path: string): DatabaseSync {
  const db = new DatabaseSync(path, { timeout: BUSY_TIMEOUT_MS });
  try {
    db.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA cache_size = -${CACHE_KIB};
      PRAGMA wal_autocheckpoint = ${CHECKPOINT_PAGES};`);
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

/** The id of an index of our version (made when the file is empty), or undefined when the file is something else. */
function identify(db: DatabaseSync): string | undefined {
  db.exec("BEGIN IMMEDIATE");
  try {
    const found = db.prepare("SELECT count(*) AS tables FROM sqlite_schema").get() as { tables: number };
    const { user_version: version } = db.prepare("PRAGMA user_version").get() as { user_version: number };
    let id: string | undefined;
    if (found.tables === 0) {
      id = randomUUID();
      db.exec(SQLITE_TABLES);
      db.prepare("INSERT INTO meta VALUES ('id', ?), ('filled', 'no')").run(id);
      db.exec(`PRAGMA user_version = ${SQLITE_SCHEMA_VERSION}`);
    } else if (version === SQLITE_SCHEMA_VERSION) {
      const row = db.prepare("SELECT value FROM meta WHERE key = 'id'").get() as
        | { value: string }
        | undefined;
      id = row?.value;
      probe(db);
    }
    db.exec("COMMIT");
    return id;
  } catch (error) {
    if (db.isTransaction) db.exec("ROLLBACK");
    throw error;
  }
}

/** Touches every table once: a file cut short or overwritten shows here and not in the first search. */
function probe(db: DatabaseSync): void {
  for (const table of [
    "sites",
    "listings",
    "cards",
    "signs",
    "postings",
    "words",
    "word_starts",
    "word_ends",
    "new_words",
    "facets",
    "site_facets",
    "tombstones",
    "totals",
  ])
    db.prepare(`SELECT * FROM ${table} LIMIT 1`).get();
}

/** Whether the error says that the file's content is damaged, as against busy, full or unreadable. */
export const isDamage = (error: unknown): boolean =>
  sqliteCode(error) === SQLITE_CORRUPT || sqliteCode(error) === SQLITE_NOTADB;

function sqliteCode(error: unknown): number {
  const code = (error as { errcode?: unknown }).errcode;
  return typeof code === "number" ? code & 0xff : 0;
}

/** Pause of a thread that has nothing else to do. */
function pause(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

/** Opens a connection for reading; the writer has made or checked the file before. @throws where the file is gone */
export function openReader(path: string): DatabaseSync {
  const location = pathToFileURL(path);
  // Not made anew: a generation's file may be gone, since another is in use.
  location.searchParams.set("mode", "rw");
  const db = new DatabaseSync(location, { timeout: BUSY_TIMEOUT_MS });
  db.exec(`PRAGMA query_only = ON; PRAGMA cache_size = -${CACHE_KIB}; PRAGMA mmap_size = ${MAPPED_BYTES};`);
  return db;
}
