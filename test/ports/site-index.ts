/** What every SiteIndex must do. Each implementation's test calls this with a way to open a fresh, empty index. */
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { cosine } from "../../src/domain/search/embeddings/static-vectors.ts";
import { analyseQuery, exactForm } from "../../src/domain/search/text-analysis.ts";
import { ROTATION_BUCKETS } from "../../src/domain/trust/rotation.ts";
import {
  type CandidateQuery,
  FACETS,
  INDEX_FIELDS,
  type IndexFilter,
  type SiteIndex,
} from "../../src/ports/index.ts";
import { randomFrom } from "../world/random.ts";
import { documentOf, put, remove, type SiteSketch, vectorOf } from "./index-document.ts";

const asked = (text: string, more: Partial<CandidateQuery> = {}): CandidateQuery => ({
  terms: analyseQuery(text),
  filter: {},
  limit: 300,
  ...more,
});

const search = async (
  index: SiteIndex,
  text: string,
  more: Partial<CandidateQuery> = {},
): Promise<string[]> =>
  (await index.candidates(asked(text, more))).candidates.map((candidate) => candidate.siteId);

const listed = async (index: SiteIndex, filter: IndexFilter): Promise<string[]> =>
  (await index.list({ filter, offset: 0, limit: 100 })).listings.map((listing) => listing.siteId);

type Open = () => Promise<SiteIndex>;

/** Opens one index for the tests of a block, with the sites given. */
const indexOf = (open: Open, sites: SiteSketch[]): (() => SiteIndex) => {
  let index: SiteIndex;
  beforeAll(async () => {
    index = await open();
    await index.apply(sites.map(put));
  });
  afterAll(async () => index.close());
  return () => index;
};

const revisions = (open: Open): void => {
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
        (await index().list({ filter: { category }, limit: 10, offset: 0 })).total;
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
};

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
    verifiedAt: now,
    expiresAt: now + 1000,
  },
  {
    domain: "inn.example",
    text: "rooms",
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
    category: "food",
    country: "fj",
    lat: -16.8,
    lon: -179.99,
    ring: 3,
  },
  { domain: "pole.example", text: "rooms", category: "food", lat: 89.9, lon: 170, ring: 3 },
  { domain: "part.example", text: "rooms", category: "travel", status: "partial", ring: 1, country: "at" },
];

const filters = (open: Open): void => {
  describe("filters", () => {
    const index = indexOf(open, FILTERED);
    const cases: [string, IndexFilter, string[]][] = [
      ["enabled sites alone by default", {}, ["hotel", "inn", "isle", "pole"]],
      ["a status", { status: "partial" }, ["part"]],
      ["a status that no site has", { status: "stale" }, []],
      ["a category", { category: "travel" }, ["hotel", "inn"]],
      ["an intent", { intent: "ask" }, ["hotel", "inn"]],
      ["an intent of one site", { intent: "book-room" }, ["hotel"]],
      ["a country", { place: "fj" }, ["inn", "isle"]],
      ["a region", { place: "tyrol" }, ["hotel"]],
      ["a city", { place: "suva" }, ["inn"]],
      ["a place that is a quote", { place: "'\" OR 1=1 --" }, []],
      ["a least ring", { minRing: 4 }, ["inn"]],
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
        const page = await index().list({ filter, offset: 0, limit: 10 });
        expect(page.listings.map((listing) => listing.siteId)).toEqual(expected);
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
    });
  });
};

