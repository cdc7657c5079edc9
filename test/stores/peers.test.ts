import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openSqliteIndex } from "../../src/adapters/sqlite/site-index.ts";
import { IndexUnavailable, type SiteIndex } from "../../src/ports/index.ts";
import { openPeers } from "../../src/stores/peers.ts";
import { put } from "../ports/index-document.ts";

const NOW = Date.parse("2026-03-01T12:00:00Z");

describe("the peers of a young registry", () => {
  const folder = mkdtempSync(join(tmpdir(), "bridge-peers-"));
  let index: SiteIndex;
  beforeAll(async () => {
    index = await openSqliteIndex(join(folder, "index.db"), { readers: 1 });
  });
  afterAll(async () => {
    await index.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const verify = (name: string, i: number) =>
    index.apply([
      put({
        domain: `${name}.example`,
        sampleKey: i * 2 ** 28,
        network: `198.${i}.0.0/16`,
        verifiedAt: NOW - 1_000,
        expiresAt: NOW + 1_000,
      }),
    ]);
  const peers = async (...readers: string[]) =>
    (
      await openPeers({ index: async () => index, now: () => NOW, secret: "secret" })(
        "reader",
        new Set(readers),
      )
    )
      .map(({ siteId }) => siteId)
      .sort();

  it("are all of the first three, without the reader's own", async () => {
    expect(await peers()).toEqual([]);
    await verify("one", 1);
    expect(await peers()).toEqual(["one.example"]);
    expect(await peers("one.example")).toEqual([]);
    await verify("two", 2);
    await verify("three", 3);
    expect(await peers()).toEqual(["one.example", "three.example", "two.example"]);
    expect(await peers("two.example")).toEqual(["one.example", "three.example"]);
    await verify("four", 4);
    expect(await peers()).toHaveLength(3);
    expect(await peers("four.example")).toEqual(["one.example", "three.example", "two.example"]);
  });

  it("are those of earlier samples while the index is away", async () => {
    let isAway = false;
    const peersFor = openPeers({
      index: async () => {
        if (isAway) throw new IndexUnavailable("away");
        return index;
      },
      now: () => NOW,
      secret: "secret",
    });
    const before = await peersFor("reader", new Set());
    isAway = true;
    expect(before.length).toBeGreaterThan(0);
    expect((await peersFor("another", new Set())).length).toBe(before.length);
    const fresh = openPeers({
      index: () => Promise.reject(new IndexUnavailable("away")),
      now: () => NOW,
      secret: "secret",
    });
    expect(await fresh("reader", new Set())).toEqual([]);
  });
});
