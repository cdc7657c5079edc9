/** What is found by its vector. */
import { describe, expect, it } from "vitest";
import { cosine } from "../../../src/domain/search/embeddings/static-vectors.ts";
import type { CandidateQuery } from "../../../src/ports/index.ts";
import { randomFrom } from "../../../world/random.ts";
import { put, putAgain, remove, vectorOf } from "../index-document.ts";
import { asked, indexOf, type Open } from "./support.ts";

export function meaning(open: Open): void {
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

    it("takes a vector that an encoder made later over the same revision, and says of which text it is", async () => {
      const site = { domain: "late.example", text: "late", vector: [0, 0, 0, 100], revision: 3 };
      const seen = async () => (await near([0, 0, 0, 0, 50])).map(([siteId]) => siteId);
      const marks = async () =>
        (await index().encodedVectors(["late.example", "east.example", "none.example"])).map(
          ({ siteId, encoded, vector }) => [siteId, encoded, vector[4]],
        );
      await index().apply([put(site)]);
      expect(await marks()).toEqual([]);
      const encoded = { ...site, vector: [0, 0, 0, 0, 100], encoded: "minilm abc" };
      await index().apply([put(encoded)]);
      expect(await seen()).toEqual([]);
      await index().apply([putAgain({ ...encoded, revision: 2 })]);
      expect(await seen()).toEqual([]);
      await index().apply([putAgain(encoded)]);
      expect(await seen()).toEqual(["late.example"]);
      expect(await marks()).toEqual([["late.example", "minilm abc", 100]]);
      // What is written twice over is found once.
      expect((await index().candidates(asked("late"))).documentFrequencies).toEqual([1]);
      await index().apply([put({ ...site, revision: 4 })]);
      expect(await marks()).toEqual([]);
      await index().apply([putAgain({ ...encoded, revision: 4 }), remove("late.example", 5)]);
      await index().apply([putAgain({ ...encoded, revision: 4 })]);
      expect(await marks()).toEqual([]);
      expect(await seen()).toEqual([]);
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
}