const finding = (open: Open): void => {
  describe("finding", () => {
    const index = indexOf(open, [
      { domain: "cpp.example", text: "libraries in C++ and C#" },
      { domain: "node.example", text: "hosting for Node.js" },
      { domain: "tower.example", name: "東京タワー", text: "展望台" },
      { domain: "cafe.example", name: "Café Müller", text: "Größe Ναός" },
      { domain: "who.example", name: "The Who", text: "concert" },
      { domain: "who-two.example", name: "the  WHO", text: "health" },
      { domain: "both.example", text: "green tea" },
      { domain: "one.example", text: "green green green green" },
      { domain: "odd.example", text: "AND OR NOT NEAR text name col rowid" },
      { domain: "turn.example", text: "carousel" },
      { domain: "my.turn.example", name: "Carousel" },
    ]);

    it("finds by sign, by either spelling, by CJK and without diacritics", async () => {
      expect(await search(index(), "c++")).toEqual(["cpp.example"]);
      expect(await search(index(), "nodejs")).toEqual(["node.example"]);
      expect(await search(index(), "京タワ")).toEqual(["tower.example"]);
      expect(await search(index(), "展望")).toEqual(["tower.example"]);
      expect(await search(index(), "cafe MULLER")).toEqual(["cafe.example"]);
      expect(await search(index(), "GRÖSSE")).toEqual(["cafe.example"]);
      expect(await search(index(), "ναοσ")).toEqual(["cafe.example"]);
    });

    it("always holds the site whose domain or whole name was asked for, stop words or not", async () => {
      expect(await search(index(), "", { exactName: "the who" })).toEqual(["who-two.example", "who.example"]);
      expect(await search(index(), "green tea", { exactDomain: "cpp.example", limit: 1 })).toEqual([
        "cpp.example",
      ]);
      const found = await index().candidates(asked("", { exactDomain: "cpp.example" }));
      expect([found.total, found.totalIsExact]).toEqual([1, true]);
    });

    it("puts sites with every term before sites with some", async () => {
      expect(await search(index(), "tea green")).toEqual(["both.example", "one.example"]);
      expect(await search(index(), "tea green", { limit: 1 })).toEqual(["both.example"]);
      expect(await search(index(), "tea unheardof")).toEqual(["both.example"]);
    });

    it("says whose each site is", async () => {
      const { candidates } = await index().candidates(asked("carousel"));
      expect(candidates.map(({ siteId, owner }) => [siteId, owner]).sort()).toEqual([
        ["my.turn.example", "turn.example"],
        ["turn.example", "turn.example"],
      ]);
    });

    it("keeps the names of candidates apart, whatever stands in them", async () => {
      const names = ["Vase \0 one", "Vase\r\ntwo\n", "\u2028Vase\u0085 three", "Vase \ud800 four", "Väse 🏺"];
      await index().apply(names.map((name, i) => put({ domain: `vase${i}.example`, name, text: "vase" })));
      const { candidates } = await index().candidates(asked("vase"));
      expect(candidates.map(({ siteId, owner, exactName }) => [siteId, owner, exactName]).sort()).toEqual(
        names.map((name, i) => [`vase${i}.example`, `vase${i}.example`, exactForm(name)]),
      );
      await index().apply(names.map((_, i) => remove(`vase${i}.example`, 2)));
    });

    it("counts all that match, not only those it gives", async () => {
      const found = await index().candidates(asked("green", { limit: 1 }));
      expect([found.candidates.length, found.total, found.totalIsExact]).toEqual([1, 2, true]);
    });

    const hostile = [
      "AND",
      'NEAR("a" "b", 5)',
      '"',
      '""" OR "',
      "name:green",
      "{name text}: green",
      "^green*",
      "/gr.*n/ (a|b)+$ [a-z]{3,}",
      "_exists_:text AND text:[* TO *] green~2^5 \\: gre?n && !tea",
      "the ".repeat(2_500),
      "🎉".repeat(5_000),
      "green -tea + -",
      "'; DROP TABLE sites; --",
      "\0green\0",
      "\ud800 \udfff",
      "\ufeff\u202e",
      "🎉👩‍👩‍👧‍👦",
      "the of and to",
      "",
      " \n\t",
      "_ __ __c __cother",
      "a".repeat(10_000),
      "green ".repeat(1_666),
      "東".repeat(10_000),
      Array.from({ length: 2_000 }, (_, i) => `w${i}`).join(" "),
    ];
    for (const text of hostile) {
      const shown = text.length > 40 ? `${text.slice(0, 20)}… of ${text.length} characters` : text;
      it(`answers the query ${JSON.stringify(shown)}`, async () => {
        const found = await index().candidates(asked(text, { exactDomain: text, exactName: text }));
        expect(found.documentFrequencies).toHaveLength(analyseQuery(text).length);
      });
    }

    it("takes terms as they are, whatever stands in them", async () => {
      const terms = ['"', "a b", "OR", "__cother", "x\0y", "*", "", "\ud800", "_", "é".repeat(5_000)];
      const document = documentOf({ domain: "raw.example" });
      await index().apply([
        { kind: "put", document: { ...document, terms: { ...document.terms, text: terms } } },
      ]);
      for (const term of terms) {
        const found = await index().candidates({ terms: [term], filter: {}, limit: 10 });
        expect(found.candidates.map((candidate) => candidate.siteId)).toEqual(
          term === "" ? [] : ["raw.example"],
        );
      }
      await index().apply([remove("raw.example", 2)]);
    });
  });
};

