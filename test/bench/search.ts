/** How fast sites are found, by words and by meaning: the whole way over NATS, and the engine's own part of it. */
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import type { NatsConnection } from "@nats-io/nats-core";
import { ensureNatsServer } from "../../deploy/nats-server.ts";
import { startBrokerServer } from "../../src/adapters/nats/server.ts";
import { analyzeQuery, analyzeText } from "../../src/domain/search/text-analysis.ts";
import { connectPatched } from "../../src/patches/nats-transport.ts";
import { Failure } from "../../src/rpc/errors.ts";
import { callOperation } from "../../src/transport/client.ts";
import { search } from "../../workers/search/contract.ts";
import { randomFrom } from "../../world/random.ts";
import type { BenchLine } from "./bench-line.ts";
import { type BenchEngine, onEachEngine } from "./engines.ts";
import { type Asked, batchesOf, MARKET, queriesOf } from "./market.ts";
import type { SearchThreadData } from "./search-thread.ts";
import { SEARCH_PREFIX, serveSearch } from "./serve-search.ts";

const BATCH = 500;
const QUERIES = 400;
/** With those that come before, so that nothing is done for the first time. */
const ASKED = 2 * QUERIES;
const LIMIT = 300;
/** Listings of one page. */
const SHOWN = 20;
/** Searches under way at a time, and how many there are of them. */
const AT_ONCE = 32;
const CROWD = 2_000;
/** Until one that was refused is asked again. */
const REFUSED_PAUSE_MS = 50;

function percentile(values: number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]!;
}

const round = (value: number): number => Math.round(value * 100) / 100;

/** The search actor on the engine's index, wherever it runs. @returns a function that ends it */
async function startSearch(
  { index, file }: BenchEngine,
  connection: NatsConnection,
  how: SearchThreadData["how"],
): Promise<() => Promise<unknown>> {
  if (file === undefined) return serveSearch(connection, index, queriesOf(ASKED)).drain;
  const data: SearchThreadData = { how, file, queries: ASKED };
  const thread = new Worker(new URL("search-thread.ts", import.meta.url), { workerData: data });
  await once(thread, "message");
  return () => {
    const ended = once(thread, "exit");
    thread.postMessage("drain");
    return ended;
  };
}

