import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openSqliteIndex } from "../../../src/adapters/sqlite/site-index.ts";
import type { RankQuery } from "../../../src/domain/search/query-words.ts";
import { type DirectionsBy, fitting, type RankedSite, ranker } from "../../../src/domain/search/ranking.ts";
import { analyzeQuery, analyzeText, exactForm, readTerms } from "../../../src/domain/search/text-analysis.ts";
import { type Rotation, rotationOf } from "../../../src/domain/trust/rotation.ts";
import { type Candidate, type CandidateSet, INDEX_FIELDS, type SiteIndex } from "../../../src/ports/index.ts";
import { documentOf, put, type SiteSketch } from "../../ports/index-document.ts";
import { dataFile } from "../../support/data.ts";

/** Nobody's turn. */
const still: Rotation = { position: () => 0.5, tie: () => 0 };
const rank = (set: CandidateSet, query: RankQuery, rotation = still): RankedSite[] =>
  ranker(set, query, rotation)(set.candidates);

/** A candidate set as an engine would give it, counted by hand. */
function setOf(sites: SiteSketch[], terms: string[], documents = 1_000): CandidateSet {
  const candidates = sites.map((site): Candidate => {
    const { siteId, registrableDomain: owner, listing, gravity, exactName, terms: own } = documentOf(site);
    const counts = {} as Candidate["counts"];
    const lengths = {} as Candidate["lengths"];
    for (const field of INDEX_FIELDS) {
      counts[field] = terms.map((term) => own[field].filter((found) => found === term).length);
      lengths[field] = own[field].length;
    }
    const { trust_ring: ring, fairness_boost: fairnessBoost } = listing;
    return { siteId, owner, ring, fairnessBoost, gravity, exactName, counts, lengths };
  });
  return {
    candidates,
    total: sites.length,
    totalIsExact: true,
    documents,
    meanLengths: { name: 2, domain: 2, tags: 2, description: 10, text: 100 },
    documentFrequencies: terms.map(() => 10),
  };
}

function order(sites: SiteSketch[], query: string, exactDomain?: string): string[] {
  const terms = analyzeQuery(query);
  return rank(setOf(sites, terms), {
    terms,
    exactName: exactForm(query),
    ...(exactDomain && { exactDomain }),
  }).map(({ siteId }) => siteId);
}

