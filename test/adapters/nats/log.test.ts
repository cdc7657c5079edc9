import { randomBytes } from "node:crypto";
import { describe, expect, it, onTestFinished } from "vitest";
import { systemClock } from "../../../src/adapters/clock/system-clock.ts";
import { openLog } from "../../../src/adapters/nats/log.ts";
import type { NatsBroker } from "../../../src/adapters/nats/nats-broker.ts";
import { auditCopy } from "../../../src/domain/trust/tlog/audit.ts";
import { leafHash, verifyConsistency, verifyInclusion } from "../../../src/domain/trust/tlog/merkle.ts";
import { parseNoteKey } from "../../../src/domain/trust/tlog/note.ts";
import { parseTilePath } from "../../../src/domain/trust/tlog/tiles.ts";
import { type Leaf, LogBroken, type LogTopic, type TransparencyLog } from "../../../src/ports/log.ts";
import { openIdentity } from "../../../src/stores/identity.ts";
import { joinBroker } from "../../support/gate.ts";

const topic = (project: string): LogTopic => ({ kind: "interaction", project });
const prefixOf = () => `t${randomBytes(6).toString("hex")}`;

/** One more worker of a log, on a connection of its own. */
async function join(prefix: string): Promise<{ broker: NatsBroker; log: TransparencyLog }> {
  const broker = await joinBroker(prefix);
  onTestFinished(() => broker.close());
  const identity = await openIdentity(broker.buckets.service);
  return { broker, log: await openLog(broker, identity, "https://registry.example", systemClock) };
}

/** Appends numbered entries, many at once. */
const fill = (log: TransparencyLog, from: number, to: number, project = "p") =>
  Promise.all(
    Array.from({ length: to - from }, (_, i) =>
      log.append(topic(project), `${project}${from + i}`, Buffer.from(`${project} ${from + i}`)),
    ),
  );

/** A reader of the log as the public path serves it. */
async function audit(log: TransparencyLog, earlier?: string) {
  const { note } = await log.head();
  const read = async (path: string) => {
    if (path === "checkpoint") return Buffer.from(note);
    const name = parseTilePath(path);
    return name && log.tile(name);
  };
  return auditCopy(read, { key: parseNoteKey(log.key)!, ...(earlier && { earlier: Buffer.from(earlier) }) });
}

