/** Listings, facets, similar terms and changes. */
import { describe, expect, it } from "vitest";
import { FACETS } from "../../../src/ports/index.ts";
import { put, remove } from "../index-document.ts";
import { asked, indexOf, type Open } from "./support.ts";

export function otherReads(open: Open): void {
  describe("listings, facets, similar terms and changes", () => {
    const index = indexOf(open, [
      {
        domain: "a.example",
        name: "Green Tea",
        category: "food",
        tags: ["ask", "buy"],
        country: "at",
        city: "wien",
        ring: 4,
        fairnessBoost: 1.02,
        revision: 10,
      },
      {
        domain: "b.example",
        text: "tea kindergarten",
        category: "food",
        tags: ["ask"],
        country: "at",
        region: "wien",
        city: "wien",
        revision: 20,
      },
      { domain: "c.example", text: "tea", category: "travel", country: "fj", revision: 30 },
      { domain: "d.example", text: "kinder", status: "stale", revision: 40 },
    ]);

    it("says whether it ever held all sites, once its writer has said so", async () => {
      expect((await index().stats()).isFilled).toBe(false);
      await index().markFilled();
      await index().markFilled();
      expect((await index().stats()).isFilled).toBe(true);
    });

    it("gives candidates what ranking needs of them, and the listings afterwards in any order", async () => {
      const { candidates } = await index().candidates(asked("green tea", { limit: 1 }));
      expect(candidates[0]).toMatchObject({ siteId: "a.example", ring: 4, fairnessBoost: 1.02 });
      const siteIds = ["c.example", "gone.example", "a.example"];
      const listings = await index().listings(siteIds);
      expect(listings.map(({ siteId }) => siteId)).toEqual(["c.example", "a.example"]);
      expect(await index().listings([])).toEqual([]);
    });

    it("counts the sites of each value, largest first, a site once a value", async () => {
      const query = { filter: {}, facets: [...FACETS], limit: 10 };
      expect(await index().facets({ ...query, terms: ["tea"] })).toEqual({
        counts: {
          category: [
            { value: "food", count: 2 },
            { value: "travel", count: 1 },
          ],
          intent: [
            { value: "ask", count: 2 },
            { value: "buy", count: 1 },
          ],
          place: [
            { value: "at", count: 2 },
            { value: "wien", count: 2 },
            { value: "fj", count: 1 },
          ],
          ring: [
            { value: "3", count: 2 },
            { value: "4", count: 1 },
          ],
        },
        counted: 3,
        isExact: true,
      });
      const fijian = await index().facets({
        ...query,
        terms: [],
        filter: { place: "fj" },
        facets: ["category"],
      });
      expect(fijian).toEqual({
        counts: { category: [{ value: "travel", count: 1 }] },
        counted: 1,
        isExact: true,
      });
      const first = await index().facets({ ...query, terms: ["tea"], facets: ["category"], limit: 1 });
      expect(first.counts).toEqual({ category: [{ value: "food", count: 2 }] });
      const none = await index().facets({ ...query, terms: ["unheardof"], facets: ["ring"] });
      expect(none).toEqual({ counts: { ring: [] }, counted: 0, isExact: true });
    });

    it("knows the terms that a mistyped one may stand for: one edit away, and two of a long one whose end is right", async () => {
      const similar = (term: string, limit = 10) => index().similarTerms({ term, limit });
      for (const wrong of ["kidner", "kindr", "kinde", "kinderr", "inder", "xinder", "iknder", "kindex"])
        expect(await similar(wrong), wrong).toEqual(["kinder"]);
      for (const far of ["kndr", "kidenr", "k", "", "ter", "\ud800", "_", "%", "*", "KINDER"])
        expect(await similar(far), far).not.toContain("kinder");
      for (const wrong of ["kindergraten", "kindegratten", "kindergrtn", "kindergarte"])
        expect(await similar(wrong), wrong).toEqual(["kindergarten"]);
      for (const far of ["kindrgrtn", "ikndergartne", "kinder", "kind"])
        expect(await similar(far), far).toEqual([]);
      expect(await similar("kindr", 0)).toEqual([]);
    });

    it("tells every site's last change in order, by pages, with tombstones", async () => {
      await index().apply([
        remove("c.example", 50),
        remove("never.example", 50),
        put({ domain: "a.example", revision: 60 }),
      ]);
      const told = async (since: number, limit = 10, after?: { changedAt: number; siteId: string }) =>
        (await index().changes({ since, limit, ...(after && { after }) })).map(
          ({ siteId, changedAt, listing }) => [siteId, changedAt, listing?.status],
        );
      const all = [
        ["b.example", 20, "enabled"],
        ["d.example", 40, "stale"],
        ["c.example", 50, undefined],
        ["never.example", 50, undefined],
        ["a.example", 60, "enabled"],
      ];
      expect(await told(0)).toEqual(all);
      expect(await told(0, 2)).toEqual(all.slice(0, 2));
      expect(await told(0, 2, { changedAt: 40, siteId: "d.example" })).toEqual(all.slice(2, 4));
      expect(await told(0, 9, { changedAt: 50, siteId: "c.example" })).toEqual(all.slice(3));
      expect(await told(50)).toEqual(all.slice(2));
      expect(await told(61)).toEqual([]);
      await index().apply([put({ domain: "c.example", revision: 70 })]);
      expect(await told(50)).toEqual([all[3], all[4], ["c.example", 70, "enabled"]]);
    });
  });
}
