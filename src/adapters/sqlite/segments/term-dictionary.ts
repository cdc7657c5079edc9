/**
 * The writing side of the term dictionary: every term of flushed segments with the number of their sites that hold it,
 * found by how it begins and how it ends, and the terms that came since.
 */
import type { DatabaseSync, StatementSync } from "node:sqlite";
import { DistinctHashes } from "../../index/distinct-hashes.ts";
import type { EncodedTerms } from "../../index/term-vectors.ts";
import { hashOf, tokenOf } from "../../index/tokens.ts";
import { BatchedRows } from "../storage/batched-rows.ts";
import { prepareAll } from "../storage/statements.ts";

/** Adds to the terms' numbers of sites, and changes what else is named. */
const counting = (rows: string, spelling = ""): string =>
  `INSERT INTO words VALUES ${rows} ON CONFLICT DO UPDATE SET documents = documents + excluded.documents${spelling}`;

const STATEMENTS = {
  newTerms: "SELECT words FROM new_words",
  addNewTerms: "INSERT INTO new_words (words) VALUES (?)",
  dropNewTerms: "DELETE FROM new_words",
  count: counting("(?, ?, NULL)"),
  dropUnheld: "DELETE FROM words WHERE documents = 0 RETURNING hash, word",
  dropStart: "DELETE FROM word_starts WHERE word = ? AND hash = ?",
  dropEnd: "DELETE FROM word_ends WHERE backwards = ? AND hash = ?",
} as const;

/** Terms that are known to be spelled in a table already; forgotten when there are more. */
const MAX_SPELLED = 120_000;

const backwards = (term: string): string => [...term].reverse().join("");

export class TermDictionary {
  readonly #run: Record<keyof typeof STATEMENTS, StatementSync>;
  #spelled = new DistinctHashes(MAX_SPELLED);
  /** Terms of this transaction that are in no table yet, by their hashes. */
  readonly #unwritten = new Map<number, string>();
  /** What a flush writes, in the order of the tables. */
  readonly #rows: Record<"counts" | "words" | "starts" | "ends", BatchedRows>;

  constructor(db: DatabaseSync) {
    const batched = (row: string, statement: (rows: string) => string) => new BatchedRows(db, row, statement);
    this.#rows = {
      counts: batched("(?, ?, NULL)", (rows) => counting(rows)),
      words: batched("(?, ?, ?)", (rows) => counting(rows, ", word = excluded.word")),
      starts: batched("(?, ?)", (rows) => `INSERT OR IGNORE INTO word_starts VALUES ${rows}`),
      ends: batched("(?, ?)", (rows) => `INSERT OR IGNORE INTO word_ends VALUES ${rows}`),
    };
    this.#run = prepareAll(db, STATEMENTS);
  }

  /** The tables may not hold what they held: another process has flushed, or this transaction was rolled back. */
  forget(): void {
    this.#spelled = new DistinctHashes(MAX_SPELLED);
    this.#unwritten.clear();
    for (const rows of Object.values(this.#rows)) rows.clear();
  }

  /** Spells the terms of a site that is written. */
  spell({ hashes, terms, word }: EncodedTerms): void {
    for (let i = 0; i < terms; i++) {
      if (this.#spelled.isFull) this.#spelled = new DistinctHashes(MAX_SPELLED);
      const hash = hashes[i]!;
      const known = this.#spelled.size;
      if (this.#spelled.add(hash) < known) continue;
      // What the table has already, or another process has written, is one term all the same.
      this.#unwritten.set(hash, word(i));
    }
  }

  /** Writes what is left, before the transaction is committed. */
  end(): void {
    if (this.#unwritten.size === 0) return;
    this.#run.addNewTerms.run(JSON.stringify([...this.#unwritten.values()]));
    this.#unwritten.clear();
  }

  /** A site of a flushed segment has got or lost a term. */
  change(hash: number, by: 1 | -1): void {
    this.#run.count.run(hash, by);
  }

  /**
   * Takes in the terms of a segment that is flushed.
   * @param count calls back once for each of its terms, in the order of their hashes, with the sites that hold it
   */
  flush(count: (term: (hash: number, sites: number) => void) => void): void {
    const newTerms = this.#newTerms();
    count((hash, sites) => this.#count(hash, sites, newTerms));
    // Terms that sites of flushed segments have got, and those that nobody has any more.
    for (const hash of newTerms.keys()) this.#count(hash >>> 0, 0, newTerms);
    for (const rows of Object.values(this.#rows)) rows.flush();
    this.#run.dropNewTerms.run();
    this.#unwritten.clear();
    // Every site is counted now: what is left with none is nobody's.
    this.#dropUnheld();
  }

  /** Every term that came since the last flush, by its hash. */
  #newTerms(): Map<number, string> {
    const found = new Map<number, string>();
    for (const row of this.#run.newTerms.all())
      for (const term of JSON.parse(String(row.words)) as string[])
        found.set(hashOf(tokenOf(term)) | 0, term);
    for (const [hash, term] of this.#unwritten) found.set(hash, term);
    return found;
  }

  /** Counts sites that hold a term, and spells it where it is new: it is new no more. */
  #count(hash: number, sites: number, newTerms: Map<number, string>): void {
    const term = newTerms.get(hash | 0);
    if (term === undefined) {
      this.#rows.counts.add(hash, sites);
      return;
    }
    this.#rows.words.add(hash, sites, term);
    this.#rows.starts.add(term, hash);
    this.#rows.ends.add(backwards(term), hash);
    newTerms.delete(hash | 0);
  }

  #dropUnheld(): void {
    const unheld = this.#run.dropUnheld.all() as { hash: number; word: string | null }[];
    for (const { hash, word } of unheld) {
      if (word === null) continue;
      this.#run.dropStart.run(word, hash);
      this.#run.dropEnd.run(backwards(word), hash);
    }
    if (unheld.length > 0) this.#spelled = new DistinctHashes(MAX_SPELLED);
  }
}
