import { createHash } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openSqliteIndex } from "../../../src/adapters/sqlite/site-index.ts";
import type { SiteIndex } from "../../../src/ports/index.ts";
import { HOUR_MS } from "../../../src/ports/time.ts";
import { put, remove, type SiteSketch } from "../../ports/index-document.ts";
import { ask as askOf, NOW, type Operation } from "./ask.ts";

const SITES: SiteSketch[] = [
  {
    domain: "tea.example",
    name: "Tea House",
    description: "Green & black tea",
    text: "Welcome to the Tea House",
    category: "food",
    tags: ["buy"],
    country: "at",
    city: "wien",
    lat: 48.2,
    lon: 16.37,
    ring: 4,
  },
  {
    domain: "teapots.example",
    name: "Pots",
    description: "for tea",
    category: "shop",
    tags: ["buy"],
    country: "at",
    ring: 3,
    neutrality: 62,
  },
  { domain: "sonne.example", name: "Kindergarten Sonne", category: "school", country: "de", ring: 3 },
  { domain: "rooms.example", name: "Restaurants of the town", category: "food", tags: ["ask"], ring: 3 },
  { domain: "gone.example", name: "Tea that ran out", category: "food", ring: 3, expiresAt: NOW - 1 },
  { domain: "part.example", name: "Tea, unsigned", category: "food", ring: 1, status: "partial" },
];

