/** The posting lists of the last segment, which is not flushed: made of the sites' own term vectors, in memory. */
import { visitPostings } from "./postings.ts";

export class Memtable {
  readonly #lists = new Map<number, number[]>();
  readonly #vectors = new Map<number, Uint8Array>();

  /** Lists a site anew; undefined: a site that is gone. */
  set(id: number, vector: Uint8Array | undefined): void {
    const known = this.#vectors.get(id);
    if (known !== undefined) this.#remove(id, known);
    if (vector === undefined) return;
    this.#vectors.set(id, vector);
    visitPostings(id, vector, (hash, posting) => {
      const list = this.#lists.get(hash);
      if (list === undefined) this.#lists.set(hash, [posting]);
      else list.push(posting);
    });
  }

  clear(): void {
    this.#lists.clear();
    this.#vectors.clear();
  }

  /** The sites that hold a term. */
  count(hash: number): number {
    return this.#lists.get(hash)?.length ?? 0;
  }

  postings(hash: number): Uint32Array {
    return Uint32Array.from(this.#lists.get(hash) ?? []);
  }

  #remove(id: number, known: Uint8Array): void {
    this.#vectors.delete(id);
    visitPostings(id, known, (hash, posting) => {
      const list = this.#lists.get(hash)!;
      list.splice(list.indexOf(posting), 1);
      if (list.length === 0) this.#lists.delete(hash);
    });
  }
}
