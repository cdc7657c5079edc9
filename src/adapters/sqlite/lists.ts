/** The writing side of postings: seals chunks that are full, and keeps the lists of sealed ones true. */
import type { DatabaseSync, StatementSync } from "node:sqlite";
import { bytesOf, CHUNK_SITES, chunkOf, entriesOf, siteOf, visitEntries } from "./postings.ts";
import type { EncodedTerms } from "./term-counts.ts";
import { hashOf, tokenOf } from "./tokens.ts";

const STATEMENTS = {
  sealed: "SELECT value FROM totals WHERE key = 'sealed'",
  putSealed: "INSERT OR REPLACE INTO totals VALUES ('sealed', ?)",
  records: "SELECT id, terms FROM cards WHERE id >= ? AND id < ?",
  list: "SELECT entries FROM postings WHERE chunk = ? AND word = ?",
  addList: "INSERT INTO postings VALUES (?, ?, ?)",
  putList: "INSERT OR REPLACE INTO postings VALUES (?, ?, ?)",
  dropList: "DELETE FROM postings WHERE chunk = ? AND word = ?",
  newWords: "SELECT words FROM new_words",
  addNewWords: "INSERT INTO new_words (words) VALUES (?)",
  dropNewWords: "DELETE FROM new_words",
  count: `INSERT INTO words VALUES (?, ?, NULL, NULL)
    ON CONFLICT DO UPDATE SET documents = documents + excluded.documents`,
  countSpelled: `INSERT INTO words VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE
    SET documents = documents + excluded.documents, word = excluded.word, backwards = excluded.backwards`,
  dropUnheld: "DELETE FROM words WHERE documents = 0 RETURNING hash",
} as const;

/** Words that are known to be spelled in a table already; forgotten when there are more. */
const MAX_SPELLED = 200_000;

export class Lists {
  readonly #run: Record<keyof typeof STATEMENTS, StatementSync>;
  /** Hashes of words, as signed numbers: the others take memory of their own each. */
  readonly #spelled = new Set<number>();
  /** Words of this transaction that are in no table yet, by their hashes. */
  readonly #unwritten = new Map<number, string>();
  #sealed = 0;

  constructor(db: DatabaseSync) {
    const prepared = Object.entries(STATEMENTS).map(([name, sql]) => [name, db.prepare(sql)]);
    this.#run = Object.fromEntries(prepared) as Record<keyof typeof STATEMENTS, StatementSync>;
  }

  /** At the beginning of each transaction: another process may have sealed chunks, or the last one was rolled back. */
  begin(): void {
    const sealed = (this.#run.sealed.get() as { value: number } | undefined)?.value ?? 0;
    if (sealed === this.#sealed) return;
    this.#sealed = sealed;
    this.#spelled.clear();
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
    this.#spelled.clear();
    this.#unwritten.clear();
  }

  /**
   * A site's record of terms takes the place of the one before (undefined: it had none, or has none any more).
   * The card of a site of the tail has to hold it by the time that its chunk is sealed.
   * @param words its terms; their hashes stand at the same places of `hashes`
   */
  change(
    id: number,
    before: Uint8Array | undefined,
    after: Uint8Array | undefined,
    { words, hashes }: Pick<EncodedTerms, "words" | "hashes">,
  ): void {
    while (chunkOf(id) > this.#sealed) this.#seal();
    this.#spell(words, hashes);
    if (chunkOf(id) < this.#sealed) this.#replace(id, before, after);
  }

  #spell(words: string[], hashes: number[]): void {
    if (this.#spelled.size > MAX_SPELLED) this.#spelled.clear();
    for (let i = 0; i < words.length; i++) {
      const hash = hashes[i]!;
      if (this.#spelled.has(hash)) continue;
      this.#spelled.add(hash);
      // What the table has already, or another process has written, is one word all the same.
      this.#unwritten.set(hash, words[i]!);
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
    const lists = new Map<number, number[]>();
    const from = chunk * CHUNK_SITES;
    const records = this.#run.records.all(from, from + CHUNK_SITES) as { id: number; terms: Uint8Array }[];
    for (const { id, terms } of records)
      visitEntries(id, terms, (hash, entry) => {
        const list = lists.get(hash | 0);
        if (list === undefined) lists.set(hash | 0, [entry]);
        else list.push(entry);
      });
    const newWords = this.#newWords();
    // In the order of the tables, so that every page is written once.
    for (const hash of Uint32Array.from(new Set([...lists.keys(), ...newWords.keys()])).sort()) {
      const list = lists.get(hash | 0);
      if (list !== undefined) this.#run.addList.run(chunk, hash, bytesOf(new Uint32Array(list)));
      const word = newWords.get(hash | 0);
      if (word === undefined) this.#run.count.run(hash, list!.length);
      else this.#run.countSpelled.run(hash, list?.length ?? 0, word, [...word].reverse().join(""));
    }
    this.#sealed = chunk + 1;
    this.#run.putSealed.run(this.#sealed);
    this.#run.dropNewWords.run();
    this.#unwritten.clear();
    // Every site is counted now: what is left with none is nobody's.
    for (const row of this.#run.dropUnheld.all()) this.#spelled.delete(Number(row.hash) | 0);
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
    const row = this.#run.list.get(chunk, hash) as { entries: Uint8Array } | undefined;
    const others =
      row === undefined ? [] : entriesOf(row.entries).filter((entry) => siteOf(chunk, entry) !== id);
    const list = now === undefined ? others : [...others, now];
    if (list.length === 0) this.#run.dropList.run(chunk, hash);
    else this.#run.putList.run(chunk, hash, bytesOf(Uint32Array.from(list)));
  }
}
