import { createHash } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openSqliteIndex } from "../../../src/adapters/sqlite/site-index.ts";
import { embeddingModel } from "../../../src/classifiers/embedding-model.ts";
import { queryMeaning, siteVector } from "../../../src/domain/search/embeddings/site-meaning.ts";
import type { SiteIndex } from "../../../src/ports/index.ts";
import { HOUR_MS } from "../../../src/ports/time.ts";
import { put, type SiteSketch } from "../../ports/index-document.ts";
import { altered } from "../../support/altered.ts";
import { ask, NOW, type Operation } from "./ask.ts";

const model = embeddingModel();
const keyOf = (domain: string) => createHash("sha256").update(domain).digest().readUInt32BE(0);

const SITES: SiteSketch[] = [
  ...Array.from({ length: 30 }, (_, i) => ({
    domain: `booker${i}.example`,
    name: "Rooms",
    tags: ["book-room"],
  })),
  ...Array.from({ length: 5 }, (_, i) => ({
    domain: `w${i}.chain.example`,
    name: "Inn",
    tags: ["book-room"],
  })),
  { domain: "talk.example", name: "Room to book a talk", category: "talks", neutrality: 70 },
  { domain: "teeth.example", name: "Dr. Molar", description: "oral surgery, tooth fillings and braces" },
  { domain: "pipes.example", name: "Plumbing", description: "leaking taps and heating repairs" },
];

interface Peer {
  domain: string;
  match?: string;
  relevance?: number;
}

