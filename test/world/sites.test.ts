import { describe, expect, it } from "vitest";
import { getFromWorld, resolverOf } from "../../world/client.ts";
import { readCorpus } from "../../world/corpus.ts";
import { dealKinds, isKind, KINDS, knobsOf, oracleOf } from "../../world/kinds.ts";
import { linkSites } from "../../world/links.ts";
import { randomFrom } from "../../world/random.ts";
import { addressOf, makeProfile, makeSite, type SyntheticSite } from "../../world/site.ts";
import { rareWord } from "../../world/words.ts";
import { startWorld } from "../../world/world.ts";
import { dataFile } from "../support/data.ts";

const sitesOf = (count: number, unsoundEvery = 10): SyntheticSite[] =>
  Array.from({ length: count }, (_, index) =>
    makeSite(1, index, {
      kind: index % unsoundEvery === 0 ? KINDS[(index / unsoundEvery) % KINDS.length]! : "sound",
      address: addressOf(index),
      atMs: 0,
    }),
  );

describe("rare words", () => {
  it("never repeat, whatever the seed", () => {
    for (const seed of [0, 1, 4711]) {
      const words = new Set(Array.from({ length: 150_000 }, (_, number) => rareWord(seed, number)));
      expect(words.size).toBe(150_000);
    }
  });

  it("are words: letters alone, of a speakable length", () => {
    for (let number = 0; number < 1_000; number++) expect(rareWord(9, number)).toMatch(/^[a-z]{7,12}$/);
  });
});

describe("sites", () => {
  const sites = sitesOf(3_000);

  it("have distinct hosts, names and addresses", () => {
    expect(new Set(sites.map(({ host }) => host)).size).toBe(3_000);
    expect(new Set(sites.map(({ name }) => name)).size).toBe(3_000);
    expect(new Set(sites.map(({ address }) => address)).size).toBe(3_000);
  });

  it("have each a word in its description that no other description holds", () => {
    const holders = new Map<string, number>();
    const texts = sites.map((site) => makeProfile(1, site).description.toLowerCase());
    for (const text of texts) {
      for (const word of new Set(text.match(/\p{L}+/gu))) holders.set(word, (holders.get(word) ?? 0) + 1);
    }
    for (const { words } of sites) expect(holders.get(words.description)).toBe(1);
    expect(new Set(texts).size).toBe(3_000);
  });

  it("have addresses in 127/8 that are never 127.0.x.y, up to a million", () => {
    for (const number of [0, 249, 250, 63_499, 63_500, 999_999]) {
      const parts = addressOf(number).split(".").map(Number);
      expect(parts[0]).toBe(127);
      expect(parts[1]).toBeGreaterThan(0);
      expect(Math.max(...parts)).toBeLessThan(255);
      expect(parts[3]).toBeGreaterThan(0);
    }
  });
});

describe("beacons", () => {
  it("lead from any twentieth of the sites to all of them", () => {
    const sites = sitesOf(1_000);
    const next = linkSites(1, sites);
    const honest = (site: SyntheticSite): boolean =>
      oracleOf(site.knobs).ring === 3 && site.knobs.beacon === "honest";
    for (let trial = 0; trial < 20; trial++) {
      const found = new Set(randomFrom("trial", trial).sample(sites, 50));
      for (const site of found) if (honest(site)) for (const other of next(site)) found.add(other);
      expect(found.size).toBe(1_000);
    }
  });

  it("keep the way short", () => {
    const sites = sitesOf(2_000);
    const next = linkSites(1, sites);
    const depth = new Map<SyntheticSite, number>([[sites[1]!, 0]]);
    for (const [site, steps] of depth) {
      for (const other of next(site)) if (!depth.has(other)) depth.set(other, steps + 1);
    }
    expect(Math.max(...depth.values())).toBeLessThan(25);
  });

  it("name two to five others, never themselves", () => {
    for (const count of [4, 50]) {
      const sites = sitesOf(count);
      const next = linkSites(1, sites);
      for (const site of sites) {
        expect(next(site)).not.toContain(site);
        expect(next(site).length).toBeGreaterThanOrEqual(2);
        expect(next(site).length).toBeLessThanOrEqual(5);
      }
    }
  });

  it("do with a world of one", () => {
    const sites = sitesOf(1);
    expect(linkSites(1, sites)(sites[0]!)).toEqual([]);
  });
});

describe("kinds", () => {
  it("are dealt by weight, and their number is right", () => {
    const dealt = dealKinds(10, { unsigned: 3, slow: 1, sound: 1 });
    expect(dealt.length).toBe(10);
    expect(dealt.filter((kind) => kind === "unsigned").length).toBe(6);
    for (const count of [0, 1, 7, 43, 999]) expect(dealKinds(count).length).toBe(count);
    expect(dealKinds(3, {})).toEqual(["sound", "sound", "sound"]);
  });

  it("are known by name", () => {
    expect(isKind("unsigned")).toBe(true);
    expect(isKind("toString")).toBe(false);
  });

  it("agree with the table of rings: a manifest says nothing where DNS gives no key", () => {
    expect(oracleOf({ ...knobsOf("forged"), txt: "none" })).toEqual({
      ring: 1,
      status: "partial",
      reason: "no_txt",
    });
    expect(oracleOf({ ...knobsOf("no_document"), txt: "none" })).toEqual({
      ring: 0,
      status: "disabled",
      reason: "no_txt",
    });
    expect(oracleOf(knobsOf("forged"))).toEqual({ ring: 0, status: "partial", reason: "signature_invalid" });
  });
});

const corpusFile = dataFile("services/mcp-registry-2025-05.jsonl");
describe.skipIf(corpusFile === undefined)("a corpus (skipped where the data set is missing)", () => {
  it("serves its 464 services under their own names and texts", async () => {
    const entries = readCorpus(corpusFile!);
    const world = await startWorld({ seed: 1, sites: entries });
    expect(world.hosts.map(({ name, host }) => [name, host])).toEqual(
      entries.map(({ name, host }) => [name, host]),
    );
    expect(world.hosts.length).toBe(464);
    expect(world.hosts.every(({ expected }) => expected.ring === 3)).toBe(true);
    const site = world.hosts[100]!;
    expect(await resolverOf(world).resolve4(site.host)).toEqual([site.address]);
    const { provider } = JSON.parse((await getFromWorld(world, site, "/agent-bridge.json")).body.toString());
    expect(provider.description).toBe(entries[100]!.description.trim());
    await world.stop();
  });
});
