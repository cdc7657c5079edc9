/** Which of several writes of one site holds. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { put, remove } from "../index-document.ts";
import { asked, indexOf, listed, type Open, pageOf, search } from "./support.ts";

export function revisions(open: Open): void {
  describe("revisions", () => {
    const index = indexOf(open, []);

    it("keeps the newer of two puts, whichever comes last", async () => {
      await index().apply([put({ domain: "a.example", name: "Second", revision: 2 })]);
      await index().apply([put({ domain: "a.example", name: "First", revision: 1 })]);
      await index().apply([put({ domain: "a.example", name: "Again", revision: 2 })]);
      expect((await index().get("a.example"))?.name).toBe("Second");
      expect(await search(index(), "first")).toEqual([]);
      expect(await search(index(), "again")).toEqual([]);
      expect(await search(index(), "second")).toEqual(["a.example"]);
    });

    it("forgets the words and filters of the put before", async () => {
      await index().apply([put({ domain: "b.example", text: "violins", category: "music", city: "graz" })]);
      await index().apply([put({ domain: "b.example", text: "cellos", category: "strings", revision: 2 })]);
      expect(await search(index(), "violins")).toEqual([]);
      expect(await search(index(), "cellos")).toEqual(["b.example"]);
      expect(await listed(index(), { category: "music" })).toEqual([]);
      expect(await listed(index(), { place: "graz" })).toEqual([]);
      expect(await listed(index(), { category: "strings" })).toEqual(["b.example"]);
      expect((await index().candidates(asked("violins"))).documentFrequencies).toEqual([0]);
    });

    it("lets no older put bring a removed site back, and a newer one may", async () => {
      await index().apply([put({ domain: "c.example", text: "oboe", revision: 3 })]);
      await index().apply([remove("c.example", 2)]);
      expect(await search(index(), "oboe")).toEqual(["c.example"]);
      await index().apply([remove("c.example", 4)]);
      await index().apply([put({ domain: "c.example", text: "oboe", revision: 4 })]);
      expect(await index().get("c.example")).toBeUndefined();
      expect(await search(index(), "oboe")).toEqual([]);
      await index().apply([put({ domain: "c.example", text: "oboe", revision: 5 })]);
      expect(await search(index(), "oboe")).toEqual(["c.example"]);
    });

    it("remembers the removal of a site it never saw", async () => {
      await index().apply([remove("d.example", 9), remove("d.example", 7)]);
      await index().apply([put({ domain: "d.example", revision: 8 })]);
      expect(await index().get("d.example")).toBeUndefined();
    });

    it("applies writes of one batch in order", async () => {
      await index().apply([
        put({ domain: "e.example", text: "harp", revision: 1 }),
        remove("e.example", 2),
        put({ domain: "e.example", text: "lute", revision: 3 }),
      ]);
      expect(await search(index(), "harp")).toEqual([]);
      expect(await search(index(), "lute")).toEqual(["e.example"]);
    });

    it("lists a site under the category of the last of one batch's writes alone", async () => {
      await index().apply([
        put({ domain: "lutes.example", category: "harps", revision: 1 }),
        put({ domain: "lutes.example", category: "lutes", revision: 2 }),
        put({ domain: "harps.example", category: "harps", revision: 1 }),
        remove("harps.example", 2),
      ]);
      const totalOf = async (category: string) =>
        (await pageOf(index(), { filter: { category }, limit: 10, offset: 0 })).total;
      expect([await totalOf("harps"), await totalOf("lutes")]).toEqual([0, 1]);
    });

    it("ends in the same state for any order of the same writes", async () => {
      const write = fc.record({
        site: fc.constantFrom("x.example", "y.example"),
        revision: fc.integer({ min: 1, max: 6 }),
      });
      // Every run works on sites of its own.
      let round = 0;
      const run = fc.asyncProperty(fc.array(write, { maxLength: 12 }), async (writes) => {
        round++;
        // One kind a revision, as a log of records has it.
        const made = writes.map(({ site, revision }) =>
          revision % 3 === 0
            ? remove(`r${round}.${site}`, revision)
            : put({ domain: `r${round}.${site}`, name: `r${revision}`, revision }),
        );
        await index().apply([...made, ...made.toReversed()]);
        for (const site of ["x.example", "y.example"]) {
          const newest = Math.max(0, ...writes.filter((w) => w.site === site).map((w) => w.revision));
          const expected = newest === 0 || newest % 3 === 0 ? undefined : `r${newest}`;
          expect((await index().get(`r${round}.${site}`))?.name).toBe(expected);
        }
      });
      await fc.assert(run, { numRuns: 25 });
    });
  });
}