describe("discovery", () => {
  const folder = mkdtempSync(join(tmpdir(), "bridge-discover-"));
  let index: SiteIndex;
  beforeAll(async () => {
    index = await openSqliteIndex(join(folder, "index.db"), { readers: 1 });
    await index.apply(
      SITES.map((site) => {
        const { name = "", description = "", tags = [] } = site;
        const vector = siteVector(model!, { name, description, tags, text: "" });
        return put({
          expiresAt: NOW + 100 * HOUR_MS,
          sampleKey: keyOf(site.domain),
          ...site,
          ...(vector && { vector: [...vector] }),
        });
      }),
    );
  });
  afterAll(async () => {
    await index.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const meaningOf = async (words: string) => queryMeaning(model!, undefined, words);
  const asked = (operation: Operation, query: Record<string, string>, now = NOW) =>
    ask(index, operation, query, { now: () => now, meaningOf });
  const discover = (query: Record<string, string>, now = NOW) => asked("discoverSites", query, now);
  /** All pages. @param hours that pass between two of them */
  const walk = async (query: Record<string, string>, hours = 0): Promise<Peer[]> => {
    const peers: Peer[] = [];
    let cursor: string | null = null;
    for (let page = 0; page === 0 || cursor !== null; page++) {
      const reply = await discover({ ...query, ...(cursor && { cursor }) }, NOW + page * hours * HOUR_MS);
      expect(reply.count).toBe(reply.peers.length);
      peers.push(...reply.peers);
      cursor = reply.next_cursor;
    }
    return peers;
  };

  it("gives sites with the tag first, and says of each peer how it matches", async () => {
    const peers = await walk({ intent: "Book-Room", limit: "10" });
    const tagged = peers.slice(0, 35);
    for (const { match, relevance } of tagged) expect([match, relevance]).toEqual(["tag", 1]);
    const talk = peers.find(({ domain }) => domain === "talk.example");
    expect(talk).toMatchObject({ match: "terms", relevance: 1 });
    expect(peers.slice(35).every(({ match }) => match !== "tag")).toBe(true);
    expect(new Set(peers.map(({ domain }) => domain)).size).toBe(peers.length);
  });

  it("gives sites with the very tag alone where that is asked for", async () => {
    const peers = await walk({ intent: "book-room", exact: "true", limit: "7" });
    expect(peers).toHaveLength(35);
    expect(await walk({ intent: "book", exact: "true" })).toEqual([]);
    expect(await discover({ exact: "true" })).toBe("invalid_request");
    expect(await discover({ min_relevance: "0.5" })).toBe("invalid_request");
  });

  it("finds by the same words and meaning as a search", async () => {
    for (const words of [
      "dentist",
      "somebody for my toothache",
      "plumbing",
      "teeth.example",
      "book a talk",
    ]) {
      const { results } = await asked("searchSites", { q: words, limit: "50" });
      const expected = results.map(({ domain, relevance }: Peer) => ({ domain, relevance }));
      expect(expected.length, words).toBeGreaterThan(0);
      const peers = await walk({ intent: words });
      expect(peers.map(({ domain, relevance }) => ({ domain, relevance }))).toEqual(expected);
    }
    const [dentist] = await walk({ intent: "dentist" });
    expect(dentist).toMatchObject({ domain: "teeth.example", match: "meaning" });
    expect(dentist!.relevance).toBeLessThanOrEqual(0.5);
    expect(await walk({ intent: "dentist", min_relevance: "0.51" })).toEqual([]);
  });

  it("gives every site that words find once, whatever arrives between pages", async () => {
    const folder = mkdtempSync(join(tmpdir(), "bridge-discover-arrivals-"));
    const own = await openSqliteIndex(join(folder, "index.db"), { readers: 1 });
    const arrive = (domain: string, text: string) => put({ domain, text, expiresAt: NOW + HOUR_MS });
    await own.apply(Array.from({ length: 20 }, (_, i) => arrive(`old${i}.example`, "cocoa ".repeat(3))));
    const seen: string[] = [];
    for (let cursor: string | null | undefined, page = 0; cursor !== null; page++) {
      const reply = await ask(own, "discoverSites", {
        intent: "cocoa",
        limit: "6",
        ...(cursor && { cursor }),
      });
      seen.push(...reply.peers.map(({ domain }: Peer) => domain));
      cursor = reply.next_cursor;
      await own.apply(page < 3 ? [arrive(`new${page}.example`, "cocoa ".repeat(9))] : []);
    }
    expect(new Set(seen).size).toBe(seen.length);
    expect(seen).toHaveLength(23);
    // Without an intent sites come in turn, by windows of a hundred.
    const some = (name: string, count: number) =>
      Array.from({ length: count }, (_, i) => `${name}${i}.o${i % 40}.example`);
    const arriveInTurn = (domain: string) =>
      put({ domain, sampleKey: keyOf(domain), expiresAt: NOW + HOUR_MS, category: "turns" });
    const first = some("first", 250);
    await own.apply(first.map(arriveInTurn));
    const inRotation: string[] = [];
    for (let cursor: string | null | undefined, page = 0; cursor !== null; page++) {
      const query = { category: "turns", limit: "20", ...(cursor && { cursor }) };
      const reply = await ask(own, "discoverSites", query);
      inRotation.push(...reply.peers.map(({ domain }: Peer) => domain));
      cursor = reply.next_cursor;
      if (page < 8) await own.apply(some(`late${page}-`, 3).map(arriveInTurn));
    }
    expect(new Set(inRotation).size).toBe(inRotation.length);
    expect(inRotation).toEqual(expect.arrayContaining(first));
    await own.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it("finds nothing near in meaning to a domain that nobody knows", async () => {
    const { total, results } = await asked("searchSites", { q: "dental-care-vienna.com" });
    expect([total, results]).toEqual([0, []]);
    expect(await walk({ intent: "dental-care-vienna.com" })).toEqual([]);
  });

  it("keeps the order of its hour from page to page, one site an owner before a second", async () => {
    const first = await discover({ intent: "book-room", limit: "12" });
    const all = await walk({ intent: "book-room", limit: "12", exact: "true" }, 0.4);
    expect(all.slice(0, 12)).toEqual(first.peers);
    expect(all.slice(31).every(({ domain }) => domain.endsWith(".chain.example"))).toBe(true);
    expect(new Set(all.slice(0, 31).map(({ domain }) => domain.split(".").at(-2))).size).toBe(31);
    expect((await discover({ intent: "book-room", limit: "12" }, NOW + HOUR_MS)).peers).not.toEqual(
      first.peers,
    );
  });

  it("puts an owner of many sites first no more often than anybody", async () => {
    const firsts = new Map<string, number>();
    for (let hour = 0; hour < 62; hour++) {
      const { peers } = await discover({ intent: "book-room", limit: "1" }, NOW + hour * HOUR_MS);
      const owner = peers[0].domain.split(".").at(-2);
      firsts.set(owner, (firsts.get(owner) ?? 0) + 1);
    }
    expect(firsts.size).toBe(31);
    expect(Math.max(...firsts.values())).toBeLessThanOrEqual(4);
  });

  it("refuses a cursor that ran out or is of another question", async () => {
    const { next_cursor: cursor } = await discover({ intent: "book-room", limit: "12" });
    expect((await discover({ intent: "book-room", cursor })).count).toBe(20);
    for (const other of ["book", undefined, "dentist"])
      expect(await discover({ cursor, ...(other && { intent: other }) })).toBe("invalid_cursor");
    expect(await discover({ intent: "book-room", cursor, exact: "true" })).toBe("invalid_cursor");
    expect(await discover({ intent: "book-room", cursor }, NOW + HOUR_MS)).toBe("invalid_cursor");
    expect(await discover({ intent: "book-room", cursor: altered(cursor) })).toBe("invalid_cursor");
  });

  it("says nothing of matches where no intent is asked for, and gives every site of the filter once", async () => {
    const peers = await walk({ limit: "9" });
    expect(peers).toHaveLength(SITES.length);
    expect(new Set(peers.map(({ domain }) => domain)).size).toBe(SITES.length);
    for (const peer of peers) expect(peer).not.toHaveProperty("match");
    expect((await walk({ min_neutrality: "60" })).map(({ domain }) => domain)).toEqual(["talk.example"]);
  });
});
