/** A real, empty index of either engine, in a folder of its own. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { ensureElasticsearch, startElasticsearch } from "../../../deploy/elasticsearch/node.ts";
import { elasticsearchGenerations } from "../../../src/adapters/elasticsearch/generations.ts";
import { openSqliteIndex } from "../../../src/adapters/sqlite/site-index.ts";
import { IndexUnavailable, type IndexWrite, type SiteIndex } from "../../../src/ports/index.ts";

export const ENGINES = ["sqlite", "elasticsearch"] as const;
export type Engine = (typeof ENGINES)[number];

export interface OpenEngine {
  index: SiteIndex;
  close(): Promise<void>;
}

export const say = (line: string): void => void process.stderr.write(`${line}\n`);

const HEAP_MB = 1_024;
const BATCH = 500;
const SAID_EVERY = 20_000;

async function openElasticsearch(folder: string): Promise<OpenEngine> {
  const node = await startElasticsearch(await ensureElasticsearch(say), { data: folder, heapMb: HEAP_MB });
  const generations = elasticsearchGenerations({ url: node.url }, "eval");
  try {
    const index = await generations.openLive();
    return {
      index,
      close: async () => {
        await index.close();
        await generations.close();
        await node.stop();
      },
    };
  } catch (error) {
    await node.stop();
    throw error;
  }
}

async function openSqlite(folder: string): Promise<OpenEngine> {
  const index = await openSqliteIndex(join(folder, "index.db"));
  return { index, close: () => index.close() };
}

export async function openEngine(engine: Engine): Promise<OpenEngine> {
  const folder = mkdtempSync(join(tmpdir(), "bridge-eval-"));
  const remove = () => rmSync(folder, { recursive: true, force: true });
  try {
    const opened = await (engine === "sqlite" ? openSqlite(folder) : openElasticsearch(folder));
    return { index: opened.index, close: () => opened.close().finally(remove) };
  } catch (error) {
    remove();
    throw error;
  }
}

const ATTEMPTS = 6;
const PAUSE_MS = 2_000;

/** A batch again is harmless; a busy engine is given time, as the indexer gives it. */
async function apply(index: SiteIndex, batch: IndexWrite[]): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await index.apply(batch);
    } catch (error) {
      if (!(error instanceof IndexUnavailable) || attempt === ATTEMPTS) throw error;
      say(`${error.message}; again …`);
      await pause(PAUSE_MS);
    }
  }
}

/** Writes all in batches; says how far it is where that takes long. */
export async function fill(
  index: SiteIndex,
  writes: Iterable<IndexWrite> | AsyncIterable<IndexWrite>,
): Promise<void> {
  let batch: IndexWrite[] = [];
  let written = 0;
  const flush = async () => {
    await apply(index, batch);
    const before = written;
    written += batch.length;
    batch = [];
    if (Math.floor(written / SAID_EVERY) > Math.floor(before / SAID_EVERY)) say(`${written} indexed …`);
  };
  for await (const write of writes) {
    batch.push(write);
    if (batch.length === BATCH) await flush();
  }
  if (batch.length > 0) await flush();
}