const turns = (open: Open): void => {
  describe("turns", () => {
    const step = ROTATION_BUCKETS / 8;
    const index = indexOf(
      open,
      Array.from({ length: 8 }, (_, i) => ({
        domain: `turn${i}.example`,
        name: "Ride",
        text: i < 2 ? "carousel carousel" : "carousel",
        category: "fair",
        rotationBucket: i * step,
        lat: 47,
        lon: 11,
      })),
    );
    const broad = (more: Partial<CandidateQuery> = {}) =>
      index().candidates(asked("carousel", { limit: 4, epoch: 0, ...more }));
    const names = (found: { siteId: string }[] = []) => found.map(({ siteId }) => siteId).sort();

    it("share the places of a broad search: half are the best's, half theirs whose hour it is", async () => {
      const seen: string[] = [];
      for (const filter of [{}, { category: "fair" }])
        for (let epoch = 0; epoch < 4; epoch++) {
          const { candidates, inTurn, total } = await broad({ epoch, filter });
          expect(names(candidates)).toEqual(["turn0.example", "turn1.example"]);
          expect(names(inTurn)).toEqual([`turn${2 * epoch}.example`, `turn${2 * epoch + 1}.example`]);
          expect(inTurn?.[0]).toMatchObject({ ring: 3, lengths: { text: epoch === 0 ? 2 : 1 } });
          expect(total).toBe(8);
          seen.push(...names(inTurn));
        }
      expect(new Set(seen).size).toBe(8);
    });

    it("decide over nothing where all have places, where nearness narrows, or where no hour is given", async () => {
      const near = { latitude: 47, longitude: 11, radiusKm: 10 };
      for (const more of [{ limit: 8 }, { filter: { near } }]) {
        const { candidates, inTurn } = await broad(more);
        expect(inTurn).toBeUndefined();
        expect(candidates).toHaveLength(more.limit ?? 4);
      }
      const timeless = await index().candidates(asked("carousel", { limit: 4 }));
      expect([timeless.inTurn, timeless.candidates.length]).toEqual([undefined, 4]);
    });

    it("come beside a site that was asked for by name", async () => {
      const { candidates, inTurn } = await broad({ exactDomain: "turn7.example" });
      expect(candidates[0]?.siteId).toBe("turn7.example");
      expect([candidates.length, inTurn?.length]).toEqual([2, 2]);
    });
  });
};

const counting = (open: Open): void => {
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
};

