/** The two engines of the index with what each can say of its own work. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { ensureElasticsearch, startElasticsearch } from "../../deploy/elasticsearch/node.ts";
import { connect, disconnect } from "../../src/adapters/elasticsearch/connection.ts";
import { elasticsearchGenerations } from "../../src/adapters/elasticsearch/generations.ts";
import { bulkLines, mappingOf, settingsOf } from "../../src/adapters/elasticsearch/schema.ts";
import { openElasticsearchIndex } from "../../src/adapters/elasticsearch/site-index.ts";
import { codesOf, encodeTerms, tokensOf } from "../../src/adapters/index/term-vectors.ts";
import { openSqliteIndex } from "../../src/adapters/sqlite/site-index.ts";
import type { IndexDocument, IndexWrite, SiteIndex } from "../../src/ports/index.ts";

const HEAP_MB = 1_024;

export interface BenchEngine {
  name: "sqlite" | "elasticsearch";
  index: SiteIndex;
  /** Of an embedded index, its file: its searches are served from a thread of their own. */
  file?: string;
  /** What `ownMs` is, for the conditions of a line. */
  own: string;
  /** Whether `ownMs` asks what `bulk` wrote, and not what we did. */
  asksBulk: boolean;
  /** Milliseconds that the engine itself takes for these words: beside it, ours must not cost much. */
  ownMs(terms: string[], ours: () => Promise<unknown>): Promise<{ oursMs: number; ownMs: number }>;
  /** Writes the documents with nothing of ours between. @returns the milliseconds of one batch */
  bulk(writes: IndexWrite[]): Promise<number>;
  /** Ends what `bulk` has begun. @returns the milliseconds of it */
  endBulk(): Promise<number>;
  close(): Promise<void>;
}

async function timed(work: () => unknown): Promise<number> {
  const startedMs = performance.now();
  await work();
  return performance.now() - startedMs;
}

const documentsOf = (writes: IndexWrite[]) =>
  writes.flatMap((write) => (write.kind === "put" ? [write.document] : []));

/** The same documents with the same filters, as plain rows and FTS5. */
const RAW_TABLES = `PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;
  CREATE TABLE sites (id INTEGER PRIMARY KEY, site_id TEXT UNIQUE, revision INTEGER, owner TEXT, status TEXT,
    ring INTEGER, verified_at INTEGER, expires_at INTEGER, network TEXT, sample_key INTEGER, exact_name TEXT,
    changed_at INTEGER, listing TEXT, counts BLOB, vector BLOB);
  CREATE INDEX by_sample ON sites (status, sample_key);
  CREATE INDEX by_name ON sites (exact_name);
  CREATE INDEX by_change ON sites (changed_at, site_id);
  CREATE TABLE facets (kind TEXT, value TEXT, id INTEGER, PRIMARY KEY (kind, value, id)) WITHOUT ROWID;
  CREATE INDEX facets_by_site ON facets (id, kind, value);
  CREATE VIRTUAL TABLE places USING rtree (id, south, north, west, east);
  CREATE VIRTUAL TABLE terms USING fts5 (name, domain, tags, description, text, content = '', contentless_delete = 1);`;

function rawRow(document: IndexDocument) {
  const { siteId, revision, registrableDomain, status, ring, verifiedAt, expiresAt, network } = document;
  const { sampleKey, exactName, changedAt, listing, terms, latitude, longitude } = document;
  const facets: [kind: string, value: string][] = [["category", document.category]];
  for (const tag of document.intentTags) facets.push(["intent", tag]);
  for (const place of [document.country, document.region, document.city])
    if (place !== null) facets.push(["place", place]);
  const row = [siteId, revision, registrableDomain, status, ring, verifiedAt, expiresAt, network, sampleKey];
  const vector = new Uint8Array(document.vector!.buffer);
  return {
    site: [...row, exactName, changedAt, JSON.stringify(listing), encodeTerms(codesOf(terms)).blob, vector],
    facets,
    place: latitude === null || longitude === null ? undefined : [latitude, latitude, longitude, longitude],
    tokens: tokensOf(terms),
  };
}

