import {
  closeSync,
  existsSync,
  mkdtempSync,
  openSync,
  readdirSync,
  rmSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, describe, expect, it } from "vitest";
import { sqliteGenerations } from "../../src/adapters/sqlite/generations.ts";
import { openSqliteIndex } from "../../src/adapters/sqlite/site-index.ts";
import type { IndexWrite } from "../../src/ports/index.ts";
import { put, remove, vectorOf } from "./index-document.ts";
import { siteIndexSuite } from "./site-index.ts";

const folder = mkdtempSync(join(tmpdir(), "bridge-index-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
let files = 0;
const newPath = (): string => join(folder, `${++files}.db`);

siteIndexSuite("the SQLite index", () => openSqliteIndex(newPath()));

describe("a word that stands in most of very many sites", () => {
  it("finds those with it in their names, however late they came, and says that the total is a lower bound", async () => {
    const index = await openSqliteIndex(newPath());
    const many = Array.from({ length: 12_000 }, (_, i) => put({ domain: `s${i}.example`, text: "hotel" }));
    await index.apply(many);
    await index.apply([
      put({ domain: "late.example", name: "Hotel Late" }),
      put({ domain: "rare.example", text: "hotel with a piano", city: "vienna" }),
    ]);
    const ask = (terms: string[], filter = {}) => index.candidates({ terms, filter, limit: 300 });
    const broad = await ask(["hotel"]);
    expect(broad.candidates).toHaveLength(300);
    expect(broad.candidates.map(({ siteId }) => siteId)).toContain("late.example");
    expect([broad.total, broad.totalIsExact]).toEqual([1_000, false]);
    expect(broad.documentFrequencies).toEqual([12_002]);
    const narrow = await ask(["hotel"], { place: "vienna" });
    expect([narrow.candidates.map(({ siteId }) => siteId), narrow.total]).toEqual([["rare.example"], 1]);
    const mixed = await ask(["hotel", "piano"]);
    expect(mixed.candidates[0]?.siteId).toBe("rare.example");
    expect(mixed.candidates).toHaveLength(300);
    await index.close();
  });
});

describe("a generation that another replaced", () => {
  const beginnings = ["in threads", "in place"] as const;
  it.for(beginnings)(
    "answers its first search by meaning although its files are gone, and leaves none (%s)",
    async (reading) => {
      const home = join(folder, reading);
      const live = await sqliteGenerations(home, reading).openLive();
      await live.apply([put({ domain: "old.example", vector: [90, 10] })]);
      const nearest = async () => {
        const query = { terms: ["harp"], filter: {}, limit: 9, vector: vectorOf([90, 10]) };
        return (await live.candidates(query)).candidates.map(({ siteId }) => siteId);
      };
      for (const file of readdirSync(home)) rmSync(join(home, file));
      expect(await nearest()).toEqual(["old.example"]);
      expect(readdirSync(home)).toEqual([]);
      await live.close();
    },
  );

  it("keeps its files until every process has followed", async () => {
    const home = join(folder, "followed");
    const generations = sqliteGenerations(home);
    const live = await generations.openLive();
    const { id } = live;
    const next = await generations.createNext();
    await next.index.close();
    const replaced = await generations.switchTo(next.name);
    const removed = generations.remove(replaced);
    await expect.poll(() => live.id, { timeout: 5_000, interval: 10 }).not.toBe(id);
    expect(existsSync(join(home, replaced))).toBe(true);
    await removed;
    expect(existsSync(join(home, replaced))).toBe(false);
    await live.close();
  });
});

/** The same site under another domain. */
const twin = (write: IndexWrite): IndexWrite =>
  write.kind === "put"
    ? { kind: "put", document: { ...write.document, siteId: `twin.${write.document.siteId}` } }
    : write;

describe("sites of segments that are flushed", () => {
  it("are found, changed and removed as those are that came last", async () => {
    const path = newPath();
    const index = await openSqliteIndex(path);
    const many = Array.from({ length: 4_200 }, (_, i) =>
      put({ domain: `s${i}.example`, text: i % 2 === 0 ? "even" : "odd", category: `c${i % 3}` }),
    );
    await index.apply(many);
    const counts = async (reader = index) => {
      const set = await reader.candidates({ terms: ["even", "odd", "cygnet"], filter: {}, limit: 0 });
      return [set.documents, ...set.documentFrequencies];
    };
    const found = async (term: string, filter = {}) =>
      (await index.candidates({ terms: [term], filter, limit: 10 })).candidates.map(({ siteId }) => siteId);
    expect(await counts()).toEqual([4_200, 2_100, 2_100, 0]);

    // One of the flushed segment and one of the last, each way.
    await index.apply([
      put({ domain: "s0.example", text: "cygnet", category: "birds", revision: 2 }),
      put({ domain: "s4198.example", text: "cygnet", category: "birds", revision: 2 }),
      remove("s1.example", 2),
      remove("s4199.example", 2),
    ]);
    expect(await counts()).toEqual([4_198, 2_098, 2_098, 2]);
    expect(await found("cygnet")).toEqual(["s0.example", "s4198.example"]);
    expect(await found("cygnet", { category: "birds" })).toEqual(["s0.example", "s4198.example"]);
    expect(await found("cygnet", { category: "c0" })).toEqual([]);
    expect(await index.similarTerms({ term: "cygnat", limit: 5 })).toEqual(["cygnet"]);

    await index.apply([remove("s0.example", 3), put({ domain: "s4198.example", text: "odd", revision: 3 })]);
    expect(await found("cygnet")).toEqual([]);
    expect(await index.similarTerms({ term: "cygnat", limit: 5 })).toEqual([]);
    expect(await counts()).toEqual([4_197, 2_098, 2_099, 0]);
    const other = await openSqliteIndex(path, { readers: 1 });
    expect(await counts(other)).toEqual([4_197, 2_098, 2_099, 0]);

    // The next segment is flushed by another process, with a term that came to the first one and one that came to its own.
    await index.apply([put({ domain: "s2.example", text: "cygnet", revision: 2 })]);
    await other.apply([put({ domain: "late.example", text: "merganser" }), ...many.map(twin)]);
    expect(await counts()).toEqual([8_398, 4_197, 4_199, 1]);
    expect(await index.similarTerms({ term: "cygnat", limit: 5 })).toEqual(["cygnet"]);
    expect(await index.similarTerms({ term: "merganz", limit: 5 })).toEqual(["mergans"]);
    expect(await found("cygnet")).toEqual(["s2.example"]);
    await Promise.all([index.close(), other.close()]);
  });
});

describe("an index file", () => {
  it("keeps its sites, its id and its tombstones over a restart", async () => {
    const path = newPath();
    const first = await openSqliteIndex(path);
    await first.apply([put({ domain: "a.example", text: "kept" }), remove("b.example", 5)]);
    await first.close();
    const second = await openSqliteIndex(path);
    expect(second.id).toBe(first.id);
    await second.apply([put({ domain: "b.example", revision: 4 })]);
    expect(await second.stats()).toMatchObject({ documents: 1 });
    expect((await second.candidates({ terms: ["kept"], filter: {}, limit: 5 })).candidates).toHaveLength(1);
    await second.close();
  });

  it("serves two that write and read it at once", async () => {
    const path = newPath();
    const [one, two] = await Promise.all([openSqliteIndex(path), openSqliteIndex(path, { readers: 1 })]);
    expect(one.id).toBe(two.id);
    const batch = (from: number) =>
      Array.from({ length: 20 }, (_, i) => put({ domain: `s${from + i}.example`, text: "shared" }));
    await Promise.all(
      [0, 20, 40, 60].flatMap((from) => [one.apply(batch(from)), two.apply(batch(from + 10))]),
    );
    for (const index of [one, two]) {
      const set = await index.candidates({ terms: ["share"], filter: {}, limit: 200 });
      expect([set.documents, set.total, set.candidates.length]).toEqual([90, 90, 90]);
    }
    await Promise.all([one.close(), two.close()]);
  });

  it("that is no database is moved aside for a new index", async () => {
    const path = newPath();
    writeFileSync(path, "this was never a database, whatever its name says".repeat(100));
    const index = await openSqliteIndex(path);
    await index.apply([put({ domain: "a.example" })]);
    expect(await index.stats()).toMatchObject({ documents: 1 });
    expect(existsSync(`${path}.unusable`)).toBe(true);
    await index.close();
  });

  it("of a schema version that is not known is moved aside, with a new id", async () => {
    const path = newPath();
    const old = await openSqliteIndex(path);
    await old.close();
    const db = new DatabaseSync(path);
    db.exec("PRAGMA user_version = 99");
    db.close();
    const index = await openSqliteIndex(path);
    expect(index.id).not.toBe(old.id);
    await index.close();
  });

  it("whose inside is damaged fails the calls that meet it, and is replaced at the next start", async () => {
    const path = newPath();
    const first = await openSqliteIndex(path);
    await first.apply(
      Array.from({ length: 500 }, (_, i) => put({ domain: `s${i}.example`, text: "word ".repeat(9) })),
    );
    await first.close();
    const db = new DatabaseSync(path);
    const root = db.prepare("SELECT rootpage FROM sqlite_schema WHERE name = 'listings'").get() as {
      rootpage: number;
    };
    const { page_size: pageSize } = db.prepare("PRAGMA page_size").get() as { page_size: number };
    db.close();
    const file = openSync(path, "r+");
    writeSync(file, Buffer.alloc(pageSize, 0xee), 0, pageSize, (root.rootpage - 1) * pageSize);
    closeSync(file);

    const fates: string[] = [];
    for (let start = 0; start < 3 && fates.at(-1) !== "new"; start++) {
      const index = await openSqliteIndex(path);
      const answered = await index.get("s1.example").then(
        () => "answered",
        () => "refused",
      );
      fates.push(index.id === first.id ? answered : "new");
      await index.close();
    }
    expect(fates.at(-1)).toBe("new");
    expect(fates).not.toContain("answered");
  });

  it("that cannot be made rejects with the reason", async () => {
    const blocked = newPath();
    writeFileSync(blocked, "");
    await expect(openSqliteIndex(join(blocked, "below.db"))).rejects.toThrow();
  });

  it("whose write fails halfway rejects the batch and changes nothing", async () => {
    const path = newPath();
    const index = await openSqliteIndex(path);
    await index.apply([put({ domain: "before.example" })]);
    // As SQLite reports a full disk: an error from the middle of a batch.
    const other = new DatabaseSync(path);
    other.exec(
      "CREATE TRIGGER full BEFORE INSERT ON listings WHEN new.listing LIKE '%late%' BEGIN SELECT RAISE(ABORT, 'database or disk is full'); END",
    );
    other.close();
    await expect(
      index.apply([put({ domain: "early.example" }), put({ domain: "late.example" })]),
    ).rejects.toThrow("disk is full");
    expect(await index.get("early.example")).toBeUndefined();
    expect(await index.stats()).toMatchObject({ documents: 1 });
    await index.apply([put({ domain: "after.example" })]);
    expect(await index.stats()).toMatchObject({ documents: 2 });
    await index.close();
  });
});