describe("ranking", () => {
  it("puts the domain asked for first, then the whole name, then the rest by relevance", () => {
    const sites: SiteSketch[] = [
      { domain: "text.example", name: "Other", text: "green tea ".repeat(50), description: "green tea" },
      { domain: "words.example", name: "The House of Tea" },
      { domain: "whole.example", name: "Green Tea", text: "green tea green tea" },
      { domain: "green-tea.example", name: "Leaves" },
    ];
    expect(order(sites, "green tea", "green-tea.example")).toEqual([
      "green-tea.example",
      "whole.example",
      "text.example",
      "words.example",
    ]);
  });

  it("gains nothing from saying a word twice in what owners write", () => {
    const terms = ["tea"];
    const [once, twice] = ["tea", "tea tea tea"].map((description) =>
      rank(setOf([{ domain: "a.example", description }], terms), { terms }),
    );
    expect(twice![0]!.score).toBe(once![0]!.score);
  });

  it("counts a tag in full only when the site's pages bear it out", () => {
    const sites: SiteSketch[] = [
      { domain: "claims.example", tags: ["tea"], text: "cars" },
      { domain: "shows.example", tags: ["tea"], text: "tea" },
    ];
    const terms = ["tea"];
    const [first, second] = rank(setOf(sites, terms), { terms });
    expect(first!.siteId).toBe("shows.example");
    expect(first!.score).toBeGreaterThan(2 * second!.score);
  });

  it("prefers the rare word over the common one", () => {
    const terms = ["common", "rare"];
    const set = setOf(
      [
        { domain: "a.example", text: "common" },
        { domain: "b.example", text: "rare" },
      ],
      terms,
    );
    const ranked = rank({ ...set, documentFrequencies: [900, 2] }, { terms });
    expect(ranked.map(({ siteId }) => siteId)).toEqual(["b.example", "a.example"]);
  });

  it("clips the repeats of a word in the crawled text", () => {
    const terms = ["tea"];
    const score = (repeats: number) => {
      const text = `${"tea ".repeat(repeats)}${"word ".repeat(1_000 - repeats)}`;
      return rank(setOf([{ domain: "a.example", text }], terms), { terms })[0]!.score;
    };
    expect(score(2)).toBeGreaterThan(score(1));
    expect(score(500)).toBe(score(20));
  });

  it("multiplies by trust and fairness, and says so", () => {
    const sites: SiteSketch[] = [
      { domain: "a.example", text: "tea", ring: 1 },
      { domain: "b.example", text: "tea", ring: 3 },
      { domain: "c.example", text: "tea", ring: 3, fairnessBoost: 1.04 },
    ];
    const terms = ["tea"];
    const ranked = rank(setOf(sites, terms), { terms });
    expect(ranked.map(({ siteId }) => siteId)).toEqual(["c.example", "b.example", "a.example"]);
    for (const { score, explain } of ranked)
      expect(score).toBeCloseTo(explain.text * explain.trust * explain.fairness, 12);
    expect(ranked[0]!.explain).toMatchObject({
      ...{ match: "terms", trust: expect.closeTo(0.99, 3), fairness: expect.closeTo(1.04, 2), rotation: 1 },
    });
  });

  it("lets conduct weigh more than chance, and puts what is critical behind all others that fit", () => {
    const sites: SiteSketch[] = [
      { domain: "critical.example", name: "Tea", tags: ["tea"], text: "tea tea tea", gravity: "critical" },
      { domain: "poor.example", text: "tea", gravity: "poor" },
      { domain: "low.example", text: "tea", fairnessBoost: 0.98 },
      { domain: "fair.example", text: "tea" },
      { domain: "other.example", text: "leaf" },
    ];
    const terms = ["tea", "leaf"];
    for (let epoch = 0; epoch < 28; epoch++)
      expect(
        rank(setOf(sites, terms), { terms }, rotationOf("secret", "tea", epoch))
          .map(({ siteId }) => siteId)
          .filter((siteId) => siteId !== "other.example"),
      ).toEqual(["fair.example", "low.example", "poor.example", "critical.example"]);
    expect(order(sites, "critical.example", "critical.example")[0]).toBe("critical.example");
  });

  it("takes a word that most pages say for none, but where sites declare it", () => {
    const set = (documents: number) => ({
      ...setOf(
        [
          { domain: "filing.example", description: "tax filing", text: "tax included" },
          { domain: "hotel.example", text: "tax included tax" },
        ],
        ["tax"],
        documents,
      ),
      documentFrequencies: [Math.min(documents, 460)],
    });
    const relevances = (documents: number) =>
      rank(set(documents), { terms: ["tax"] }).map(({ siteId, explain }) => [siteId, explain.relevance]);
    expect(relevances(460)).toEqual([
      ["filing.example", 1],
      ["hotel.example", 0],
    ]);
    // Of few sites nothing of the kind is known.
    expect(new Map(relevances(20) as [string, number][]).get("hotel.example")).toBe(1);
  });

  it("takes what is far less relevant than the best for no match, and nothing for one that is hardly relevant", () => {
    const terms = ["green", "tea", "leaf"];
    const sites: SiteSketch[] = [
      { domain: "all.example", text: "green tea leaf" },
      { domain: "two.example", text: "green tea" },
      { domain: "one.example", text: "tea" },
    ];
    const fitOf = (shown: SiteSketch[], frequencies = [10, 10, 10]) => {
      const ranked = rank({ ...setOf(shown, terms), documentFrequencies: frequencies }, { terms });
      return fitting(ranked, terms.length, "encoder").map(({ siteId }) => siteId);
    };
    expect(fitOf(sites)).toEqual(["all.example", "two.example"]);
    expect(fitOf(sites.slice(2))).toEqual(["one.example"]);
    expect(fitOf(sites.slice(2), [0, 400, 0])).toEqual([]);
  });

  it("takes what is near beside the nearest for a match by meaning, in whatever scale, unless a site has most of the words", () => {
    const terms = ["green", "tea", "leaf"];
    const fitOf = (nearness: Record<string, number>, by: DirectionsBy, more: SiteSketch[] = []) => {
      const named = Object.keys(nearness).map((name): SiteSketch => ({ domain: `${name}.example` }));
      const set = setOf([...named, ...more], terms);
      const candidates = set.candidates.map((candidate) => ({
        ...candidate,
        similarity: nearness[candidate.siteId.split(".")[0]!] ?? 0.12,
      }));
      const ranked = rank({ ...set, candidates }, { terms });
      return fitting(ranked, terms.length, by).map(({ siteId }) => siteId.split(".")[0]);
    };
    const wide = { near: 0.44, half: 0.22, third: 0.165, far: 0.14 };
    expect(fitOf(wide, "encoder")).toEqual(["near", "half"]);
    expect(fitOf(wide, "static")).toEqual(["near", "half", "third"]);
    expect(fitOf(wide, "foreign")).toEqual(["near", "half", "third", "far"]);
    expect(fitOf({ near: 0.24, half: 0.12, far: 0.105 }, "encoder")).toEqual(["near", "half"]);
    // What is nearest is as far off as sites that have nothing to do with an English query.
    const nothing = { near: 0.15, other: 0.14 };
    expect(fitOf(nothing, "encoder")).toEqual([]);
    expect(fitOf(nothing, "static")).toEqual(["near", "other"]);
    expect(fitOf(nothing, "foreign")).toEqual(["near", "other"]);
    const chance: SiteSketch = { domain: "chance.example", text: "tea" };
    const both = fitOf({ near: 0.22, half: 0.115 }, "encoder", [chance]);
    expect(both.sort()).toEqual(["chance", "half", "near"]);
    const whole: SiteSketch = { domain: "whole.example", text: "green tea leaf" };
    expect(fitOf({ near: 0.44, half: 0.23 }, "encoder", [chance, whole])).toEqual(["whole"]);
  });

  it("lets no odd fairness value lift or sink a site beyond its bounds", () => {
    const terms = ["tea"];
    for (const fairnessBoost of [Number.NaN, Number.POSITIVE_INFINITY, 1e9, -5]) {
      const [only] = rank(setOf([{ domain: "a.example", text: "tea", fairnessBoost }], terms), { terms });
      expect(only!.explain.fairness).toBeGreaterThan(0.96);
      expect(only!.explain.fairness).toBeLessThan(1.041);
    }
  });

  it("breaks ties by siteId, whatever order the engine gave", () => {
    const sites = ["c", "a", "b"].map((letter) => ({ domain: `${letter}.example`, text: "tea" }));
    expect(order(sites, "tea")).toEqual(["a.example", "b.example", "c.example"]);
    expect(order(sites.toReversed(), "tea")).toEqual(["a.example", "b.example", "c.example"]);
  });

  it("puts no site first for a name that its pages say nothing of", () => {
    const casino = "roulette jackpot ".repeat(100);
    const shops = ["one", "two", "three"].map((domain) => ({
      domain: `${domain}.example`,
      name: `${domain} Tea Shop`,
      text: "loose leaf tea ".repeat(20),
    }));
    const invented = Array.from({ length: 8 }, (_, i) => ({
      domain: `invented${i}.example`,
      name: "Loose Leaf Tea",
      text: casino,
    }));
    const first = order([...invented, ...shops], "loose leaf tea").slice(0, 3);
    expect(first.sort()).toEqual(["one.example", "three.example", "two.example"]);
  });

  it("takes a name as that of one site, the best that bears it out, by its pages or its domain", () => {
    const say = (times: number) => "loose leaf tea ".repeat(times);
    const sites = [
      { domain: "best.example", name: "Tea Shop", tags: ["loose", "leaf", "tea"], text: say(40) },
      { domain: "a.example", name: "Loose Leaf Tea", text: say(40) },
      { domain: "b.example", name: "Loose Leaf Tea", text: say(2) },
    ];
    expect(order(sites, "loose leaf tea")).toEqual(["a.example", "best.example", "b.example"]);
    const text = `${"roulette ".repeat(400)} ${say(1)}`;
    const byDomain = { domain: "loose-leaf-tea.example", name: "Loose Leaf Tea", text };
    expect(order([sites[0]!, byDomain], "loose leaf tea")[0]).toBe(byDomain.domain);
    expect(order([sites[0]!, { ...byDomain, domain: "c.example" }], "loose leaf tea")[0]).toBe(
      "best.example",
    );
  });

  it("gains nothing from a name or tags stuffed with other words", () => {
    const terms = ["tea"];
    const words = Array.from({ length: 60 }, (_, i) => `word${i}`);
    const [plain, stuffed] = [
      { domain: "a.example", name: "Tea House", tags: ["tea"], text: "tea" },
      { domain: "b.example", name: `Tea House ${words.join(" ")}`, tags: ["tea", ...words], text: "tea" },
    ].map((site) => rank(setOf([site], terms), { terms })[0]!.score);
    expect(stuffed).toBeLessThan(plain!);
  });

  it("shows one site an owner before it shows a second of any", () => {
    const best = "tea ".repeat(6);
    const sites: SiteSketch[] = [
      { domain: "a.farm.example", name: "Tea", text: best },
      { domain: "b.farm.example", name: "Tea", text: best },
      { domain: "c.farm.example", name: "Tea", text: best },
      { domain: "small.example", text: "tea" },
    ];
    expect(order(sites, "tea leaf")).toEqual([
      "a.farm.example",
      "small.example",
      "b.farm.example",
      "c.farm.example",
    ]);
  });

  describe("by turns", () => {
    const terms = ["tea"];
    const alike = Array.from({ length: 20 }, (_, i) => ({ domain: `s${i}.example`, text: "tea" }));
    const at = (sites: SiteSketch[], epoch: number, query = "tea") =>
      rank(setOf(sites, terms), { terms }, rotationOf("secret", query, epoch));
    const firsts = (epochs: number, sites = alike, query = "tea") =>
      Array.from({ length: epochs }, (_, epoch) => at(sites, epoch, query)[0]!.siteId);

    it("gives equals the first place in turn, and each hour one order", () => {
      expect(new Set(firsts(28)).size).toBeGreaterThanOrEqual(12);
      expect(at(alike, 5)).toEqual(at(alike.toReversed(), 5));
      expect(firsts(28, alike, "other words")).not.toEqual(firsts(28));
    });

    it("gives an owner of many sites no more of the first places than anyone", () => {
      const farm = Array.from({ length: 200 }, (_, i) => ({ domain: `w${i}.farm.example`, text: "tea" }));
      const held = firsts(400, [...alike, ...farm]).filter((siteId) => siteId.endsWith("farm.example"));
      expect(held.length / 400).toBeCloseTo(1 / 21, 1);
      for (let epoch = 0; epoch < 20; epoch++) {
        const shown = at([...alike, ...farm], epoch).slice(0, 21);
        expect(new Set(shown.map(({ owner }) => owner)).size).toBe(21);
      }
    });

    it("never lets a turn outweigh a clear difference of relevance", () => {
      const sites = [...alike, { domain: "best.example", name: "Tea", text: "tea tea tea" }];
      for (let epoch = 0; epoch < 28; epoch++) expect(at(sites, epoch)[0]!.siteId).toBe("best.example");
    });
  });

  describe("of a whole question", () => {
    const terms = ["book", "plane", "ticket", "weekend", "cheap"];
    const sites: SiteSketch[] = [
      { domain: "library.example", name: "The Book House", text: "The Book House" },
      { domain: "flights.example", name: "Airline fares" },
      { domain: "travel.example", name: "Plane ticket cheap", text: "Plane ticket cheap" },
    ];
    const nearness: Record<string, number> = { "library.example": 0.12, "flights.example": 0.25 };
    const asked = (shown: SiteSketch[], meaning: boolean): string[] => {
      const set = setOf(shown, terms);
      const candidates = set.candidates.map((candidate) =>
        meaning ? { ...candidate, similarity: nearness[candidate.siteId] ?? 0 } : candidate,
      );
      return rank({ ...set, candidates }, { terms }).map(({ siteId }) => siteId);
    };

    it("puts who means it above who holds one of its words", () => {
      expect(asked(sites.slice(0, 2), true)).toEqual(["flights.example", "library.example"]);
    });

    it("puts who holds most of its words first", () => {
      expect(asked(sites, true)[0]).toBe("travel.example");
    });

    it("goes by the words where nothing is known of meaning", () => {
      expect(asked(sites.slice(0, 2), false)[0]).toBe("library.example");
    });
  });

  describe("says how relevant a site is", () => {
    const relevances = (
      sites: SiteSketch[],
      query: string,
      { frequencies, nearness = {} }: { frequencies?: number[]; nearness?: Record<string, number> } = {},
      more: Partial<RankQuery> = {},
    ): Record<string, number> => {
      const { terms, compounds } = readTerms(query);
      const set = setOf(sites, terms);
      const candidates = set.candidates.map((candidate) => ({
        ...candidate,
        similarity: nearness[candidate.siteId],
      }));
      const documentFrequencies = frequencies ?? set.documentFrequencies;
      const asked = { terms, compounds, ...more };
      return Object.fromEntries(
        rank({ ...set, candidates, documentFrequencies }, asked).map(({ siteId, explain }) => [
          siteId.split(".")[0]!,
          explain.relevance,
        ]),
      );
    };

    it("by what share of the words it has, rare words weighing more", () => {
      const sites: SiteSketch[] = [
        { domain: "both.example", name: "Dentist", text: "vienna" },
        { domain: "museum.example", name: "Museum of Vienna", text: "vienna vienna" },
        { domain: "clinic.example", name: "Dentist", text: "teeth" },
      ];
      const { both, museum, clinic } = relevances(sites, "dentist in Vienna", { frequencies: [3, 60] });
      expect(both).toBe(1);
      expect(museum! + clinic!).toBeCloseTo(1, 2);
      expect(museum).toBeLessThan(0.4);
      // No site has the word: who has the other one answers little of what was asked.
      expect(
        relevances(sites.slice(1, 2), "dentist in Vienna", { frequencies: [0, 60] }).museum,
      ).toBeLessThan(0.3);
    });

    it("as 1 for the domain or the name that was asked for", () => {
      const sites = [{ domain: "a.example", name: "The" }];
      expect(relevances(sites, "the", {}, { exactName: "the" }).a).toBe(1);
      expect(relevances(sites, "x", {}, { exactDomain: "a.example" }).a).toBe(1);
    });

    it("by meaning alone as one half at most, and more the nearer it is", () => {
      const sites = ["far", "near", "nearest"].map((name) => ({ domain: `${name}.example`, name: "Fares" }));
      const nearness = { "far.example": 0.11, "near.example": 0.3, "nearest.example": 0.99 };
      const { far, near, nearest } = relevances(sites, "plane tickets", { nearness });
      expect(far).toBeGreaterThan(0);
      expect(far).toBeLessThan(near!);
      expect(near).toBeLessThan(nearest!);
      expect(nearest).toBeLessThanOrEqual(0.5);
    });

    it("by words or by meaning, whichever says more", () => {
      const sites = [{ domain: "a.example", name: "Tickets" }];
      const words = relevances(sites, "plane tickets").a!;
      expect(relevances(sites, "plane tickets", { nearness: { "a.example": 0.1 } }).a).toBe(words);
      expect(words).toBeCloseTo(0.5, 2);
    });

    it("alike however a compound is written", () => {
      const sites: SiteSketch[] = [
        { domain: "parts.example", name: "Tea Shop" },
        { domain: "whole.example", name: "Teashop" },
        { domain: "half.example", name: "Tea House" },
      ];
      const frequencies = [10, 10, 0];
      const { parts, whole, half } = relevances(sites, "tea-shop", { frequencies });
      expect([parts, whole]).toEqual([1, 1]);
      expect(half).toBeLessThan(0.5);
      expect(relevances(sites, "tea-shop ".repeat(1_000), { frequencies }).whole).toBe(1);
    });

    it("by words like those asked for as one half of these, and no further", () => {
      const likes = (name: string, asked: string[], added: string[], like: number[]) => {
        const terms = [...asked, ...added];
        const set = setOf([{ domain: "a.example", name }], terms);
        return rank(set, { terms, asked: asked.length, like })[0]!.explain.relevance;
      };
      expect(likes("Kindergarten", ["kindergraten"], ["kindergarten"], [0])).toBe(0.5);
      expect(likes("Teapots for tea", ["green", "tea"], ["teapot"], [1])).toBe(0.5);
      expect(likes("Teapots", ["green", "tea"], ["teapot"], [1])).toBe(0.25);
    });
  });

  it("ranks no candidates, and candidates without terms", () => {
    expect(rank(setOf([], ["tea"]), { terms: ["tea"] })).toEqual([]);
    expect(order([{ domain: "a.example" }], "")).toEqual(["a.example"]);
  });
});

