import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { dataFile } from "../../support/data.ts";
import { readCollection } from "./collection.ts";
import { measureMarket } from "./fairness.ts";
import { openMeaning } from "./meaning.ts";
import { kendallTau, ndcg } from "./measures.ts";
import { measureRelevance } from "./relevance.ts";
import { failedGates, GATES } from "./report.ts";

const folder = mkdtempSync(join(tmpdir(), "bridge-eval-test-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const lines = (rows: object[]): string => rows.map((row) => JSON.stringify(row)).join("\n");

/** Runs the command as a user does. */
const run = (...args: string[]): Promise<{ code: number; out: string; err: string }> =>
  new Promise((resolve) => {
    const command = join(import.meta.dirname, "../main.ts");
    execFile(process.execPath, [command, "search", ...args], (error, out, err) =>
      resolve({ code: error ? Number(error.code) : 0, out, err }),
    );
  });

describe("the measures", () => {
  it("score a ranking by the gains of its first ten", () => {
    const gains = new Map([
      ["a", 3],
      ["b", 1],
    ]);
    expect(ndcg(["a", "b", "c"], gains)).toBe(1);
    expect(ndcg(["b", "a"], gains)).toBeCloseTo((1 + 3 / Math.log2(3)) / (3 + 1 / Math.log2(3)), 12);
    expect(ndcg([], gains)).toBe(0);
  });

  it("tell how far two orders agree", () => {
    expect(kendallTau(["a", "b", "c"], ["a", "b", "c"], 20)).toBe(1);
    expect(kendallTau(["a", "b", "c"], ["c", "b", "a"], 20)).toBe(-1);
    expect(kendallTau(["a", "b"], ["a", "c"], 20)).toBeCloseTo(1 / 3, 12);
    expect(kendallTau([], [], 20)).toBe(1);
  });
});

describe("search on labelled data", () => {
  it("keeps at least 0.97 of plain BM25's relevance on Cranfield", async (context) => {
    const data = dataFile("retrieval/cranfield");
    if (data === undefined) return context.skip("no Cranfield: set BRIDGE_DATA_DIR");
    const collection = await readCollection(data);
    const every = collection.queries.filter((_, place) => place % 3 === 0);
    const { ratio } = await measureRelevance(data, { ...collection, queries: every }, "sqlite", undefined, 1);
    expect(ratio).toBeGreaterThanOrEqual(GATES.ratio);
  });

  it("shows the small as often as the large in a seeded market, and no lie pays", async () => {
    const market = await measureMarket({
      sites: 640,
      trades: 3,
      epochs: 28,
      liars: 6,
      lies: ["tags", "name asked for", "clones of a name", "dilution", "clones"],
      systems: ["ours"],
      meaning: (await openMeaning(false)).meaning,
    });
    expect(failedGates({ market })).toEqual([]);
  }, 180_000);
});

describe("npm run eval -- search --collection", () => {
  const write = (name: string, docs: object[], queries: object[], qrels: object[]): string => {
    const path = mkdtempSync(join(folder, `${name}-`));
    writeFileSync(join(path, "docs.jsonl"), `${lines(docs)}\n\n`);
    writeFileSync(join(path, "queries.jsonl"), lines(queries));
    writeFileSync(join(path, "qrels.jsonl"), `${lines(qrels)}\n`);
    return path;
  };

  it("reads ids of either kind, documents without a title or text, and queries that nobody judged", async () => {
    const path = write(
      "odd",
      [
        { id: 1, title: null, text: "green tea" },
        { id: "http://x/ü 2", title: "Kettles" },
        { id: 3, text: "" },
        { id: "4", text: "black tea", extra: [1] },
      ],
      [
        { id: 7, text: "green tea" },
        { id: "8", text: "kettle" },
        { id: "unjudged", text: "tea" },
        { id: "empty", text: "the of" },
      ],
      [
        { query: "7", doc: "1", gain: 4 },
        { query: 7, doc: 4, gain: 0 },
        { query: 8, doc: "http://x/ü 2" },
        { query: "gone", doc: "gone", gain: -1 },
      ],
    );
    const { code, out } = await run("--collection", path);
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({
      engine: "sqlite",
      docs: 4,
      queries: 2,
      ndcg10_bm25: 1,
      ndcg10_ours: 1,
      ratio: 1,
    });
  });

  it("says what is wrong with the folder, and ends with 2", async () => {
    const missing = await run("--collection", join(folder, "none"));
    expect(missing).toMatchObject({ code: 2, out: "" });
    expect(missing.err).toMatch(/^There is no folder .*none\.\n$/);
    const path = write("bad", [{ id: 1, text: "a" }], [{ id: 1 }], []);
    await expect(readCollection(path)).rejects.toThrow(/queries\.jsonl, line 1: text: /);
  });
});
