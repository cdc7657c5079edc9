import { afterAll, describe, expect, it } from "vitest";
import type { Principals } from "../../src/rpc/contract.ts";
import { Failure } from "../../src/rpc/errors.ts";
import { LIMITS } from "../../src/rpc/limit-table.ts";
import { ThreadPool } from "../../src/threads/pool.ts";
import { tasksOf } from "../../src/threads/task.ts";
import { type Caller, threadTasks } from "../../src/threads/thread-tasks.ts";
import { watchTurns } from "../support/turns.ts";
import type * as poolTasks from "./pool-tasks.ts";

const task = tasksOf<typeof poolTasks>(new URL("./pool-tasks.ts", import.meta.url));
const DEADLINE_MS = 700;
const poolOf = (jobTimeoutMs: number): ThreadPool => new ThreadPool({ threads: 1, jobTimeoutMs });
const pool = poolOf(DEADLINE_MS);
afterAll(() => pool.close());

function callerOf(account: string, clientAddress: string, timeoutMs = 60_000): Caller {
  const principal: Principals["key"] = {
    kind: "key",
    keyId: account,
    keyHash: account,
    usageId: account,
    plan: "FREE",
    accountId: null,
    standing: "new",
  };
  return { clientAddress, timeoutMs, principal };
}
const open = (on = pool) => threadTasks(on, { threads: 1, waiting: LIMITS.thread_tasks.by, units: 8 });
const codeOf = (result: unknown): string => (result instanceof Failure ? result.code : "answered");

describe("a task that does not end", () => {
  it("is ended at its deadline: the caller is told what to do, and the event loop was free", async () => {
    const tasks = open();
    const longest = watchTurns();
    const result = await tasks.run(task("forever"), null, callerOf("a", "192.0.2.1"));
    expect(longest()).toBeLessThan(50);
    expect(result).toMatchObject({
      code: "content_too_costly",
      detail: expect.stringContaining("Send less of it"),
    });
    expect(await tasks.run(task("double"), 21, callerOf("a", "192.0.2.1"))).toBe(42);
  });

  it("thirty of one key do not delay another key's by more than one deadline, from the same network or another", async () => {
    for (const address of ["192.0.2.1", "198.51.100.1"]) {
      const own = poolOf(DEADLINE_MS);
      const tasks = open(own);
      const hostile = Array.from({ length: 30 }, () =>
        tasks.run(task("forever"), null, callerOf("hostile", "192.0.2.1")),
      );
      // Another job of the hostile key is running when the other key's comes.
      await new Promise((resolve) => setTimeout(resolve, DEADLINE_MS + 100));
      const finished: string[] = [];
      for (const one of hostile) void one.then((result) => finished.push(codeOf(result)));
      await new Promise(setImmediate);
      const before = finished.filter((code) => code === "content_too_costly").length;
      const other = await tasks.run(task("double"), 4, callerOf("other", address));
      expect(other).toBe(8);
      const during = finished.filter((code) => code === "content_too_costly").length - before;
      expect(during).toBeLessThanOrEqual(1);
      // One ran and 24 waited; the rest were told so at once.
      expect(finished.filter((code) => code === "unavailable")).toHaveLength(5);
      await own.close();
      await Promise.all(hostile);
    }
  });

  it("is refused as too much of its caller's or of its site's, so that who forwards it holds only the caller to less", async () => {
    const own = poolOf(DEADLINE_MS);
    const tasks = threadTasks(own, {
      threads: 1,
      waiting: { total: { atOnce: 10 }, key: { atOnce: 1 }, domain: { atOnce: 2 } },
    });
    const run = (key: string, site: string) =>
      tasks.run(task("double"), 1, callerOf(key, ""), site) as Promise<unknown>;
    const [, , callers, , sites] = await Promise.all([
      ...[run("a", "one.example"), run("a", "one.example"), run("a", "two.example")],
      ...[run("b", "one.example"), run("c", "one.example")],
    ]);
    expect(callers).toMatchObject({
      callerOverloaded: true,
      overloaded: false,
      detail: expect.stringContaining("yours"),
    });
    expect(sites).toMatchObject({
      callerOverloaded: false,
      overloaded: false,
      detail: expect.stringContaining("site"),
    });
    await own.close();
  });

  it("that takes all memory is told apart from a service that is busy", async () => {
    const patient = poolOf(30_000);
    const tasks = threadTasks(patient, { threads: 1, waiting: { total: { atOnce: 1 } } });
    const [hoard, waits, refused] = await Promise.all([
      tasks.run(task("hoard"), null, callerOf("a", "")),
      tasks.run(task("double"), 1, callerOf("b", "")),
      tasks.run(task("double"), 1, callerOf("c", "")),
    ]);
    expect([codeOf(hoard), waits, codeOf(refused)]).toEqual(["content_too_costly", 2, "unavailable"]);
    expect(refused).toMatchObject({ retryAfterSeconds: 2 });
    await patient.close();
  }, 60_000);

  it("is told as a bug where it throws", async () => {
    await expect(open().run(task("fails"), null, callerOf("a", ""))).rejects.toThrow("no");
  });

  it("answers nobody whose deadline has passed before its turn", async () => {
    const tasks = open();
    const [, late] = await Promise.all([
      tasks.run(task("forever"), null, callerOf("a", "")),
      tasks.run(task("double"), 1, callerOf("b", "", 100)),
    ]);
    expect(late).toMatchObject({ code: "unavailable", detail: expect.stringContaining("not read in time") });
  });
});
