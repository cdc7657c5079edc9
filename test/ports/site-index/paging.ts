/** Pages, samples and figures. */
import { describe, expect, it } from "vitest";
import type { IndexFilter } from "../../../src/ports/index.ts";
import { put, remove } from "../index-document.ts";
import { indexOf, type Open, pageOf } from "./support.ts";

export const paging = (open: Open): void => {
  describe("pages and samples", () => {
    const quarter = 2 ** 30;
    const index = indexOf(
      open,
      Array.from({ length: 40 }, (_, i) => ({
        domain: `p${String(i).padStart(2, "0")}.n${i % 8}.example`,
        category: i % 2 === 0 ? "even" : "odd",
        sampleKey: Math.floor(i * (quarter / 10)),
        network: `198.51.${i}.0/16`,
      })),
    );

    it("walks by keyset through every site once, whatever is written meanwhile", async () => {
      const seen: string[] = [];
      for (let after = ""; ; ) {
        const page = await pageOf(index(), { filter: { category: "even" }, after, offset: 0, limit: 7 });
        if (page.listings.length === 0) break;
        seen.push(...page.listings.map((listing) => listing.siteId));
        after = seen.at(-1)!;
        await index().apply([put({ domain: "a0.example", category: "even", revision: seen.length })]);
      }
      expect(seen).toEqual(seen.toSorted());
      expect(new Set(seen).size).toBe(20);
      await index().apply([remove("a0.example", 1_000)]);
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
};