describe("search and directory", () => {
  const folder = mkdtempSync(join(tmpdir(), "bridge-search-"));
  let index: SiteIndex;
  beforeAll(async () => {
    index = await openSqliteIndex(join(folder, "index.db"), { readers: 1 });
    await index.apply(
      SITES.map((site, i) => put({ expiresAt: NOW + 1_000, ...site, changedAt: NOW - 1_000 + i })),
    );
  });
  afterAll(async () => {
    await index.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const ask = (operation: Operation, query: Record<string, string>) => askOf(index, operation, query);
  const found = async (query: Record<string, string>): Promise<string[]> =>
    (await ask("searchSites", query)).results.map(({ siteId }: { siteId: string }) => siteId.split(".")[0]);
  const listed = async (query: Record<string, string>): Promise<string[]> =>
    (await ask("listDirectory", query)).listings.map(
      ({ siteId }: { siteId: string }) => siteId.split(".")[0],
    );

  it("finds by the words given alone, and not by longer ones that begin with them", async () => {
    expect(await found({ q: "tea" })).toEqual(["tea", "teapots"]);
    expect(await found({ q: "kinder" })).toEqual([]);
    expect((await askOf(index, "searchSites", { q: "team" }, { isWord: () => true })).results).toEqual([]);
  });

  it.each([
    ["kindergraten", "kindergarten"],
    ["kindrgarten", "kindergarten"],
    ["kindergartenn", "kindergarten"],
    ["indergarten", "kindergarten"],
    ["restaurnt", "restaurants"],
  ])("finds what %j was to be, and asks whether it was", async (typed, meant) => {
    const reply = await ask("searchSites", { q: `a ${typed}` });
    expect(reply.results.map(({ siteId }: { siteId: string }) => siteId)).toEqual([
      typed.includes("rest") ? "rooms.example" : "sonne.example",
    ]);
    expect(reply.did_you_mean).toBe(`a ${meant}`);
    expect(await found({ q: typed, as_typed: "true" })).toEqual([]);
  });

  it("mends no word that a site has, nor one of a language, and ranks what was typed above", async () => {
    const isWord = (word: string) => word === "team";
    expect(await askOf(index, "searchSites", { q: "team" }, { isWord })).not.toHaveProperty("did_you_mean");
    expect(await ask("searchSites", { q: "kindergarten" })).not.toHaveProperty("also_searched");
    const reply = await ask("searchSites", { q: "tea kindergraten" });
    expect(reply.did_you_mean).toBe("tea kindergarten");
    expect(reply.also_searched).toEqual(["kindergarten"]);
  });

  it("finds nothing by words that say nothing, in the language of the query", async () => {
    for (const q of ["get me one", "wo gibt es das", "the of and to"])
      expect(await found({ q }), q).toEqual([]);
    expect(await found({ q: "where can I get some tea" })).toEqual(await found({ q: "tea" }));
  });

  it("narrows searches and listings alike", async () => {
    const cases: [Record<string, string>, string[]][] = [
      [{ category: "FOOD" }, ["tea"]],
      [{ intent: "Buy" }, ["tea", "teapots"]],
      [{ location: "Wien" }, ["tea"]],
      [{ location: "48.2,16.4,20" }, ["tea"]],
      [{ trust_ring: "4" }, ["tea"]],
      [{ min_neutrality: "62" }, ["teapots"]],
      [{ min_neutrality: "62.1" }, []],
      [{ status: "partial" }, ["part"]],
      [{ status: "stale" }, []],
      [{ intent: "buy", location: "at", trust_ring: "3", category: "shop" }, ["teapots"]],
    ];
    for (const [query, sites] of cases) {
      expect(await found({ q: "tea", ...query }), JSON.stringify(query)).toEqual(sites);
      expect(await listed(query), JSON.stringify(query)).toEqual(expect.arrayContaining(sites));
    }
    expect(await listed({ location: "at" })).toEqual(["tea", "teapots"]);
    const directory = await ask("searchDirectory", { q: "tea", min_neutrality: "50.1" });
    expect([directory.total, directory.results[0].neutrality_score]).toEqual([1, 62]);
    const { peers } = await ask("discoverSites", { min_neutrality: "50.1" });
    expect(peers.map(({ domain }: { domain: string }) => domain)).toEqual(["teapots.example"]);
    expect(await ask("searchSites", { q: "tea", min_neutrality: "101" })).toBe("invalid_request");
    for (const operation of ["searchSites", "listDirectory", "discoverSites"] as const)
      expect(await ask(operation, { q: "tea", location: "91,0,5" })).toBe("invalid_request");
  });

  it("counts what was found by the facets asked for", async () => {
    const { facets } = await ask("searchSites", { q: "tea", facets: "category,location,ring" });
    expect(facets).toEqual({
      category: [
        { value: "food", count: 1 },
        { value: "shop", count: 1 },
      ],
      location: [
        { value: "at", count: 2 },
        { value: "wien", count: 1 },
      ],
      ring: [
        { value: "3", count: 1 },
        { value: "4", count: 1 },
      ],
      counted: 2,
      is_exact: true,
    });
    const all = await ask("listDirectory", { facets: "intent", limit: "1" });
    expect(all.facets).toMatchObject({
      intent: [
        { value: "buy", count: 2 },
        { value: "ask", count: 1 },
      ],
      counted: 4,
    });
    expect(await ask("searchSites", { q: "tea", facets: "owner" })).toBe("invalid_request");
    expect(await ask("searchSites", { q: "the", facets: "ring" })).not.toHaveProperty("facets");
  });

  it("shows where the words stand, escaped, when asked to", async () => {
    const { results } = await ask("searchDirectory", { q: "tea", highlight: "true" });
    expect(results[0].highlight).toEqual({
      name: "<mark>Tea</mark> House",
      description: "Green &amp; black <mark>tea</mark>",
    });
    const [first] = (await ask("searchSites", { q: "kindergraten", highlight: "true" })).results;
    expect(first.highlight).toEqual({ name: "<mark>Kindergarten</mark> Sonne", description: null });
    expect((await ask("searchSites", { q: "tea" })).results[0]).not.toHaveProperty("highlight");
  });

  it("explains each result by the factors that its place follows from", async () => {
    const { results } = await ask("searchSites", { q: "green tea", explain: "true", as_typed: "true" });
    for (const { explain } of results) {
      const { match, text, trust, fairness, rotation, score } = explain;
      expect(match).toBe("terms");
      expect(fairness).toBe(1);
      expect(score).toBeCloseTo(text * trust * fairness * rotation, 12);
    }
    expect(results[0].explain).toMatchObject({
      trust: 1,
      evidence: [
        { signal: "text", reason: "words_in_name", terms: ["tea"] },
        { signal: "text", reason: "words_in_domain", terms: ["tea"] },
        { signal: "text", reason: "words_in_description", terms: ["green", "tea"] },
        { signal: "text", reason: "words_in_text", terms: ["tea"] },
        { signal: "trust", reason: "ring", value: 4 },
      ],
    });
    const tagged = await ask("searchDirectory", { q: "buy", explain: "true" });
    expect(tagged.results[0].explain.evidence[0]).toMatchObject({ reason: "words_in_tags_unconfirmed" });
    const named = await ask("searchSites", { q: "Tea House", explain: "true" });
    expect(named.results[0].explain.match).toBe("name");
    const asked = await ask("searchSites", { q: "teapots.example", explain: "true" });
    expect(asked.results[0].explain.match).toBe("domain");
    expect((await ask("searchSites", { q: "tea" })).results[0]).not.toHaveProperty("explain");
  });

  it("says how relevant each result is, and leaves out what is less than asked for", async () => {
    const relevances = async (query: Record<string, string>) => {
      const { results } = await ask("searchSites", query);
      return Object.fromEntries(
        results.map((result: any) => [result.siteId.split(".")[0], result.relevance]),
      );
    };
    const { tea, teapots } = await relevances({ q: "green tea", min_relevance: "0" });
    expect(tea).toBe(1);
    expect(teapots).toBeLessThan(0.4);
    expect(await relevances({ q: "green tea" })).toEqual({ tea });
    expect(await relevances({ q: "green tea", min_relevance: "0.9" })).toEqual({ tea: 1 });
    expect(await relevances({ q: "green tea", min_relevance: String(teapots) })).toEqual({ tea, teapots });
    const reply = await ask("searchDirectory", { q: "green tea", min_relevance: "0.9", explain: "true" });
    expect(reply).toMatchObject({ total: 1, total_is_exact: true, next_cursor: null });
    expect(reply.results[0]).toMatchObject({ relevance: 1, explain: { relevance: 1 } });
    expect(await relevances({ q: "sonne.example" })).toEqual({ sonne: 1 });
    expect(await ask("searchSites", { q: "tea", min_relevance: "1.1" })).toBe("invalid_request");
  });

  it("looks up one domain, however it is written", async () => {
    expect(await listed({ domain: "TEA.example." })).toEqual(["tea"]);
    expect(await listed({ domain: "gone.example" })).toEqual([]);
    expect(await listed({ domain: "part.example" })).toEqual([]);
    expect(await listed({ domain: "part.example", status: "partial" })).toEqual(["part"]);
    expect(await ask("listDirectory", { domain: "not a domain" })).toBe("invalid_domain");
  });

  it("keeps a cursor to the listing it was made for", async () => {
    const first = await ask("listDirectory", { location: "at", limit: "1" });
    expect(await listed({ location: "at", limit: "1", cursor: first.next_cursor })).toEqual(["teapots"]);
    expect(await ask("listDirectory", { limit: "1", cursor: first.next_cursor })).toBe("invalid_cursor");
    const since = new Date(0).toISOString();
    expect(await ask("listDirectory", { updated_since: since, cursor: first.next_cursor })).toBe(
      "invalid_cursor",
    );
  });

  it("brings a copy up to date, page by page, with what is no longer listed", async () => {
    const copy = new Set<string>();
    const pull = async (since: string): Promise<string> => {
      let cursor: string | null = null;
      for (;;) {
        const page: any = await ask("listDirectory", {
          updated_since: since,
          limit: "2",
          ...(cursor && { cursor }),
        });
        for (const { domain } of page.listings) copy.add(domain);
        for (const { domain } of page.removed) copy.delete(domain);
        cursor = page.next_cursor;
        if (cursor === null) return page.updated_until;
      }
    };
    let until = await pull(new Date(0).toISOString());
    expect(copy.size).toBe(5);
    expect(copy).not.toContain("part.example");
    expect(Date.parse(until)).toBe(NOW - 1_000 + 5);
    await index.apply([
      put({ domain: "new.example", changedAt: NOW, revision: 9 }),
      put({ domain: "new2.example", status: "stale", changedAt: NOW + 1, revision: 9 }),
      remove("rooms.example", 9, NOW + 2),
    ]);
    until = await pull(until);
    expect(copy).toContain("new.example");
    expect(copy).not.toContain("rooms.example");
    expect(Date.parse(until)).toBe(NOW + 2);
    expect(await pull(until)).toBe(until);
    for (const more of [{ category: "food" }, { min_neutrality: "1" }] as Record<string, string>[])
      expect(await ask("listDirectory", { updated_since: until, ...more })).toBe("invalid_request");
    expect(await ask("listDirectory", { updated_since: "yesterday" })).toBe("invalid_request");
  });

  it.each([
    ["stop words alone", "the of and to"],
    ["10,000 characters of one word", "a".repeat(10_000)],
    [
      "10,000 characters of many words",
      Array.from({ length: 2_500 }, (_, i) => `w${i}`)
        .join(" ")
        .slice(0, 10_000),
    ],
    ["10,000 ideographs", "東京".repeat(5_000)],
    ["a regular expression", "/(a+)+$/ [^]* \\d{1,9999}"],
    ["Lucene syntax", 'name:tea~2 AND "green tea"^4 OR -(*:*) {! ["a" TO *]'],
    ["emoji", "🎉👩‍👩‍👧‍👦🏳️‍🌈"],
    ["SQL", "'; DROP TABLE sites; --"],
  ])("answers %s at once", async (_what, q) => {
    const started = performance.now();
    const reply = await ask("searchDirectory", { q, highlight: "true", facets: "category" });
    expect(reply.results).toBeInstanceOf(Array);
    expect(performance.now() - started).toBeLessThan(1_000);
  });

  it("refuses lone surrogates and what is too long", async () => {
    expect(await ask("searchSites", { q: "\ud800" })).toBe("invalid_request");
    expect(await ask("searchSites", { q: "a".repeat(10_001) })).toBe("invalid_request");
  });
});

describe("pages of a search", () => {
  const folder = mkdtempSync(join(tmpdir(), "bridge-search-pages-"));
  /** Sample keys as an indexer would draw them. */
  const keyOf = (domain: string) => createHash("sha256").update(domain).digest().readUInt32BE(0);
  const names = Array.from({ length: 60 }, (_, i) => `s${i}.example`);
  let index: SiteIndex;
  const open = async (name: string): Promise<SiteIndex> => {
    const opened = await openSqliteIndex(join(folder, name), { readers: 1 });
    await opened.apply(
      names.map((domain) =>
        put({ domain, description: "tea", expiresAt: NOW + 100 * HOUR_MS, sampleKey: keyOf(domain) }),
      ),
    );
    return opened;
  };
  beforeAll(async () => {
    index = await open("index.db");
  });
  afterAll(async () => {
    await index.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const ask = async (query: Record<string, string>, now = NOW, asked = index, secret = "secret") => {
    const reply = await askOf(
      asked,
      "searchSites",
      { q: "tea", limit: "25", ...query },
      { now: () => now, secret },
    );
    if (typeof reply === "string") return { code: reply, sites: [], next: "" };
    const sites: string[] = reply.results.map(({ siteId }: { siteId: string }) => siteId);
    return { code: undefined, sites, next: reply.next_cursor };
  };

  it("hold every site once, in the order of the hour in which the first page was asked for", async () => {
    const first = await ask({});
    const second = await ask({ cursor: first.next }, NOW + HOUR_MS - 1);
    const third = await ask({ cursor: second.next }, NOW + 2 * HOUR_MS - 2);
    expect(third.next).toBeNull();
    expect([...first.sites, ...second.sites, ...third.sites].sort()).toEqual([...names].sort());
    const byOffset = await ask({ offset: "25" });
    expect(byOffset.sites).toEqual(second.sites);
    expect((await ask({}, NOW + HOUR_MS)).sites).not.toEqual(first.sites);
    expect((await ask({ offset: "1000" })).sites).toEqual([]);
  });

  // All of one owner's turn, which leaves places over, and of all turns.
  it.each([1, 128])(
    "give as many sites as the total says, each once, though hundreds of %d turns match",
    async (turns) => {
      const many = Array.from({ length: 400 }, (_, i) => `many${i}.turns${turns}.example`);
      const sketch = { description: `coffee${turns}`, expiresAt: NOW + HOUR_MS };
      await index.apply(many.map((domain, i) => put({ ...sketch, domain, rotationBucket: i % turns })));
      const q = `coffee${turns}`;
      for (const operation of ["searchSites", "searchDirectory"] as const) {
        const sites: string[] = [];
        for (let cursor: string | null | undefined; cursor !== null; ) {
          const page = await askOf(index, operation, { q, limit: "100", ...(cursor && { cursor }) });
          expect(page.offset).toBe(sites.length);
          sites.push(...page.results.map(({ siteId }: { siteId: string }) => siteId));
          expect(page.total_is_exact).toBe(false);
          cursor = page.next_cursor;
          if (cursor === null) expect(page.total).toBe(sites.length);
        }
        expect(new Set(sites).size).toBe(sites.length);
        expect(sites.length).toBeGreaterThan(100);
        expect((await askOf(index, operation, { q, limit: "1" })).total).toBe(sites.length);
        const last = await askOf(index, operation, { q, offset: String(sites.length - 1) });
        expect([last.results.length, last.next_cursor]).toEqual([1, null]);
        const beyond = await askOf(index, operation, { q, offset: "1000" });
        expect([beyond.results, beyond.total, beyond.offset]).toEqual([[], sites.length, 1_000]);
      }
      await index.apply(many.map((domain) => remove(domain, 2)));
    },
  );

  it("hold every site once, whatever arrives and goes between them", async () => {
    const text = "cocoa ".repeat(3);
    const own = Array.from({ length: 40 }, (_, i) => `old${i}.example`);
    const arrive = (domain: string, text: string) => put({ domain, text, expiresAt: NOW + HOUR_MS });
    await index.apply(own.map((domain) => arrive(domain, text)));
    const seen: string[] = [];
    const arrived: string[] = [];
    let total = 0;
    for (let cursor: string | null | undefined, page = 0; cursor !== null; page++) {
      const reply = await askOf(index, "searchSites", { q: "cocoa", limit: "7", ...(cursor && { cursor }) });
      seen.push(...reply.results.map(({ siteId }: { siteId: string }) => siteId));
      ({ next_cursor: cursor, total } = reply);
      if (cursor === null) break;
      // Of three that arrive one is better than all others, one as good, and one worse; a site that was shown goes.
      const better = [`best${page}.example`, `same${page}.example`, `least${page}.example`];
      const texts = ["cocoa ".repeat(9), text, `cocoa ${"water ".repeat(400)}`];
      if (page < 4) arrived.push(...better);
      if (page < 4) await index.apply(better.map((domain, i) => arrive(domain, texts[i]!)));
      await index.apply([remove(seen[page]!, 2)]);
    }
    expect(new Set(seen).size).toBe(seen.length);
    expect([...seen].sort()).toEqual([...own, ...arrived].sort());
    expect(total).toBe(seen.length);
    await index.apply(seen.map((domain) => remove(domain, 3)));
  });

  it("refuse a cursor that ran out, is of another search, registry or index, or was changed", async () => {
    const { next } = await ask({});
    const code = async (...asked: Parameters<typeof ask>) => (await ask(...asked)).code;
    expect(await code({ cursor: next })).toBeUndefined();
    expect(await code({ cursor: next }, NOW + HOUR_MS)).toBe("invalid_cursor");
    expect(await code({ cursor: next, q: "tea house" })).toBe("invalid_cursor");
    expect(await code({ cursor: next, category: "food" })).toBe("invalid_cursor");
    expect(await code({ cursor: next, as_typed: "true" })).toBe("invalid_cursor");
    expect(await code({ cursor: next }, NOW, index, "another")).toBe("invalid_cursor");
    expect(await code({ cursor: `x${next}` })).toBe("invalid_cursor");
    expect(await code({ cursor: `${next}x` })).toBe("invalid_cursor");
    const rebuilt = await open("rebuilt.db");
    expect(await code({ cursor: next }, NOW, rebuilt)).toBe("invalid_cursor");
    await rebuilt.close();
  });

  it("are in turn for the directory and for discovery, too: no name comes first for its letters", async () => {
    for (const [operation, member] of [
      ["listDirectory", "listings"],
      ["discoverSites", "peers"],
    ] as const) {
      const firsts = new Map<string, number>();
      for (let hour = 0; hour < 60; hour++) {
        const now = () => NOW + hour * HOUR_MS;
        const [first] = (await askOf(index, operation, { limit: "5" }, { now }))[member];
        firsts.set(first.domain, (firsts.get(first.domain) ?? 0) + 1);
      }
      expect(firsts.size, operation).toBeGreaterThan(50);
      expect(Math.max(...firsts.values()), operation).toBeLessThanOrEqual(2);
    }
  });

  it("of the directory hold every site once, by offset within an hour and by cursor beyond it", async () => {
    const page = async (query: Record<string, string>, hour = 0) =>
      askOf(index, "listDirectory", { limit: "25", ...query }, { now: () => NOW + hour * HOUR_MS });
    const domains = ({ listings }: { listings: { domain: string }[] }) =>
      listings.map(({ domain }) => domain);
    const first = await page({});
    const second = await page({ cursor: first.next_cursor }, 1);
    const third = await page({ cursor: second.next_cursor }, 5);
    expect(third.next_cursor).toBeNull();
    const all = [first, second, third].flatMap(domains);
    expect([...all].sort()).toEqual([...names].sort());
    expect(all).not.toEqual(all.toSorted());
    expect([...domains(await page({ offset: "0" })), ...domains(await page({ offset: "25" }))]).toEqual(
      all.slice(0, 50),
    );
    expect(domains(await page({}, 1))).not.toEqual(domains(first));
    expect(await page({ cursor: first.next_cursor }, 25)).toBe("invalid_cursor");
  });
});
