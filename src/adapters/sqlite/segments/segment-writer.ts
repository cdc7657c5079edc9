/** The writing side of postings: flushes segments that are full, and keeps the lists of flushed ones true. */
import type { DatabaseSync, StatementSync } from "node:sqlite";
import { type EncodedTerms, termsIn } from "../../index/term-vectors.ts";
import { prepareAll } from "../storage/statements.ts";
import {
  encodeBlock,
  type HashedPostings,
  inOrderOfTerms,
  listIn,
  postingBlock,
  SEGMENT_SITES,
  segmentOf,
  siteOf,
  visitPostings,
  withList,
} from "./postings.ts";
import { TermDictionary } from "./term-dictionary.ts";

const STATEMENTS = {
  flushed: "SELECT value FROM totals WHERE key = 'sealed'",
  putFlushed: "INSERT OR REPLACE INTO totals VALUES ('sealed', ?)",
  vectors: "SELECT id, terms FROM cards WHERE id >= ? AND id < ?",
  block: "SELECT lists FROM postings WHERE chunk = ? AND block = ?",
  putBlock: "INSERT OR REPLACE INTO postings VALUES (?, ?, ?)",
  dropBlock: "DELETE FROM postings WHERE chunk = ? AND block = ?",
} as const;

export class SegmentWriter {
  readonly #run: Record<keyof typeof STATEMENTS, StatementSync>;
  readonly #dictionary: TermDictionary;
  /** Segments that are flushed: the number of the one that is not. */
  #flushed = 0;

  constructor(db: DatabaseSync) {
    this.#run = prepareAll(db, STATEMENTS);
    this.#dictionary = new TermDictionary(db);
  }

  /** At the beginning of each transaction: another process may have flushed segments, or the last one was rolled back. */
  begin(): void {
    const flushed = (this.#run.flushed.get() as { value: number } | undefined)?.value ?? 0;
    if (flushed === this.#flushed) return;
    this.#flushed = flushed;
    this.#dictionary.forget();
  }

  /** Writes what is left, before the transaction is committed. */
  end(): void {
    this.#dictionary.end();
  }

  /** What was written since `begin` is not. */
  rollBack(): void {
    this.#flushed = -1;
    this.#dictionary.forget();
  }

  /**
   * A site's term vector takes the place of the one before (undefined: it had none, or has none any more).
   * The card of a site of the last segment has to hold it by the time that the segment is flushed.
   */
  change(id: number, before: Uint8Array | undefined, after: EncodedTerms | undefined): void {
    while (segmentOf(id) > this.#flushed) this.#flush();
    if (after !== undefined) this.#dictionary.spell(after);
    if (segmentOf(id) < this.#flushed) this.#replace(id, before, after?.blob);
  }

  /** Writes the lists of the last segment; the next one is empty. */
  #flush(): void {
    const segment = this.#flushed;
    const { hashes, postings } = inOrderOfTerms(this.#postingsOf(segment));
    this.#dictionary.flush((count) => {
      // In the order of the tables, so that every page is written once.
      for (let from = 0, first = 0, i = 1; i <= hashes.length; i++) {
        if (i < hashes.length && hashes[i] === hashes[first]) continue;
        count(hashes[first]!, i - first);
        first = i;
        const block = postingBlock(hashes[from]!);
        if (i < hashes.length && postingBlock(hashes[i]!) === block) continue;
        const lists = encodeBlock({ hashes: hashes.subarray(from, i), postings: postings.subarray(from, i) });
        this.#run.putBlock.run(segment, block, lists);
        from = i;
      }
    });
    this.#flushed = segment + 1;
    this.#run.putFlushed.run(this.#flushed);
  }

  #postingsOf(segment: number): HashedPostings {
    const from = segment * SEGMENT_SITES;
    const vectors = this.#run.vectors.all(from, from + SEGMENT_SITES) as { id: number; terms: Uint8Array }[];
    const size = vectors.reduce((sum, { terms }) => sum + termsIn(terms), 0);
    const all = { hashes: new Uint32Array(size), postings: new Uint32Array(size) };
    let at = 0;
    for (const { id, terms } of vectors)
      visitPostings(id, terms, (hash, posting) => {
        all.hashes[at] = hash;
        all.postings[at++] = posting;
      });
    return all;
  }

  #replace(id: number, before: Uint8Array | undefined, after: Uint8Array | undefined): void {
    const changes = new Map<number, [old: number | undefined, now: number | undefined]>();
    if (before !== undefined)
      visitPostings(id, before, (hash, posting) => changes.set(hash, [posting, undefined]));
    if (after !== undefined)
      visitPostings(id, after, (hash, posting) => changes.set(hash, [changes.get(hash)?.[0], posting]));
    for (const [hash, [old, now]] of changes) {
      if (old === now) continue;
      this.#replacePosting(id, hash, now);
      if (old === undefined) this.#dictionary.change(hash, 1);
      else if (now === undefined) this.#dictionary.change(hash, -1);
    }
  }

  #replacePosting(id: number, hash: number, now: number | undefined): void {
    const segment = segmentOf(id);
    const block = postingBlock(hash);
    const row = this.#run.block.get(segment, block) as { lists: Uint8Array } | undefined;
    const list = row === undefined ? [] : Array.from(listIn(row.lists, hash));
    const others = list.filter((posting) => siteOf(segment, posting) !== id);
    const lists = withList(row?.lists, hash, now === undefined ? others : [...others, now]);
    if (lists === undefined) this.#run.dropBlock.run(segment, block);
    else this.#run.putBlock.run(segment, block, lists);
  }
}
