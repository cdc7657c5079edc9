/** The lists of words of the last chunk, which is not sealed: made of the sites' own records of terms, in memory. */
import { visitEntries } from "./postings.ts";

export class Tail {
  readonly #lists = new Map<number, number[]>();
  readonly #records = new Map<number, Uint8Array>();

  /** Lists a site anew; undefined: a site that is gone. */
  set(id: number, terms: Uint8Array | undefined): void {
    const known = this.#records.get(id);
    if (known !== undefined) this.#remove(id, known);
    if (terms === undefined) return;
    this.#records.set(id, terms);
    visitEntries(id, terms, (hash, entry) => {
      const list = this.#lists.get(hash);
      if (list === undefined) this.#lists.set(hash, [entry]);
      else list.push(entry);
    });
  }

  clear(): void {
    this.#lists.clear();
    this.#records.clear();
  }

  /** The sites that hold a word. */
  count(hash: number): number {
    return this.#lists.get(hash)?.length ?? 0;
  }

  entries(hash: number): Uint32Array {
    return Uint32Array.from(this.#lists.get(hash) ?? []);
  }

  #remove(id: number, known: Uint8Array): void {
    this.#records.delete(id);
    visitEntries(id, known, (hash, entry) => {
      const list = this.#lists.get(hash)!;
      list.splice(list.indexOf(entry), 1);
      if (list.length === 0) this.#lists.delete(hash);
    });
  }
}
