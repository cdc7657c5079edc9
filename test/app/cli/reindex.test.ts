import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { untilWritten } from "../../../app/cli/reindex.ts";
import { openSqliteIndex } from "../../../src/adapters/sqlite/site-index.ts";
import { startIndexer } from "../../../workers/indexer/handlers.ts";
import { startRegistry, type TestRegistry } from "../../support/registry.ts";

const PATIENCE_MS = 1_500;

let registry: TestRegistry;
let home: string;
beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), "bridge-reindex-"));
  registry = await startRegistry({ threads: true, world: { sites: 4 } });
  await registry.crawl();
});
afterAll(async () => {
  await registry?.stop();
  rmSync(home, { recursive: true, force: true });
});

describe("an index that is filled anew", () => {
  it("ends with what stands in the way when nothing is written for so long, and goes on where that was passing", async () => {
    const { runtime } = registry;
    const { broker, contents, clock, log, identity } = runtime;
    const real = await openSqliteIndex(join(home, "next.db"), { readers: 1 });
    let isFull = true;
    const index: typeof real = {
      ...real,
      apply: async (writes) => {
        if (isFull) throw new Error("the disk is full");
        await real.apply(writes);
      },
    };
    const indexer = startIndexer({
      broker,
      contents,
      clock,
      index,
      log: log.child({}, { level: "silent" }),
      indexing: { sampleSecret: identity.secret, model: undefined },
    });
    await expect(untilWritten(indexer, runtime, PATIENCE_MS)).rejects.toThrow(
      "Nothing was written for 1.5 s (the disk is full). The index in use is as it was.",
    );
    isFull = false;
    await untilWritten(indexer, runtime, 10_000);
    await indexer.drain();
    expect(indexer.stats).toMatchObject({ written: await runtime.sites.count(), obstacle: undefined });
    expect((await real.stats()).documents).toBe(await runtime.sites.count());
    await real.close();
  });
});