describe("the log on JetStream", () => {
  it("gives each entry one place, and a signed head with a proof of it", async () => {
    const { log } = await join(prefixOf());
    expect(await log.head()).toMatchObject({ size: 0 });
    const placed = await fill(log, 0, 600);
    expect(placed.map(({ leafIndex }) => leafIndex).sort((a, b) => a - b)).toEqual(placed.map((_, i) => i));
    for (const [i, { leafIndex, head }] of placed.entries()) {
      expect(head.size).toBeGreaterThan(leafIndex);
      if (i % 50 !== 0) continue;
      const proof = await log.inclusionProof(leafIndex, head.size);
      expect(verifyInclusion(leafIndex, head.size, leafHash(Buffer.from(`p ${i}`)), proof, head.root)).toBe(
        true,
      );
    }
    expect(await audit(log)).toMatchObject({ entries: 600, tiles: 4, faults: [] });
  });

  it("keeps an entry that is sent twice once", async () => {
    const { log } = await join(prefixOf());
    const [first, again] = [
      await log.append(topic("p"), "same", Buffer.from("x")),
      await log.append(topic("p"), "same", Buffer.from("x")),
    ];
    expect(again.leafIndex).toBe(first.leafIndex);
    expect((await log.head()).size).toBe(1);
  });

  it("is one log for all workers that append at once, and its heads never go back", async () => {
    const prefix = prefixOf();
    const workers = await Promise.all([join(prefix), join(prefix), join(prefix)]);
    const placed = (await Promise.all(workers.map(({ log }, i) => fill(log, 0, 300, `w${i}`)))).flat();
    expect(new Set(placed.map(({ leafIndex }) => leafIndex)).size).toBe(900);
    const heads = await Promise.all(workers.map(({ log }) => log.head()));
    expect(new Set(heads.map(({ note }) => note)).size).toBe(1);
    for (const { log } of workers)
      expect(await audit(log, placed[0]!.head.note)).toMatchObject({ entries: 900, faults: [] });
    let size = 0;
    for (let i = 0; i < 30; i++) {
      if (i % 3 === 0) await fill(workers[0]!.log, 300 + i, 301 + i);
      const head = await workers[i % workers.length]!.log.head();
      expect(head.size).toBeGreaterThanOrEqual(size);
      size = head.size;
    }
  });

  it("goes on after its workers ended without a word, from what is stored", async () => {
    const prefix = prefixOf();
    const first = await join(prefix);
    const before = (await fill(first.log, 0, 700)).at(-1)!.head.note;
    // A worker that is killed leaves nothing behind but the broker's store; the next one finds the same key and name.
    const second = await join(prefix);
    expect((await second.log.head()).note).toBe((await first.log.head()).note);
    await fill(second.log, 700, 1_100);
    expect(await audit(second.log, before)).toMatchObject({ entries: 1_100, faults: [] });
    // Without the tiles that workers store on the way, it is still the same log: they follow from the entries.
    for await (const key of await second.broker.buckets.log.keys("edge"))
      await second.broker.buckets.log.remove(key);
    expect(await audit((await join(prefix)).log, before)).toMatchObject({ entries: 1_100, faults: [] });
  });

  it("reads the entries of one topic, in order, page by page", async () => {
    const { log } = await join(prefixOf());
    await fill(log, 0, 10, "a");
    await fill(log, 0, 5, "b");
    await log.append({ kind: "registration" }, "r", Buffer.from("r"));
    const first = await log.entries(topic("b"), -1, 3);
    const rest = await log.entries(topic("b"), first.at(-1)!.leafIndex, 100);
    expect([...first, ...rest].map(({ entry }) => Buffer.from(entry!).toString()).sort()).toEqual(
      [0, 1, 2, 3, 4].map((i) => `b ${i}`),
    );
    expect(await log.entries(topic("nobody"), -1, 3)).toEqual([]);
    expect(await log.entries({ kind: "registration" }, -1, 3)).toHaveLength(1);
  });

  it("erases what a leaf commits to, for ever, and no root, proof or older head changes", async () => {
    const prefix = prefixOf();
    const { broker, log } = await join(prefix);
    for (let i = 0; i < 5; i++) await log.commit(topic("p"), `c${i}`, Buffer.from(`secret ${i}`));
    const older = await log.head();
    for (let i = 5; i < 9; i++) await log.commit(topic("p"), `c${i}`, Buffer.from(`secret ${i}`));
    const before = await log.head();
    const proofsOf = (reader: TransparencyLog) =>
      Promise.all([
        ...[0, 3, 4, 8].map((leaf) => reader.inclusionProof(leaf, before.size)),
        reader.consistencyProof(older.size, before.size),
      ]);
    const proofs = await proofsOf(log);
    expect(await log.erase(3, "on request")).toMatchObject({ leaf_index: 3, form: "erased" });
    expect(await log.erase(9, "beyond")).toBeUndefined();

    const other = (await join(prefix)).log;
    expect((await other.head()).note).toBe(before.note);
    expect(await other.leaf(3)).toMatchObject({ leaf_index: 3, form: "erased", why: "on request" });
    const kept = await other.leaf(4);
    expect(Buffer.from((kept as Leaf).opening!.entry).toString()).toBe("secret 4");
    const listed = await other.entries(topic("p"), -1, 100);
    expect(listed.map(({ entry }) => entry && Buffer.from(entry).toString())).toEqual(
      Array.from({ length: 9 }, (_, i) => (i === 3 ? undefined : `secret ${i}`)),
    );
    expect(await proofsOf(other)).toEqual(proofs);
    expect(verifyConsistency(older.size, before.size, proofs.at(-1)!, older.root, before.root)).toBe(true);
    expect(await audit(other, older.note)).toMatchObject({ entries: 9, withheld: 0, faults: [] });
    const stored: string[] = [];
    for await (const key of broker.buckets.log_entries.keys())
      stored.push((await broker.buckets.log_entries.get(key))!.text());
    expect(stored).toHaveLength(8);
    expect(stored.join()).not.toContain("secret 3");
  });

  it("commits once to an entry that is sent twice", async () => {
    const { broker, log } = await join(prefixOf());
    const [first, again] = [
      await log.commit(topic("p"), "same", Buffer.from("a")),
      await log.commit(topic("p"), "same", Buffer.from("a")),
    ];
    expect(again.leafIndex).toBe(first.leafIndex);
    expect(await log.leaf(first.leafIndex)).toMatchObject({ opening: { entry: Buffer.from("a") } });
    const keys: string[] = [];
    for await (const key of broker.buckets.log_entries.keys()) keys.push(key);
    expect(keys).toHaveLength(1);
  });

  it("shows an entry no more whose leaf is the entry itself; auditors go by the hashes", async () => {
    const { log } = await join(prefixOf());
    await fill(log, 0, 3);
    expect(await log.erase(1, "by law")).toMatchObject({ form: "blocked" });
    expect(await log.leaf(1)).toMatchObject({ leaf_index: 1, form: "blocked" });
    expect((await log.entries(topic("p"), -1, 10)).filter(({ entry }) => !entry)).toHaveLength(1);
    const { note } = await log.head();
    const read = async (path: string) => {
      if (path === "checkpoint") return Buffer.from(note);
      return path.includes("entries") ? "withheld" : log.tile(parseTilePath(path)!);
    };
    const report = await auditCopy(read, { key: parseNoteKey(log.key)! });
    expect(report).toMatchObject({ entries: 0, withheld: 3, faults: [] });
  });

  it("has no tile beyond what it holds", async () => {
    const { log } = await join(prefixOf());
    await fill(log, 0, 3);
    for (const path of [
      "tile/0/000",
      "tile/0/000.p/4",
      "tile/1/000.p/1",
      "tile/entries/000.p/4",
      "tile/0/001.p/1",
    ])
      expect(await log.tile(parseTilePath(path)!), path).toBeUndefined();
    expect((await log.tile(parseTilePath("tile/0/000.p/2")!))?.length).toBe(64);
    expect(await log.tile(parseTilePath("tile/entries/000.p/3")!)).toBeDefined();
  });

  it("signs nothing that contradicts what was signed", async () => {
    const prefix = prefixOf();
    const { broker, log } = await join(prefix);
    await fill(log, 0, 5);
    // As a store would be that lost its last entries in a power cut, and as one that was put back from another copy.
    const head = (await broker.buckets.log.get("head"))!.json<{ root: string }>();
    await broker.buckets.log.put("head", JSON.stringify({ ...head, size: 9 }));
    await expect((await join(prefix)).log.head()).rejects.toThrow("has 5 entries, but 9 were signed");
    await broker.buckets.log.put("head", JSON.stringify({ ...head, size: 4 }));
    await expect((await join(prefix)).log.head()).rejects.toThrow(LogBroken);
  });

  it("takes nothing back: its stream can be neither purged nor thinned", async () => {
    const { broker, log } = await join(prefixOf());
    await fill(log, 0, 3);
    const stream = `${broker.prefix}_LOG`;
    await expect(broker.jsm.streams.purge(stream)).rejects.toThrow();
    await expect(broker.jsm.streams.deleteMessage(stream, 2)).rejects.toThrow();
  });
});
