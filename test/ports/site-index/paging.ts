/** Pages, samples and figures. */
import { describe, expect, it } from "vitest";
import type { IndexFilter, ListingPage, ListQuery } from "../../../src/ports/index.ts";
import { put, remove } from "../index-document.ts";
import { indexOf, type Open, pageOf } from "./support.ts";

export function paging(open: Open): void {
  describe("pages and samples", () => {
    const quarter = 2 ** 30;
    const sites = Array.from({ length: 40 }, (_, i) => ({
      domain: `p${String(i).padStart(2, "0")}.n${i % 8}.example`,
      category: i % 2 === 0 ? "even" : "odd",
      sampleKey: Math.floor(i * (quarter / 10)),
      network: `198.51.${i}.0/16`,
    }));
    const index = indexOf(open, sites);

    it("walks by keyset through every site once, from the rotation on, whatever is written meanwhile", async () => {
      const filter = { category: "even" };
      const seen: string[] = [];
      let after: ListingPage["last"] = null;
      for (;;) {
        const from: Partial<ListQuery> = after === null ? { rotation: 0.7 } : { after };
        const page = await pageOf(index(), { filter, ...from, offset: 0, limit: 7 });
        seen.push(...page.listings.map((listing) => listing.siteId));
        if (page.last === null) break;
        after = page.last;
        // Comes in behind what was shown, and so is not.
        await index().apply([
          put({ domain: "a0.example", category: "even", sampleKey: after.start - 1, revision: seen.length }),
        ]);
      }
      expect(seen.pop()).toBe("a0.example");
      const names = Array.from({ length: 20 }, (_, i) => `p${String((2 * i + 28) % 40).padStart(2, "0")}`);
      expect(seen.map((siteId) => siteId.slice(0, 3))).toEqual(names);
      await index().apply([remove("a0.example", 1_000)]);
    });

    it("begins with every site in rotation, and passes over as many as it is told to, around the end too", async () => {
      const firstTwo = async (rotation: number, more: Partial<ListQuery> = {}) =>
        (await pageOf(index(), { filter: {}, rotation, offset: 0, limit: 2, ...more })).listings.map(
          ({ siteId }) => Number(siteId.slice(1, 3)),
        );
      for (let i = 0; i < 40; i += 9) {
        expect(await firstTwo((i + 0.5) / 40)).toEqual([i, (i + 1) % 40]);
        expect(await firstTwo((i + 0.5) / 40, { offset: 25 })).toEqual([(i + 25) % 40, (i + 26) % 40]);
      }
      const { last } = await pageOf(index(), { filter: {}, rotation: 0.9, offset: 0, limit: 3 });
      expect(await firstTwo(0, { after: last!, offset: 2 })).toEqual([1, 2]);
      expect(await firstTwo(0, { after: last!, offset: 36 })).toEqual([35]);
    });

    it("goes on behind a site that is gone, or another of its key", async () => {
      const alike = ["k1.example", "k2.example", "k3.example"];
      const filter = { category: "keys" };
      await index().apply(alike.map((domain) => put({ domain, category: "keys", sampleKey: 77 })));
      const first = await pageOf(index(), { filter, rotation: 0.5, offset: 0, limit: 1 });
      const rest = await pageOf(index(), { filter, after: first.last!, offset: 0, limit: 5 });
      const names = [...first.listings, ...rest.listings].map(({ siteId }) => siteId);
      expect(names.sort()).toEqual(alike);
      await index().apply(alike.map((domain) => remove(domain, 9)));
      const page = await pageOf(index(), { filter: {}, rotation: 0.1, offset: 0, limit: 2 });
      const next = () => pageOf(index(), { filter: {}, after: page.last!, offset: 0, limit: 1 });
      const { listings } = await next();
      await index().apply([remove(page.last!.siteId, 9)]);
      expect((await next()).listings).toEqual(listings);
      await index().apply([put({ ...sites[5]!, revision: 10 })]);
    });

    it("pages by offset and ends with an empty page", async () => {
      const page = (offset: number) => pageOf(index(), { filter: {}, offset, limit: 15 });
      const pages = await Promise.all([page(0), page(15), page(30), page(45)]);
      expect(pages.map((found) => found.listings.length)).toEqual([15, 15, 10, 0]);
      expect(new Set(pages.flatMap((found) => found.listings.map((listing) => listing.siteId))).size).toBe(
        40,
      );
      expect(pages.map((found) => found.total)).toEqual([40, 40, 40, 40]);
    });

    it("gives an empty page for no sites at all", async () => {
      expect(await pageOf(index(), { filter: {}, offset: 0, limit: 0 })).toMatchObject({
        listings: [],
        total: 40,
      });
    });

    it("samples on from a point and around the end of the circle", async () => {
      const names = async (points: number[], perPoint: number, filter: IndexFilter = {}) =>
        (await index().sample({ points, perPoint, filter })).map(({ listing }) => listing.siteId.slice(0, 3));
      expect(await names([0], 2)).toEqual(["p00", "p01"]);
      expect(await names([2 ** 32 - 1], 2)).toEqual(["p00", "p01"]);
      expect(await names([quarter * 3.89], 3)).toEqual(["p39", "p00", "p01"]);
      expect(await names([quarter * 3.89], 3, { category: "even" })).toEqual(["p00", "p02", "p04"]);
    });

    it("samples a site once however many points reach it, and never more than there are", async () => {
      const all = await index().sample({ points: [0, 1, quarter, 2 ** 32 - 1], perPoint: 100, filter: {} });
      expect(all).toHaveLength(40);
      expect(await index().sample({ points: [], perPoint: 5, filter: {} })).toEqual([]);
    });

    it("says of each what tells owners and networks apart", async () => {
      const spread = await index().sample({
        points: [0, quarter, 2 * quarter, 3 * quarter],
        perPoint: 1,
        filter: {},
      });
      expect(new Set(spread.map((site) => site.registrableDomain)).size).toBeGreaterThan(1);
      expect(new Set(spread.map((site) => site.network)).size).toBe(4);
    });

    it("says how much it holds", async () => {
      await index().apply([put({ domain: "off.example", status: "disabled", revision: 1 })]);
      expect(await index().stats()).toMatchObject({ documents: 41, enabled: 40 });
      expect((await index().stats()).bytes).toBeGreaterThan(0);
    });
  });
}
