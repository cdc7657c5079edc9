/** The writing side of postings: seals chunks that are full, and keeps the lists of sealed ones true. */
import type { DatabaseSync, StatementSync } from "node:sqlite";
import { bytesOf, CHUNK_SITES, chunkOf, entriesOf, siteOf, visitEntries } from "./postings.ts";
import type { EncodedTerms } from "./term-counts.ts";

const STATEMENTS = {
  sealed: "SELECT value FROM totals WHERE key = 'sealed'",
  putSealed: "INSERT OR REPLACE INTO totals VALUES ('sealed', ?)",
  records: "SELECT id, terms FROM cards WHERE id >= ? AND id < ?",
  list: "SELECT entries FROM postings WHERE chunk = ? AND word = ?",
  addList: "INSERT INTO postings VALUES (?, ?, ?)",
  putList: "INSERT OR REPLACE INTO postings VALUES (?, ?, ?)",
  dropList: "DELETE FROM postings WHERE chunk = ? AND word = ?",
  spell: "INSERT OR IGNORE INTO words VALUES (?, 0, ?, ?)",
  count: `INSERT INTO words VALUES (?, ?, NULL, NULL)
    ON CONFLICT DO UPDATE SET documents = documents + excluded.documents`,
  dropUnheld: "DELETE FROM words WHERE documents = 0 RETURNING hash",
} as const;

/** Words that are known to be spelled in the table already; forgotten when there are more. */
const MAX_SPELLED = 200_000;

export class Lists {
  readonly #run: Record<keyof typeof STATEMENTS, StatementSync>;
  readonly #spelled = new Set<number>();
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

  /** What was written since `begin` is not. */
  rollBack(): void {
    this.#sealed = -1;
    this.#spelled.clear();
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
      if (this.#spelled.has(hashes[i]!)) continue;
      this.#spelled.add(hashes[i]!);
      this.#run.spell.run(hashes[i]!, words[i]!, [...words[i]!].reverse().join(""));
    }
  }

  /** Writes the lists of the tail, which then has no sites. */
  #seal(): void {
    const chunk = this.#sealed;
    const lists = new Map<number, number[]>();
    const from = chunk * CHUNK_SITES;
    const records = this.#run.records.all(from, from + CHUNK_SITES) as { id: number; terms: Uint8Array }[];
    for (const { id, terms } of records)
      visitEntries(id, terms, (hash, entry) => {
        const list = lists.get(hash);
        if (list === undefined) lists.set(hash, [entry]);
        else list.push(entry);
      });
    // In the order of the table, so that every page is written once.
    for (const hash of Uint32Array.from(lists.keys()).sort()) {
      const list = lists.get(hash)!;
      this.#run.addList.run(chunk, hash, bytesOf(Uint32Array.from(list)));
      this.#run.count.run(hash, list.length);
    }
    this.#sealed = chunk + 1;
    this.#run.putSealed.run(this.#sealed);
    // Every site is counted now: what is left with none is nobody's.
    for (const row of this.#run.dropUnheld.all()) this.#spelled.delete(Number(row.hash));
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
