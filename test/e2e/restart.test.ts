/** What the index is worth: nothing that cannot be made again from the broker's records. */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { reindex } from "../../app/cli/reindex.ts";
import { homePaths } from "../../app/processes/home.ts";
import { openSqliteIndex } from "../../src/adapters/sqlite/site-index.ts";
import type { SiteIndex } from "../../src/ports/index.ts";
import { startIndexer } from "../../workers/indexer/handlers.ts";
import { until } from "../faults/programs.ts";
import { startRegistry, type TestRegistry } from "../support/registry.ts";

const LISTING = "/api/discovery/registry?limit=200";

describe("the index", () => {
  let registry: TestRegistry;
  let home: string;
  beforeAll(async () => {
    home = mkdtempSync(join(tmpdir(), "bridge-restart-"));
    registry = await startRegistry({
      threads: true,
      world: { sites: 30, soundShare: 0.8, seed: 13, kinds: { unsigned: 1, no_txt: 1, no_document: 1 } },
      config: { BRIDGE_HOME: home },
    });
    await registry.crawl();
  });
  afterAll(async () => {
    await registry?.stop();
    rmSync(home, { recursive: true, force: true });
  });

  /** The directory and what a search finds for each of a few words: all that a reader can tell one index from another by, but for turns. */
  const answersOf = async (from: TestRegistry) => {
    const words = registry.world.hosts.slice(0, 6).map(({ words: { description } }) => description);
    const searches = await Promise.all(
      [...words, "test", "service"].map((word) => from.getJson(`/api/bridge/search?q=${word}`)),
    );
    const results = searches.map(({ body }) =>
      body.results.map(({ siteId }: { siteId: string }) => siteId).sort(),
    );
    const { body } = await from.getJson(LISTING);
    return { listings: body.listings, total: body.total, results };
  };

  it("gives the same answers after a reindex, during which it went on answering", async () => {
    const { runtime, config } = registry;
    const current = () => readFileSync(join(homePaths(home).index, "current"), "utf8");
    const fileBefore = current();
    const before = await answersOf(registry);
    const { id } = await runtime.index();
    let rebuilt = false;
    const rebuilding = reindex({ ...config, BRIDGE_NATS_URL: inject("natsUrl") }, { patience: 60 }).then(
      () => {
        rebuilt = true;
      },
    );
    while (!rebuilt) expect((await registry.getJson(LISTING)).body.total).toBe(before.total);
    await rebuilding;
    await until("the switch", async () => (await runtime.index()).id !== id);
    await registry.settled();
    expect(await answersOf(registry)).toEqual(before);
    expect(current()).not.toBe(fileBefore);
  });

  it("is filled from the start where there is none", async () => {
    const second = await startRegistry({ threads: true, join: registry, roles: ["indexer", "search"] });
    await until("a filled index", async () => (await second.getJson(LISTING)).body.total > 0);
    await second.settled();
    // Both fronts hear all of the roles: the second's own index is asked.
    const [mine, theirs] = await Promise.all([registry.runtime.index(), second.runtime.index()]);
    expect(theirs.id).not.toBe(mine.id);
    const query = { filter: {}, offset: 0, limit: 200 };
    expect(await theirs.list(query)).toEqual(await mine.list(query));
    await second.stop();
  });

  it("holds what it held when an indexer ends between writing and acknowledging", async () => {
    const { runtime } = registry;
    const path = join(home, "crash.db");
    const real = await openSqliteIndex(path, { readers: 1 });
    let crashes = 3;
    const crashing: SiteIndex = {
      ...real,
      apply: async (writes) => {
        await real.apply(writes);
        if (crashes-- > 0) throw new Error("ended between write and ack");
      },
    };
    const { broker, contents, clock, log, identity } = runtime;
    const deps = {
      broker,
      contents,
      clock,
      log,
      indexing: { sampleSecret: identity.secret, model: undefined },
    };
    const indexer = startIndexer({ ...deps, log: log.child({}, { level: "silent" }), index: crashing });
    await until("the records to be written", async () => (await indexer.lag().catch(() => 1)) === 0);
    await indexer.drain();
    expect(crashes).toBeLessThan(0);
    const query = { filter: {}, offset: 0, limit: 200 };
    expect(await real.list(query)).toEqual(await (await runtime.index()).list(query));
    expect((await real.stats()).documents).toBe((await (await runtime.index()).stats()).documents);
    await real.close();
  });

  it("keeps no ghosts when the broker's store is another one", async () => {
    const kept = mkdtempSync(join(tmpdir(), "bridge-ghosts-"));
    const config = { BRIDGE_HOME: kept };
    const first = await startRegistry({
      threads: true,
      world: { sites: 8, soundShare: 1, seed: 14 },
      config,
    });
    await first.crawl();
    expect((await first.getJson(LISTING)).body.total).toBe(8);
    await first.stop();
    // Another prefix is another store: as if this one had been deleted.
    const second = await startRegistry({
      threads: true,
      world: { sites: 4, soundShare: 1, seed: 15 },
      config,
    });
    // Searches follow the switch to an empty index within a second.
    await expect.poll(async () => (await second.getJson(LISTING)).body.total, { timeout: 10_000 }).toBe(0);
    await second.crawl();
    const { body } = await second.getJson(LISTING);
    expect(body.listings.map(({ domain }: { domain: string }) => domain).sort()).toEqual(
      second.world.hosts.map(({ host }) => host).sort(),
    );
    await second.stop();
    rmSync(kept, { recursive: true, force: true });
  });
});
