/** The writing side of postings: seals chunks that are full, and keeps the lists of sealed ones true. */
import type { DatabaseSync, StatementSync } from "node:sqlite";
import { DistinctHashes } from "../../index/distinct-hashes.ts";
import { type EncodedTerms, termsIn } from "../../index/term-vectors.ts";
import { hashOf, tokenOf } from "../../index/tokens.ts";
import { GatheredRows } from "../storage/batched-rows.ts";
import { blockOf, type Entries, encodeBlock, inOrderOfWords, listIn, withList } from "./posting-blocks.ts";
import { CHUNK_SITES, chunkOf, siteOf, visitEntries } from "./postings.ts";

/** Adds to the words' numbers of sites, and changes what else is named. */
const counting = (rows: string, spelling = ""): string =>
  `INSERT INTO words VALUES ${rows} ON CONFLICT DO UPDATE SET documents = documents + excluded.documents${spelling}`;

const backwards = (word: string): string => [...word].reverse().join("");

const STATEMENTS = {
  sealed: "SELECT value FROM totals WHERE key = 'sealed'",
  putSealed: "INSERT OR REPLACE INTO totals VALUES ('sealed', ?)",
  records: "SELECT id, terms FROM cards WHERE id >= ? AND id < ?",
  block: "SELECT lists FROM postings WHERE chunk = ? AND block = ?",
  putBlock: "INSERT OR REPLACE INTO postings VALUES (?, ?, ?)",
  dropBlock: "DELETE FROM postings WHERE chunk = ? AND block = ?",
  newWords: "SELECT words FROM new_words",
  addNewWords: "INSERT INTO new_words (words) VALUES (?)",
  dropNewWords: "DELETE FROM new_words",
  count: counting("(?, ?, NULL)"),
  dropUnheld: "DELETE FROM words WHERE documents = 0 RETURNING hash, word",
  dropStart: "DELETE FROM word_starts WHERE word = ? AND hash = ?",
  dropEnd: "DELETE FROM word_ends WHERE backwards = ? AND hash = ?",
} as const;

/** Words that are known to be spelled in a table already; forgotten when there are more. */
const MAX_SPELLED = 120_000;

export class Lists {
  readonly #run: Record<keyof typeof STATEMENTS, StatementSync>;
  #spelled = new DistinctHashes(MAX_SPELLED);
  /** Words of this transaction that are in no table yet, by their hashes. */
  readonly #unwritten = new Map<number, string>();
  #sealed = 0;
  /** What sealing writes. */
  readonly #sealing: Record<"counts" | "words" | "starts" | "ends", GatheredRows>;

