/** Plain BM25 over one field of text: the baseline that fair ranking is held against. Robertson and Zaragoza 2009, k1 1.2, b 0.75. */

const K1 = 1.2;
const B = 0.75;

export interface Bm25 {
  /**
   * Ids of the best, best first; ties by the order in which documents were given.
   * @param prior factor on the score of the n-th document; 1 by default
   */
  search(terms: string[], limit: number, prior?: (doc: number) => number): string[];
}

interface Posting {
  doc: number;
  frequency: number;
}

/** @param docs analyzed terms of each document by its id */
export function bm25(docs: Iterable<[id: string, terms: string[]]>): Bm25 {
  const ids: string[] = [];
  const lengths: number[] = [];
  const postings = new Map<string, Posting[]>();
  for (const [id, terms] of docs) {
    const counts = new Map<string, number>();
    for (const term of terms) counts.set(term, (counts.get(term) ?? 0) + 1);
    for (const [term, frequency] of counts) {
      const list = postings.get(term);
      if (list === undefined) postings.set(term, [{ doc: ids.length, frequency }]);
      else list.push({ doc: ids.length, frequency });
    }
    ids.push(id);
    lengths.push(terms.length);
  }
  const mean = lengths.reduce((sum, length) => sum + length, 0) / Math.max(1, lengths.length);
  const norms = lengths.map((length) => K1 * (1 - B + (B * length) / Math.max(1, mean)));
  return {
    search: (terms, limit, prior) => {
      const scores = new Map<number, number>();
      for (const term of new Set(terms)) {
        const list = postings.get(term) ?? [];
        const idf = Math.log(1 + (ids.length - list.length + 0.5) / (list.length + 0.5));
        for (const { doc, frequency } of list) {
          const gain = (idf * frequency * (K1 + 1)) / (frequency + norms[doc]!);
          scores.set(doc, (scores.get(doc) ?? 0) + gain);
        }
      }
      if (prior) for (const [doc, score] of scores) scores.set(doc, score * prior(doc));
      return [...scores]
        .sort((a, b) => b[1] - a[1] || a[0] - b[0])
        .slice(0, limit)
        .map(([doc]) => ids[doc]!);
    },
  };
}
