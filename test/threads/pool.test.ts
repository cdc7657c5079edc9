import { afterAll, describe, expect, it, onTestFinished } from "vitest";
import { Pool } from "../../src/threads/pool.ts";

const thread = new URL("./pool-tasks.ts", import.meta.url);

describe("a pool of scan threads", () => {
  const pool = new Pool({ thread, threads: 1, maxWaiting: 2, jobTimeoutMs: 1_000 });
  afterAll(() => pool.close());

  it("answers with what the task returns", async () => {
    expect(await pool.run("double", 21)).toEqual({ ok: true, value: 42 });
  });

  it("says what a task threw, and goes on", async () => {
    expect(await pool.run("throw", null)).toMatchObject({ ok: false, fault: "threw" });
    expect(await pool.run("missing", null)).toMatchObject({ ok: false, fault: "threw" });
    expect(await pool.run("double", 1)).toEqual({ ok: true, value: 2 });
  });

  it("ends a task that does not, and goes on in a new thread", async () => {
    expect(await pool.run("forever", null)).toMatchObject({ ok: false, fault: "timeout" });
    expect(await pool.run("double", 2)).toEqual({ ok: true, value: 4 });
  });

  it("ends a task that takes all memory, and goes on in a new thread", async () => {
    const patient = new Pool({ thread, threads: 1, jobTimeoutMs: 30_000 });
    onTestFinished(() => patient.close());
    expect(await patient.run("hoard", null)).toMatchObject({ ok: false, fault: "crashed" });
    expect(await patient.run("double", 3)).toEqual({ ok: true, value: 6 });
  });

  it("refuses what is more than may wait", async () => {
    const results = await Promise.all([1, 2, 3, 4, 5].map((n) => pool.run("double", n)));
    expect(results.filter(({ ok }) => ok).length).toBeGreaterThanOrEqual(2);
    expect(results.filter((result) => !result.ok && result.fault === "full").length).toBeGreaterThan(0);
  });

  it("settles what waits when it is closed", async () => {
    const closing = new Pool({ thread, threads: 1 });
    const waiting = [closing.run("forever", null), closing.run("double", 1)];
    await closing.close();
    for (const result of await Promise.all(waiting)) expect(result).toMatchObject({ fault: "closed" });
    expect(await closing.run("double", 1)).toMatchObject({ fault: "closed" });
  });
});
