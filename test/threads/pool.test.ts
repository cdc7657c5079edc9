import { spawnSync } from "node:child_process";
import { getPriority } from "node:os";
import { afterAll, describe, expect, it, onTestFinished } from "vitest";
import { ThreadPool } from "../../src/threads/pool.ts";
import { tasksOf } from "../../src/threads/task.ts";
import type * as poolTasks from "./pool-tasks.ts";

const thread = new URL("./pool-tasks.ts", import.meta.url);
const task = tasksOf<typeof poolTasks>(thread);

describe("a pool of scan threads", () => {
  const pool = new ThreadPool({ threads: 1, maxWaiting: 2, jobTimeoutMs: 1_000 });
  afterAll(() => pool.close());

  it("answers with what the task returns", async () => {
    expect(await pool.run(task("double"), 21)).toEqual({ ok: true, value: 42 });
  });

  it("gives way to the event loops where the system lets it", async () => {
    const tells = process.platform === "linux";
    expect(await pool.run(task("ownPriority"), null)).toEqual({
      ok: true,
      value: getPriority() + (tells ? 5 : 0),
    });
  });

  it("says what a task threw, and goes on", async () => {
    expect(await pool.run(task("fails"), null)).toMatchObject({ ok: false, fault: "threw" });
    expect(await pool.run({ module: thread.href, name: "missing" }, null)).toMatchObject({
      ok: false,
      fault: "threw",
    });
    expect(await pool.run(task("double"), 1)).toEqual({ ok: true, value: 2 });
  });

  it("ends a task that does not, and goes on in a new thread", async () => {
    expect(await pool.run(task("forever"), null)).toMatchObject({ ok: false, fault: "timeout" });
    expect(await pool.run(task("double"), 2)).toEqual({ ok: true, value: 4 });
  });

  it("ends an expression that backtracks for ever, and works off what waits", async () => {
    const startedMs = performance.now();
    const results = await Promise.all([
      pool.run(task("expression"), null),
      pool.run(task("double"), 3),
      pool.run(task("double"), 4),
    ]);
    expect(results).toMatchObject([
      { ok: false, fault: "timeout" },
      { ok: true, value: 6 },
      { ok: true, value: 8 },
    ]);
    expect(performance.now() - startedMs).toBeLessThan(5_000);
  });

  it("ends by processor time what works, not what waits", async () => {
    const thrifty = new ThreadPool({ threads: 1, jobTimeoutMs: 20_000, jobCpuMs: 300 });
    onTestFinished(() => thrifty.close());
    expect(await thrifty.run(task("wait"), 1_000)).toEqual({ ok: true, value: "waited" });
    const startedMs = performance.now();
    expect(await thrifty.run(task("expression"), null)).toMatchObject({
      fault: "timeout",
      detail: expect.stringContaining("processor time"),
    });
    expect(performance.now() - startedMs).toBeLessThan(10_000);
  });

  it("says so when its module cannot be loaded", async () => {
    const broken = new ThreadPool({ threads: 1 });
    onTestFinished(() => broken.close());
    const missing = { module: new URL("./no-such-module.ts", import.meta.url).href, name: "double" };
    expect(await broken.run(missing, 1)).toMatchObject({ fault: "threw" });
  });

  it("ends what hangs while its thread is still being started", async () => {
    const hasty = new ThreadPool({ threads: 1, jobTimeoutMs: 1 });
    onTestFinished(() => hasty.close());
    const results = await Promise.all([hasty.run(task("double"), 1), hasty.run(task("double"), 2)]);
    expect(results).toMatchObject([{ fault: "timeout" }, { fault: "timeout" }]);
  });

  it("keeps no process alive once it has nothing to do", async () => {
    const program = `
      import { ThreadPool } from ${JSON.stringify(new URL("../../src/threads/pool.ts", import.meta.url).href)};
      const pool = new ThreadPool();
      console.log(JSON.stringify(await pool.run({ module: ${JSON.stringify(thread.href)}, name: "double" }, 21)));
    `;
    const { stdout, status } = spawnSync(process.execPath, ["--input-type=module", "-e", program], {
      encoding: "utf8",
      timeout: 20_000,
    });
    expect(stdout.trim()).toBe('{"ok":true,"value":42}');
    expect(status).toBe(0);
  });

  it("ends a task that takes all memory, and goes on in a new thread", async () => {
    const patient = new ThreadPool({ threads: 1, jobTimeoutMs: 30_000 });
    onTestFinished(() => patient.close());
    expect(await patient.run(task("hoard"), null)).toMatchObject({ ok: false, fault: "crashed" });
    expect(await patient.run(task("double"), 3)).toEqual({ ok: true, value: 6 });
  });

  it("refuses what is more than may wait", async () => {
    const results = await Promise.all([1, 2, 3, 4, 5].map((n) => pool.run(task("double"), n)));
    expect(results.filter(({ ok }) => ok).length).toBeGreaterThanOrEqual(2);
    expect(results.filter((result) => !result.ok && result.fault === "full").length).toBeGreaterThan(0);
  });

  it("settles what waits when it is closed", async () => {
    const closing = new ThreadPool({ threads: 1 });
    const waiting = [closing.run(task("forever"), null), closing.run(task("double"), 1)];
    await closing.close();
    for (const result of await Promise.all(waiting)) expect(result).toMatchObject({ fault: "closed" });
    expect(await closing.run(task("double"), 1)).toMatchObject({ fault: "closed" });
  });
});
