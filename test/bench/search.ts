/** How fast sites are indexed and found, on synthetic sites whose words follow Zipf's law. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { openSqliteIndex } from "../../src/adapters/sqlite/site-index.ts";
import { rank } from "../../src/domain/ranking.ts";
import { rotationOf } from "../../src/domain/rotation.ts";
import { analyse } from "../../src/domain/text-analysis.ts";
import type { IndexFilter, IndexWrite, SiteIndex } from "../../src/ports.ts";
import { put } from "../ports/index-document.ts";
import type { BenchLine } from "./bench-line.ts";

const SEED = 20_260_101;
const VOCABULARY = 50_000;
const BATCH = 500;
const QUERIES = 400;
const LIMIT = 300;
/** Listings of one page. */
const SHOWN = 20;
const CATEGORIES = 40;
const CITIES = 2_000;

/** Mulberry32: the same sites and queries on every run. */
const seeded = (seed: number): (() => number) => {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
};

/** Rank r is drawn with probability near 1/r: the commonest word stands in most sites. */
const zipf = (random: () => number): string => `q${Math.floor(VOCABULARY ** random() - 1).toString(36)}`;
const words = (random: () => number, count: number): string =>
  Array.from({ length: count }, () => zipf(random)).join(" ");

/** One site of about 100 terms. */
const site = (random: () => number, i: number): IndexWrite =>
  put({
    domain: `s${i}.example`,
    name: words(random, 3),
    description: words(random, 12),
    text: words(random, 80),
    tags: [zipf(random), zipf(random)],
    category: `category ${Math.floor(random() * CATEGORIES)}`,
    city: `city ${Math.floor(random() * CITIES)}`,
    lat: random() * 180 - 90,
    lon: random() * 360 - 180,
    sampleKey: Math.floor(random() * 2 ** 32),
  });

interface Asked {
  terms: string[];
  filter: IndexFilter;
}

/** One to four words by their frequency in text, so that very common ones are among them; a third with a filter. */
const asked = (random: () => number): Asked => {
  const terms = [...new Set(words(random, 1 + Math.floor(random() * 4)).split(" "))];
  const kind = random();
  if (kind < 0.15) return { terms, filter: { category: `category ${Math.floor(random() * CATEGORIES)}` } };
  if (kind < 0.25) return { terms, filter: { place: `city ${Math.floor(random() * CITIES)}` } };
  if (kind < 0.33) return { terms, filter: { near: { latitude: 48, longitude: 16, radiusKm: 500 } } };
  return { terms, filter: {} };
};

const percentile = (sorted: number[], share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]!;

const timed = async (queries: Asked[], run: (query: Asked) => Promise<unknown>): Promise<number[]> => {
  const took: number[] = [];
  for (const query of queries) {
    const started = performance.now();
    await run(query);
    took.push(performance.now() - started);
  }
  return took.sort((a, b) => a - b);
};

const fill = async (index: SiteIndex, size: number): Promise<number> => {
  const random = seeded(SEED);
  let spentMs = 0;
  for (let from = 0; from < size; from += BATCH) {
    const batch = Array.from({ length: Math.min(BATCH, size - from) }, (_, i) => site(random, from + i));
    const started = performance.now();
    await index.apply(batch);
    spentMs += performance.now() - started;
  }
  return (size / spentMs) * 1000;
};

/** The engine alone for the same words: FTS5's own best 300 of the sites that hold any of them. */
const raw = async (path: string, queries: Asked[]): Promise<number[]> => {
  const db = new DatabaseSync(path, { readOnly: true });
  const statement = db.prepare("SELECT rowid FROM terms WHERE terms MATCH ? ORDER BY rank LIMIT ?");
  const took = await timed(queries, async ({ terms }) =>
    statement.all(terms.map((term) => `"${term}"`).join(" OR "), LIMIT),
  );
  db.close();
  return took;
};

const analysisSpeed = (): BenchLine => {
  const random = seeded(SEED);
  const text = Array.from({ length: 100 }, () => words(random, 2_000)).map((part) =>
    part.replaceAll("q", "Wör"),
  );
  const bytes = text.reduce((sum, part) => sum + Buffer.byteLength(part), 0);
  for (const part of text) analyse(part);
  const started = performance.now();
  for (const part of text) analyse(part);
  const value = bytes / 1e6 / ((performance.now() - started) / 1000);
  return {
    name: "text analysis",
    value,
    unit: "MB/s",
    baseline: null,
    ratio: null,
    conditions: "every word accented",
  };
};

const benchSize = async (size: number): Promise<BenchLine[]> => {
  const folder = mkdtempSync(join(tmpdir(), "bridge-search-bench-"));
  const path = join(folder, "index.db");
  const index = await openSqliteIndex(path);
  try {
    const docsPerSecond = await fill(index, size);
    const random = seeded(SEED + 1);
    const queries = Array.from({ length: QUERIES }, () => asked(random));
    const run = async ({ terms, filter }: Asked) => {
      const set = await index.candidates({ terms, filter, limit: LIMIT });
      const ranked = rank(set, { terms }, rotationOf("bench", terms.join(" "), 0));
      return index.listings(ranked.slice(0, SHOWN).map(({ siteId }) => siteId));
    };
    await timed(queries.slice(0, 20), run);
    const ours = await timed(queries, run);
    const engine = await raw(path, queries);
    const conditions = `${size} sites of 100 terms, ${QUERIES} queries of 1 to 4 words, a third filtered, ${LIMIT} candidates, ${SHOWN} listings`;
    const line = (name: string, share: number): BenchLine => {
      const value = percentile(ours, share);
      const baseline = percentile(engine, share);
      return {
        name: `${name}, ${size} sites`,
        value,
        unit: "ms",
        baseline,
        ratio: value / baseline,
        conditions,
      };
    };
    const { bytes } = await index.stats();
    return [
      line("search p50", 0.5),
      line("search p99", 0.99),
      {
        name: `indexing, ${size} sites`,
        value: docsPerSecond,
        unit: "docs/s",
        baseline: null,
        ratio: null,
        conditions: `batches of ${BATCH}, ${Math.round(bytes / size)} bytes a site on disk`,
      },
    ];
  } finally {
    await index.close();
    rmSync(folder, { recursive: true, force: true });
  }
};

/**
 * Measures each size; lines carry milliseconds a query beside FTS5's own for the same words (unfiltered, any word),
 * and documents indexed a second.
 */
export const bench = async (sizes: number[] = [1_000, 100_000]): Promise<BenchLine[]> => {
  const lines = [analysisSpeed()];
  for (const size of sizes) lines.push(...(await benchSize(size)));
  return lines;
};