/** Runs `work` with the search actor on a broker of its own, asked as the front asks it. */
async function withSearch<T>(
  engine: BenchEngine,
  work: (ask: (asked: Asked) => Promise<boolean>) => Promise<T>,
): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), "bridge-bench-nats-"));
  const binary = await ensureNatsServer((line) => process.stderr.write(`${line}\n`));
  const server = await startBrokerServer({ binary, folder });
  const { username, password, host } = new URL(server.url);
  const how = { servers: host, user: username, pass: password, noAsyncTraces: true };
  const connection = await connectPatched(how);
  const stopSearch = await startSearch(engine, connection, how);
  /** @returns false when the worker has too much to do */
  const ask = async ({ words, filter: { category, place } }: Asked): Promise<boolean> => {
    const query = search.operations.searchSites.query.parse({
      q: words,
      limit: SHOWN,
      ...(category && { category }),
      ...(place && { location: place }),
    });
    const reply = await callOperation(connection, SEARCH_PREFIX, search, "searchSites", { query });
    if (!(reply instanceof Failure)) return true;
    if (!reply.overloaded) throw new Error(reply.detail);
    return false;
  };
  try {
    return await work(ask);
  } finally {
    await stopSearch();
    await connection.close();
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Milliseconds that each query takes, in a service that was asked others before. */
const timesOf = (engine: BenchEngine, queries: Asked[], others: Asked[]) =>
  withSearch(engine, async (ask) => {
    for (const query of others) await ask(query);
    const alone: number[] = [];
    const timed = async (query: Asked, took: number[]): Promise<void> => {
      const startedMs = performance.now();
      for (; !(await ask(query)); refused++) await delay(REFUSED_PAUSE_MS);
      took.push(performance.now() - startedMs);
    };
    let refused = 0;
    for (const query of queries) await timed(query, alone);
    const together: number[] = [];
    let asked = 0;
    const startedMs = performance.now();
    const caller = async (): Promise<void> => {
      while (asked < CROWD) await timed(queries[asked++ % queries.length]!, together);
    };
    await Promise.all(Array.from({ length: AT_ONCE }, caller));
    return { alone, together, refused, perSecond: (CROWD * 1_000) / (performance.now() - startedMs) };
  });

function analysisSpeed(): BenchLine {
  const { next } = randomFrom("analysis");
  const word = () => `Wör${Math.floor(50_000 ** next()).toString(36)}`;
  const text = Array.from({ length: 100 }, () => Array.from({ length: 2_000 }, word).join(" "));
  const bytes = text.reduce((sum, part) => sum + Buffer.byteLength(part), 0);
  for (const part of text) analyzeText(part);
  const started = performance.now();
  for (const part of text) analyzeText(part);
  const value = round(bytes / 1e6 / ((performance.now() - started) / 1_000));
  const conditions = "every word accented";
  return { name: "text analysis", value, unit: "MB/s", baseline: null, ratio: null, conditions };
}

/** @returns sites indexed a second */
async function fill(engine: BenchEngine, size: number): Promise<number> {
  let done = 0;
  let tookMs = 0;
  for (const batch of batchesOf(size, BATCH)) {
    const startedMs = performance.now();
    await engine.index.apply(batch);
    tookMs += performance.now() - startedMs;
    if (engine.asksBulk) await engine.bulk(batch);
    done += batch.length;
    if (process.stderr.isTTY) process.stderr.write(`\r\x1b[2K${engine.name}: ${done} of ${size} sites`);
  }
  if (process.stderr.isTTY) process.stderr.write("\n");
  return (size * 1_000) / tookMs;
}

async function measure(engine: BenchEngine, size: number): Promise<BenchLine[]> {
  const filledPerSecond = await fill(engine, size);
  const { bytes } = await engine.index.stats();
  const all = queriesOf(ASKED);
  const [queries, others] = [all.slice(0, QUERIES), all.slice(QUERIES)];
  const conditions = `${size} ${MARKET}; ${QUERIES} queries of 1 to 4 words one after the other, a quarter filtered, after as many others`;
  const line = (
    name: string,
    value: number,
    baseline: number | null,
    what: string,
    unit = "ms",
  ): BenchLine => ({
    name: `search ${engine.name} ${name}, ${size} sites`,
    value: round(value),
    unit,
    baseline: baseline === null ? null : round(baseline),
    ratio: baseline === null ? null : round(value / baseline),
    conditions: `${conditions}; ${what}`,
  });

  const { alone, together, refused, perSecond } = await timesOf(engine, queries, others);
  const ours: number[] = [];
  const own: number[] = [];
  for (const { words, vector, filter } of queries) {
    const terms = analyzeQuery(words);
    const ask = () => engine.index.candidates({ terms, vector, filter, limit: LIMIT });
    const took = await engine.ownMs(terms, ask);
    ours.push(took.oursMs);
    own.push(took.ownMs);
  }
  const lines = [0.5, 0.99].flatMap((share) => {
    const name = `p${share * 100}`;
    const hop = `${SHOWN} results, over NATS`;
    return [
      line(name, percentile(alone, share), null, hop),
      line(`${name}, ${AT_ONCE} at once`, percentile(together, share), percentile(alone, share), hop),
      line(`candidates ${name}`, percentile(ours, share), percentile(own, share), `against ${engine.own}`),
    ];
  });
  lines.push(
    line(
      "searches",
      perSecond,
      null,
      `${AT_ONCE} at once, ${CROWD} of them, over NATS; ${refused} refused by the worker and asked again`,
      "searches/s",
    ),
    line("filled", filledPerSecond, null, `batches of ${BATCH}`, "sites/s"),
    line("on disk", bytes / size, null, "when filled", "bytes a site"),
  );
  return lines;
}

/** Measures each size on both engines, or on the one named. */
export async function bench(sizes: number[], only?: string): Promise<BenchLine[]> {
  const lines = [analysisSpeed()];
  for (const size of sizes.length > 0 ? sizes : [1_000, 100_000])
    lines.push(...(await onEachEngine((engine) => measure(engine, size), only)));
  return lines;
}