interface Service {
  name: string;
  publisher: string;
  host: string;
  description: string;
}
const file = dataFile("services/mcp-registry-2025-05.jsonl");

describe.skipIf(file === undefined)(
  `on real services${file === undefined ? " (data is missing)" : ""}`,
  () => {
    let index: SiteIndex;
    let services: Service[] = [];
    const folder = mkdtempSync(join(tmpdir(), "bridge-ranking-"));

    beforeAll(async () => {
      const lines = readFileSync(file!, "utf8").trim().split("\n");
      services = lines.map((line) => JSON.parse(line) as Service);
      index = await openSqliteIndex(join(folder, "index.db"), { readers: 1 });
      await index.apply(
        services.map(({ name, publisher, host, description }) =>
          put({ domain: host, name, description: `${description} ${publisher}` }),
        ),
      );
    });
    afterAll(async () => {
      await index.close();
      rmSync(folder, { recursive: true, force: true });
    });

    const ask = async (query: string, exact: boolean): Promise<RankedSite[]> => {
      const terms = analyzeQuery(query);
      const whole = exact ? { exactName: exactForm(query) } : {};
      return rank(await index.candidates({ terms, ...whole, filter: {}, limit: 300 }), { terms, ...whole });
    };

    /** How many services are where someone who types their name expects them. */
    const found = async (exact: boolean): Promise<number> => {
      const sharing = Map.groupBy(services, ({ name }) => exactForm(name));
      let right = 0;
      for (const { name, host } of services) {
        const place = (await ask(name, exact)).findIndex(({ siteId }) => siteId === host);
        const shared = sharing.get(exactForm(name))!.length > 1;
        if (place !== -1 && place < (shared ? 10 : 1)) right++;
      }
      return right;
    };

    it("finds nearly every service by its name: first, or in the first ten where several share it", async () => {
      // Twelve share a name that others bear out better (decision 181), and "ai" is what very many are about.
      expect(await found(true)).toBeGreaterThanOrEqual(services.length - 13);
    });

    it("finds nearly all of them by the words of the name alone", async () => {
      expect(await found(false)).toBeGreaterThanOrEqual(Math.floor(0.95 * services.length));
    });

    it("puts the only service with a rare word in its description first for that word", async () => {
      const holders = new Map<string, Set<string>>();
      for (const { name, host, description, publisher } of services)
        for (const term of analyzeText(`${name} ${host} ${description} ${publisher}`))
          holders.set(term, (holders.get(term) ?? new Set()).add(host));
      let asked = 0;
      for (const { host, description } of services) {
        const rare = description.split(/\s+/).find((word) => {
          const terms = analyzeQuery(word);
          return terms.length === 1 && holders.get(terms[0]!)!.size === 1;
        });
        if (rare === undefined) continue;
        asked++;
        expect((await ask(rare, false))[0]?.siteId, rare).toBe(host);
      }
      expect(asked).toBeGreaterThan(services.length / 2);
    });
  },
);
