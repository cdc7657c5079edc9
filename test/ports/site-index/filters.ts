/** What filters let pass, alike for lists, candidates and samples. */
import { describe, expect, it } from "vitest";
import { fairnessBoost } from "../../../src/domain/trust/neutrality.ts";
import type { IndexFilter } from "../../../src/ports/index.ts";
import type { SiteSketch } from "../index-document.ts";
import { asked, indexOf, type Open, pageOf, search } from "./support.ts";

const now = Date.UTC(2026, 0, 1);
const FILTERED: SiteSketch[] = [
  {
    domain: "hotel.example",
    text: "rooms",
    category: "travel",
    tags: ["book-room", "ask"],
    country: "at",
    region: "tyrol",
    city: "innsbruck",
    lat: 47.2692,
    lon: 11.4041,
    ring: 3,
    fairnessBoost: fairnessBoost(60),
    verifiedAt: now,
    expiresAt: now + 1000,
  },
  {
    domain: "inn.example",
    text: "rooms",
    access: "request",
    category: "travel",
    tags: ["ask"],
    country: "fj",
    city: "suva",
    lat: -16.8,
    lon: 179.99,
    ring: 4,
    verifiedAt: now - 5000,
    expiresAt: now + 9000,
  },
  {
    domain: "isle.example",
    text: "rooms",
    access: "open",
    category: "food",
    country: "fj",
    lat: -16.8,
    lon: -179.99,
    ring: 3,
    fairnessBoost: fairnessBoost(80),
  },
  { domain: "pole.example", text: "rooms", category: "food", lat: 89.9, lon: 170, ring: 3 },
  { domain: "part.example", text: "rooms", category: "travel", status: "partial", ring: 1, country: "at" },
];

export function filters(open: Open): void {
  describe("filters", () => {
    const index = indexOf(open, FILTERED);
    const cases: [string, IndexFilter, string[]][] = [
      ["enabled sites alone by default", {}, ["hotel", "inn", "isle", "pole"]],
      ["a status", { status: "partial" }, ["part"]],
      ["a status that no site has", { status: "stale" }, []],
      ["a category", { category: "travel" }, ["hotel", "inn"]],
      ["an intent", { intent: "ask" }, ["hotel", "inn"]],
      ["an intent of one site", { intent: "book-room" }, ["hotel"]],
      ["every one of several tags", { tags: ["ask", "book-room"] }, ["hotel"]],
      ["a country", { place: "fj" }, ["inn", "isle"]],
      ["a region", { place: "tyrol" }, ["hotel"]],
      ["a city", { place: "suva" }, ["inn"]],
      ["a place that is a quote", { place: "'\" OR 1=1 --" }, []],
      ["access on request", { access: "request" }, ["inn"]],
      ["access at once", { access: "open" }, ["isle"]],
      ["no access", { access: "none" }, ["hotel", "pole"]],
      ["access at once with a category", { access: "open", category: "travel" }, []],
      ["a least ring", { minRing: 4 }, ["inn"]],
      ["a least fairness boost", { minFairnessBoost: fairnessBoost(60) }, ["hotel", "isle"]],
      ["a fairness boost above all of them", { minFairnessBoost: fairnessBoost(80.1) }, []],
      ["manifests that last", { notExpiredAt: now + 1000 }, ["inn"]],
      ["sites verified since", { verifiedAfter: now - 1 }, ["hotel"]],
      ["nearness", { near: { latitude: 47.3, longitude: 11.4, radiusKm: 10 } }, ["hotel"]],
      [
        "nearness across the 180th meridian",
        { near: { latitude: -16.8, longitude: 180, radiusKm: 5 } },
        ["inn", "isle"],
      ],
      ["nearness over a pole", { near: { latitude: 89.9, longitude: -10, radiusKm: 30 } }, ["pole"]],
      [
        "nearness to anywhere",
        { near: { latitude: 0, longitude: 0, radiusKm: 21_000 } },
        ["hotel", "inn", "isle", "pole"],
      ],
      ["all of several", { category: "travel", intent: "ask", place: "fj", minRing: 3 }, ["inn"]],
      ["several that exclude each other", { category: "food", intent: "ask" }, []],
    ];
    for (const [what, filter, names] of cases) {
      const expected = names.map((name) => `${name}.example`);
      it(`lists, finds and samples by ${what}`, async () => {
        const page = await pageOf(index(), { filter, offset: 0, limit: 10 });
        expect(page.listings.map((listing) => listing.siteId).sort()).toEqual(expected);
        expect([page.total, page.totalIsExact]).toEqual([expected.length, true]);
        const found = await index().candidates(asked("rooms", { filter }));
        expect(found.candidates.map((candidate) => candidate.siteId).sort()).toEqual(expected);
        expect([found.total, found.totalIsExact]).toEqual([expected.length, true]);
        const sampled = await index().sample({ points: [0], perPoint: 10, filter });
        expect(sampled.map(({ listing }) => listing.siteId).sort()).toEqual(expected);
      });
    }

    it("holds exact matches to the filter too", async () => {
      const exact = { exactDomain: "part.example", exactName: "part.example" };
      expect(await search(index(), "", exact)).toEqual([]);
      expect(await search(index(), "", { ...exact, filter: { status: "partial" } })).toEqual([
        "part.example",
      ]);
      const named = { exactDomain: "pole.example", exactName: "pole.example" };
      expect(await search(index(), "", named)).toEqual(["pole.example"]);
      expect(await search(index(), "", { ...named, filter: { minFairnessBoost: 1.001 } })).toEqual([]);
    });
  });
}