const paging = (open: Open): void => {
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
        const page = await index().list({ filter: { category: "even" }, after, offset: 0, limit: 7 });
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
      const page = (offset: number) => index().list({ filter: {}, offset, limit: 15 });
      const pages = await Promise.all([page(0), page(15), page(30), page(45)]);
      expect(pages.map((found) => found.listings.length)).toEqual([15, 15, 10, 0]);
      expect(new Set(pages.flatMap((found) => found.listings.map((listing) => listing.siteId))).size).toBe(
        40,
      );
      expect(pages.map((found) => found.total)).toEqual([40, 40, 40, 40]);
    });

    it("gives an empty page for no sites at all", async () => {
      expect(await index().list({ filter: {}, offset: 0, limit: 0 })).toMatchObject({
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

const extras = (open: Open): void => {
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

    it("knows the terms that a half-typed or mistyped one may stand for", async () => {
      const similar = (term: string, limit = 10) => index().similarTerms({ term, limit });
      expect(await similar("kind")).toEqual(["kinder", "kindergarten"]);
      expect(await similar("kind", 1)).toEqual(["kinder"]);
      for (const wrong of ["kidner", "kindr", "kinde", "kinderr", "inder", "xinder", "iknder", "kindex"])
        expect(await similar(wrong), wrong).toContain("kinder");
      for (const far of ["kndr", "kidenr", "k", "", "ter", "\ud800", "_", "%", "*", "KINDER"])
        expect(await similar(far), far).not.toContain("kinder");
      expect(await similar("kinder")).toEqual(["kindergarten"]);
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
};

const together = (open: Open): void => {
  describe("at the same time", () => {
    it("answers readers while it writes, every answer from one moment", async () => {
      const index = await open();
      await index.apply([put({ domain: "s0.example", text: "moment" })]);
      let writing = true;
      const write = async () => {
        // Each batch adds ten: a reader that sees part of one would see another number.
        for (let batch = 1; batch <= 20; batch++)
          await index.apply(
            Array.from({ length: 10 }, (_, i) => put({ domain: `s${batch}-${i}.example`, text: "moment" })),
          );
        writing = false;
      };
      const read = async () => {
        while (writing) {
          const set = await index.candidates(asked("moment", { limit: 500 }));
          expect(set.total % 10).toBe(1);
          expect(set.candidates).toHaveLength(set.total);
          expect(set.documentFrequencies).toEqual([set.documents]);
        }
      };
      await Promise.all([write(), read(), read(), read()]);
      expect((await index.stats()).documents).toBe(201);
      await index.close();
    });

    it("finishes what waits when it is closed, and refuses afterwards", async () => {
      const index = await open();
      const written = index.apply([put({ domain: "last.example" })]);
      const [, again] = await Promise.all([index.close(), index.close(), written]);
      expect(again).toBeUndefined();
      await expect(index.get("last.example")).rejects.toThrow("closed");
    });
  });
};

const meaning = (open: Open): void => {
  describe("meaning", () => {
    const index = indexOf(open, [
      { domain: "east.example", text: "sunrise", vector: [100, 0, 1], category: "sky" },
      { domain: "north-east.example", text: "morning", vector: [70, 70, 0], category: "sky" },
      { domain: "north.example", text: "polar", vector: [0, 100, 0] },
      { domain: "west.example", text: "sunset", vector: [-100, 0, 0] },
      { domain: "nowhere.example", text: "sunrise" },
      { domain: "part.example", text: "dawn", vector: [100, 0, 0], status: "partial" },
      { domain: "zero.example", text: "nothing", vector: [0] },
    ]);
    const near = async (first: number[], text = "", more: Partial<CandidateQuery> = {}) =>
      (await index().candidates(asked(text, { vector: vectorOf(first), ...more }))).candidates.map(
        ({ siteId, similarity }): [string, number | undefined] => [
          siteId,
          similarity === undefined ? undefined : Math.round(similarity * 100) / 100,
        ],
      );

    it("finds what is near without a word of it, the nearest first, and nothing that is far", async () => {
      expect(await near([50])).toEqual([
        ["east.example", 1],
        ["north-east.example", 0.71],
      ]);
    });

    it("adds what is near to what has the words, and says of both how near they are", async () => {
      const found = await near([0, 50], "sunrise");
      expect(found.slice(0, 2).sort()).toEqual([
        ["east.example", 0],
        ["nowhere.example", undefined],
      ]);
      expect(found.slice(2)).toEqual([
        ["north.example", 1],
        ["north-east.example", 0.71],
      ]);
    });

    it("counts as matches only what has the words", async () => {
      const found = await index().candidates(asked("sunrise", { vector: vectorOf([50]), limit: 1 }));
      expect([found.total, found.totalIsExact]).toEqual([2, true]);
      expect(found.candidates.length).toBeGreaterThan(1);
    });

    it("holds what is near to the filter", async () => {
      expect(await near([0, 9], "", { filter: { category: "sky" } })).toEqual([["north-east.example", 0.71]]);
      expect(await near([9], "", { filter: { status: "partial" } })).toEqual([["part.example", 1]]);
    });

    it("says nothing of nearness to a query that means nothing, or that was not embedded", async () => {
      expect((await near([0], "polar")).map(([siteId]) => siteId)).toEqual(["north.example"]);
      const { candidates } = await index().candidates(asked("polar"));
      expect(candidates.map(({ similarity }) => similarity)).toEqual([undefined]);
    });

    it("follows a site whose meaning changes, is lost, or that is removed", async () => {
      const moving = { domain: "moving.example", text: "moving" };
      const seen = async () => (await near([0, 0, 50])).map(([siteId]) => siteId);
      await index().apply([put({ ...moving, vector: [0, 0, 100] })]);
      expect(await seen()).toEqual(["moving.example"]);
      await index().apply([put({ ...moving, vector: [0, 0, -100], revision: 2 })]);
      expect(await seen()).toEqual([]);
      await index().apply([put({ ...moving, vector: [0, 0, 100], revision: 3 })]);
      expect(await seen()).toEqual(["moving.example"]);
      await index().apply([put({ ...moving, revision: 4 })]);
      expect(await seen()).toEqual([]);
      await index().apply([
        put({ ...moving, vector: [0, 0, 100], revision: 5 }),
        remove("moving.example", 6),
      ]);
      expect(await seen()).toEqual([]);
    });

    it("finds the very nearest of many, as comparing with each of them does", async () => {
      const many = await open();
      const random = randomFrom("meaning").next;
      const direction = () => Array.from({ length: 256 }, () => Math.round((random() + random() - 1) * 100));
      const topics = Array.from({ length: 20 }, direction);
      const sites = Array.from({ length: 1_500 }, (_, i) => ({
        domain: `s${i}.example`,
        vector: topics[i % topics.length]!.map((x) =>
          Math.max(-128, Math.min(127, x + (random() - 0.5) * 150)),
        ),
      }));
      await many.apply(sites.map(put));
      for (const topic of topics.slice(0, 5)) {
        const vector = vectorOf(topic);
        const expected = sites
          .map((site) => ({ siteId: site.domain, similarity: cosine(vectorOf(site.vector), vector) }))
          .sort((a, b) => b.similarity - a.similarity)
          .slice(0, 20);
        const { candidates } = await many.candidates({ terms: [], filter: {}, limit: 300, vector });
        const found = candidates.slice(0, 20).map(({ siteId }) => siteId);
        const missed = expected.filter(({ siteId }) => !found.includes(siteId));
        expect(missed.length).toBeLessThanOrEqual(1);
      }
      await many.close();
    });
  });
};

/** Runs the suite against one implementation; `open` gives a fresh, empty index each time. */
export const siteIndexSuite = (name: string, open: Open): void => {
  describe(name, () => {
    revisions(open);
    filters(open);
    finding(open);
    turns(open);
    counting(open);
    paging(open);
    extras(open);
    meaning(open);
    together(open);
  });
};
