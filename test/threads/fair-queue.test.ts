import { describe, expect, it } from "vitest";
import { type Asker, FairQueue } from "../../src/threads/fair-queue.ts";

const by = (id: string, mostWaiting = 100): Asker => ({ id, mostWaiting });

/** A queue with jobs that take so many milliseconds of a clock that only they move. */
function rig(options: { running?: number; maxWaiting?: number } = {}) {
  let now = 0;
  const queue = new FairQueue({ running: 1, maxWaiting: 100, ...options, now: () => now });
  const order: string[] = [];
  const job = (name: string, ms: number, askers: readonly Asker[], waitMs = 1e9) =>
    queue.run(askers, { waitMs }, async () => {
      await new Promise(setImmediate);
      now += ms;
      order.push(name);
    });
  return { order, job };
}

describe("a fair queue", () => {
  it("lets a caller's first job pass another's hundred", async () => {
    const { order, job } = rig();
    const hostile = Array.from({ length: 50 }, (_, i) => job(`h${i}`, 4_000, [by("hostile")]));
    await Promise.all([...hostile, job("first", 10, [by("other")])]);
    expect(order.indexOf("first")).toBe(1);
  });

  it("goes by accounts where they come from one network, and by networks else", async () => {
    const { order, job } = rig();
    const jobs = [
      ...[1, 2, 3].map((i) => job(`account ${i}`, 1_000, [by("network 1"), by(`account ${i}`)])),
      job("another", 1_000, [by("network 2"), by("account 4")]),
      job("another again", 1_000, [by("network 2"), by("account 4")]),
      job("neighbor", 1_000, [by("network 1"), by("account 5")]),
    ];
    await Promise.all(jobs);
    // One of network 1 ran first: network 2 is owed a turn, then a second account of network 1, before anybody's second.
    expect(order).toEqual(["account 1", "another", "account 2", "another again", "account 3", "neighbor"]);
  });

  it("takes jobs of equals as they came", async () => {
    const { order, job } = rig();
    await Promise.all([1, 2, 3, 4].map((i) => job(`${i}`, 0, [by(`${i}`)])));
    expect(order).toEqual(["1", "2", "3", "4"]);
  });

  it("forgets what was taken long ago", async () => {
    const { order, job } = rig();
    await job("old", 1_000, [by("heavy")]);
    await job("time passes", 600_000, []);
    await Promise.all([
      job("running", 500, [by("light")]),
      job("light", 1, [by("light")]),
      job("heavy", 1, [by("heavy")]),
    ]);
    expect(order.slice(-2)).toEqual(["heavy", "light"]);
  });

  it("refuses more than one asker may have waiting, and still takes others'", async () => {
    const { job } = rig();
    const results = await Promise.all([
      ...[1, 2, 3, 4].map((i) => job(`${i}`, 1, [by("one", 2)])),
      job("other", 1, [by("other", 2)]),
    ]);
    expect(results.map((turn) => (turn.ok ? "ran" : turn.why))).toEqual([
      "ran",
      "ran",
      "ran",
      "asker_full",
      "ran",
    ]);
  });

  it("refuses everybody where nobody's may wait, and takes again what comes later", async () => {
    const { job } = rig({ maxWaiting: 1 });
    const results = await Promise.all([1, 2, 3].map((i) => job(`${i}`, 1, [by(`${i}`)])));
    expect(results.map((turn) => (turn.ok ? "ran" : turn.why))).toEqual(["ran", "ran", "full"]);
    expect(await job("later", 1, [by("3")])).toMatchObject({ ok: true });
  });

  it("does not run what nobody waits for any more", async () => {
    const { order, job } = rig();
    const [, late] = await Promise.all([job("long", 5_000, [by("a")]), job("late", 1, [by("b")], 1_000)]);
    expect([late, order]).toEqual([{ ok: false, why: "late" }, ["long"]]);
  });

  it("forgets a waiting job whose caller has gone away, and ends one that runs", async () => {
    const queue = new FairQueue({ running: 1, maxWaiting: 10 });
    const leaving = new AbortController();
    const { promise, resolve } = Promise.withResolvers<string>();
    const [runs, waits] = [1, 2].map((i) =>
      queue.run([by("a")], { waitMs: 60_000, signal: leaving.signal }, () =>
        i === 1 ? promise : Promise.resolve("never"),
      ),
    );
    leaving.abort();
    expect(await waits).toEqual({ ok: false, why: "late" });
    resolve("done");
    expect(await runs).toEqual({ ok: true, value: "done" });
    expect(await queue.run([by("a")], { waitMs: 1_000 }, async () => "next")).toMatchObject({ ok: true });
  });

  it("goes on after a job that threw", async () => {
    const queue = new FairQueue({ running: 1, maxWaiting: 10 });
    const broken = queue.run([by("a")], { waitMs: 1_000 }, () => Promise.reject(new Error("a bug")));
    await expect(broken).rejects.toThrow("a bug");
    expect(await queue.run([by("a")], { waitMs: 1_000 }, async () => 1)).toEqual({ ok: true, value: 1 });
  });

  it("runs as many at once as there are threads", async () => {
    const queue = new FairQueue({ running: 2, maxWaiting: 10 });
    let [running, most] = [0, 0];
    const work = async () => {
      most = Math.max(most, ++running);
      await new Promise((resolve) => setTimeout(resolve, 5));
      running--;
    };
    await Promise.all([1, 2, 3, 4, 5].map(() => queue.run([by("a")], { waitMs: 1_000 }, work)));
    expect([most, running]).toEqual([2, 0]);
  });
});
