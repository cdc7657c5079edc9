/** Counts of terms, lengths and documents. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { INDEX_FIELDS } from "../../../src/ports/index.ts";
import { documentOf, remove } from "../index-document.ts";
import type { Open } from "./support.ts";

export function counting(open: Open): void {
  describe("counts", () => {
    const words = ["alpha", "beta", "gamma", "c++", "東京", "über", "x_y"];
    const field = fc.array(fc.constantFrom(...words), { maxLength: 8 });
    const terms = fc.record({ name: field, domain: field, tags: field, description: field, text: field });

    it("agree with counting by hand, through puts, overwrites and removals", async () => {
      const index = await open();
      let revision = 0;
      const world = fc.array(terms, { minLength: 1, maxLength: 6 });
      const query = fc.uniqueArray(fc.constantFrom(...words, "unheard"), { minLength: 1, maxLength: 4 });
      const run = fc.asyncProperty(world, query, async (documents, asking) => {
        revision++;
        const base = documents.map((found, i) => ({
          ...documentOf({ domain: `s${i}.example`, revision }),
          terms: found,
        }));
        const gone = [0, 1, 2, 3, 4, 5].slice(documents.length).map((i) => remove(`s${i}.example`, revision));
        await index.apply([...base.map((document) => ({ kind: "put" as const, document })), ...gone]);
        const set = await index.candidates({ terms: asking, filter: {}, limit: 10 });
        const holds = (i: number, term: string) => INDEX_FIELDS.some((f) => documents[i]![f].includes(term));
        const matching = documents.flatMap((_, i) => (asking.some((term) => holds(i, term)) ? [i] : []));
        expect(set.candidates.map((c) => c.siteId).sort()).toEqual(matching.map((i) => `s${i}.example`));
        expect(set.total).toBe(matching.length);
        expect(set.documents).toBe(documents.length);
        expect(set.documentFrequencies).toEqual(
          asking.map((term) => documents.filter((_, i) => holds(i, term)).length),
        );
        for (const name of INDEX_FIELDS) {
          const lengths = documents.map((found) => found[name].length);
          const mean = lengths.reduce((sum, length) => sum + length, 0) / documents.length;
          expect(set.meanLengths[name]).toBeCloseTo(mean, 9);
          for (const candidate of set.candidates) {
            const own = documents[Number(candidate.siteId.slice(1, 2))]![name];
            expect(candidate.lengths[name]).toBe(own.length);
            expect(candidate.counts[name]).toEqual(
              asking.map((term) => own.filter((t) => t === term).length),
            );
          }
        }
      });
      await fc.assert(run, { numRuns: 60 });
      await index.close();
    });
  });
}