/** Beside ours a bare FTS5 table of the same terms: what one would have without an index of one's own. */
async function openSqlite(): Promise<BenchEngine> {
  const folder = mkdtempSync(join(tmpdir(), "bridge-bench-index-"));
  const file = join(folder, "index.db");
  const index = await openSqliteIndex(file, { readers: 2 });
  const raw = new DatabaseSync(join(folder, "raw.db"));
  raw.exec(RAW_TABLES);
  const search = raw.prepare("SELECT rowid FROM terms WHERE terms MATCH ? ORDER BY rank LIMIT 300");
  const insertSite = raw.prepare(`INSERT INTO sites VALUES (${"?, ".repeat(14)}?)`);
  const insertFacet = raw.prepare("INSERT OR IGNORE INTO facets VALUES (?, ?, ?)");
  const insertPlace = raw.prepare("INSERT INTO places VALUES (?, ?, ?, ?, ?)");
  const insertTerms = raw.prepare(
    "INSERT INTO terms (rowid, name, domain, tags, description, text) VALUES (?, ?, ?, ?, ?, ?)",
  );
  return {
    name: "sqlite",
    index,
    file,
    own: "FTS5's own best 300 for any of the words",
    asksBulk: true,
    ownMs: async (terms, ours) => ({
      oursMs: await timed(ours),
      ownMs: await timed(() => search.all(terms.map((term) => `"${term}"`).join(" OR "))),
    }),
    bulk: async (writes) => {
      const rows = documentsOf(writes).map(rawRow);
      return timed(() => {
        raw.exec("BEGIN");
        for (const { site, facets, place, tokens } of rows) {
          const { lastInsertRowid: id } = insertSite.run(null, ...site);
          for (const facet of facets) insertFacet.run(...facet, id);
          if (place !== undefined) insertPlace.run(id, ...place);
          insertTerms.run(id, ...tokens);
        }
        raw.exec("COMMIT");
      });
    },
    endBulk: async () => 0,
    close: async () => {
      raw.close();
      await index.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function openElasticsearch(): Promise<BenchEngine> {
  const say = (line: string) => void process.stderr.write(`${line}\n`);
  const folder = mkdtempSync(join(tmpdir(), "bridge-bench-elasticsearch-"));
  const node = await startElasticsearch(await ensureElasticsearch(say), { data: folder, heapMb: HEAP_MB });
  const clients = connect({ url: node.url });
  const generations = elasticsearchGenerations({ url: node.url }, "bench");
  const made = await generations.createNext();
  await made.index.close();
  const index = openElasticsearchIndex(clients, made.name, made.index.id);
  await clients.writing.indices.create({
    index: "raw",
    settings: settingsOf({}),
    mappings: mappingOf("raw"),
  });
  let tookMs = 0;
  clients.reading.diagnostic.on("response", (_error, result) => {
    const body = result?.body as { took?: unknown; responses?: unknown } | undefined;
    if (body?.responses !== undefined && typeof body.took === "number") tookMs += body.took;
  });
  return {
    name: "elasticsearch",
    index,
    own: "the engine's own `took` of the same request, whole milliseconds",
    asksBulk: false,
    ownMs: async (_terms, ours) => {
      tookMs = 0;
      return { oursMs: await timed(ours), ownMs: Math.max(1, tookMs) };
    },
    bulk: async (writes) => {
      const operations = writes.flatMap(bulkLines);
      return timed(() => clients.writing.bulk({ index: "raw", operations }));
    },
    endBulk: () => timed(() => clients.writing.indices.refresh({ index: "raw" })),
    close: async () => {
      await index.close();
      await generations.close();
      await disconnect(clients);
      await node.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

const ENGINES = { sqlite: openSqlite, elasticsearch: openElasticsearch };

/** Runs `work` on each engine in turn, or on the `wanted` one; one that cannot be had here is said and passed over. */
export async function onEachEngine<T>(
  work: (engine: BenchEngine) => Promise<T[]>,
  wanted: string | undefined,
): Promise<T[]> {
  const found: T[] = [];
  for (const [name, open] of Object.entries(ENGINES)) {
    if (wanted !== undefined && wanted !== name) continue;
    let engine: BenchEngine;
    try {
      engine = await open();
    } catch (error) {
      process.stderr.write(`${open.name}: ${error instanceof Error ? error.message : String(error)}\n`);
      continue;
    }
    try {
      found.push(...(await work(engine)));
    } finally {
      await engine.close();
    }
  }
  return found;
}