  constructor(db: DatabaseSync) {
    const gathered = (row: string, statement: (rows: string) => string) =>
      new GatheredRows(db, row, statement);
    this.#sealing = {
      counts: gathered("(?, ?, NULL)", (rows) => counting(rows)),
      words: gathered("(?, ?, ?)", (rows) => counting(rows, ", word = excluded.word")),
      starts: gathered("(?, ?)", (rows) => `INSERT OR IGNORE INTO word_starts VALUES ${rows}`),
      ends: gathered("(?, ?)", (rows) => `INSERT OR IGNORE INTO word_ends VALUES ${rows}`),
    };
    const prepared = Object.entries(STATEMENTS).map(([name, sql]) => [name, db.prepare(sql)]);
    this.#run = Object.fromEntries(prepared) as Record<keyof typeof STATEMENTS, StatementSync>;
  }

  /** At the beginning of each transaction: another process may have sealed chunks, or the last one was rolled back. */
  begin(): void {
    const sealed = (this.#run.sealed.get() as { value: number } | undefined)?.value ?? 0;
    if (sealed === this.#sealed) return;
    this.#sealed = sealed;
    this.#spelled = new DistinctHashes(MAX_SPELLED);
  }

  /** Writes what is left, before the transaction is committed. */
  end(): void {
    if (this.#unwritten.size === 0) return;
    this.#run.addNewWords.run(JSON.stringify([...this.#unwritten.values()]));
    this.#unwritten.clear();
  }

  /** What was written since `begin` is not. */
  rollBack(): void {
    this.#sealed = -1;
    this.#spelled = new DistinctHashes(MAX_SPELLED);
    this.#unwritten.clear();
    for (const rows of Object.values(this.#sealing)) rows.clear();
  }

  /**
   * A site's record of terms takes the place of the one before (undefined: it had none, or has none any more).
   * The card of a site of the tail has to hold it by the time that its chunk is sealed.
   */
  change(id: number, before: Uint8Array | undefined, after: EncodedTerms | undefined): void {
    while (chunkOf(id) > this.#sealed) this.#seal();
    if (after !== undefined) this.#spell(after);
    if (chunkOf(id) < this.#sealed) this.#replace(id, before, after?.blob);
  }

  #spell({ hashes, terms, word }: EncodedTerms): void {
    for (let i = 0; i < terms; i++) {
      if (this.#spelled.isFull) this.#spelled = new DistinctHashes(MAX_SPELLED);
      const hash = hashes[i]!;
      const known = this.#spelled.size;
      if (this.#spelled.add(hash) < known) continue;
      // What the table has already, or another process has written, is one word all the same.
      this.#unwritten.set(hash, word(i));
    }
  }

  /** Every word that came since the last chunk was sealed, by its hash. */
  #newWords(): Map<number, string> {
    const found = new Map<number, string>();
    for (const row of this.#run.newWords.all())
      for (const word of JSON.parse(String(row.words)) as string[])
        found.set(hashOf(tokenOf(word)) | 0, word);
    for (const [hash, word] of this.#unwritten) found.set(hash, word);
    return found;
  }

  /** Writes the lists of the tail, which then has no sites. */
  #seal(): void {
    const chunk = this.#sealed;
    const all = inOrderOfWords(this.#tailEntries());
    const newWords = this.#newWords();
    const { hashes, entries } = all;
    // In the order of the tables, so that every page is written once.
    for (let from = 0, word = 0, i = 1; i <= hashes.length; i++) {
      if (i < hashes.length && hashes[i] === hashes[word]) continue;
      this.#count(hashes[word]!, i - word, newWords);
      word = i;
      const block = blockOf(hashes[from]!);
      if (i < hashes.length && blockOf(hashes[i]!) === block) continue;
      const lists = encodeBlock({ hashes: hashes.subarray(from, i), entries: entries.subarray(from, i) });
      this.#run.putBlock.run(chunk, block, lists);
      from = i;
    }
    // Words that sites of sealed chunks have got, and those that nobody has any more.
    for (const hash of newWords.keys()) this.#count(hash >>> 0, 0, newWords);
    for (const rows of Object.values(this.#sealing)) rows.flush();
    this.#sealed = chunk + 1;
    this.#run.putSealed.run(this.#sealed);
    this.#run.dropNewWords.run();
    this.#unwritten.clear();
    // Every site is counted now: what is left with none is nobody's.
    this.#dropUnheld();
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

  #tailEntries(): Entries {
    const from = this.#sealed * CHUNK_SITES;
    const records = this.#run.records.all(from, from + CHUNK_SITES) as { id: number; terms: Uint8Array }[];
    const size = records.reduce((sum, { terms }) => sum + termsIn(terms), 0);
    const all = { hashes: new Uint32Array(size), entries: new Uint32Array(size) };
    let at = 0;
    for (const { id, terms } of records)
      visitEntries(id, terms, (hash, entry) => {
        all.hashes[at] = hash;
        all.entries[at++] = entry;
      });
    return all;
  }

  /** Counts the sites of a sealed chunk that hold a word, and spells it where it is new: it is new no more. */
  #count(hash: number, documents: number, newWords: Map<number, string>): void {
    const word = newWords.get(hash | 0);
    if (word === undefined) {
      this.#sealing.counts.add(hash, documents);
      return;
    }
    this.#sealing.words.add(hash, documents, word);
    this.#sealing.starts.add(word, hash);
    this.#sealing.ends.add(backwards(word), hash);
    newWords.delete(hash | 0);
  }

  #replace(id: number, before: Uint8Array | undefined, after: Uint8Array | undefined): void {
    const changes = new Map<number, [old: number | undefined, now: number | undefined]>();
    if (before !== undefined)
      visitEntries(id, before, (hash, entry) => changes.set(hash, [entry, undefined]));
    if (after !== undefined)
      visitEntries(id, after, (hash, entry) => changes.set(hash, [changes.get(hash)?.[0], entry]));
    for (const [hash, [old, now]] of changes) {
      if (old === now) continue;
      this.#replaceEntry(id, hash, now);
      if (old === undefined) this.#run.count.run(hash, 1);
      else if (now === undefined) this.#run.count.run(hash, -1);
    }
  }

  #replaceEntry(id: number, hash: number, now: number | undefined): void {
    const chunk = chunkOf(id);
    const block = blockOf(hash);
    const row = this.#run.block.get(chunk, block) as { lists: Uint8Array } | undefined;
    const list = row === undefined ? [] : Array.from(listIn(row.lists, hash));
    const others = list.filter((entry) => siteOf(chunk, entry) !== id);
    const lists = withList(row?.lists, hash, now === undefined ? others : [...others, now]);
    if (lists === undefined) this.#run.dropBlock.run(chunk, block);
    else this.#run.putBlock.run(chunk, block, lists);
  }
}
