import { describe, expect, it } from "vitest";
import { KeyedMutex } from "../../src/concurrency/keyed-mutex.ts";

describe("a mutex for each key", () => {
  it("runs one at a time, in order, also after one that failed", async () => {
    const mutex = new KeyedMutex();
    const ran: string[] = [];
    let running = 0;
    const work = (name: string) => async () => {
      expect(++running).toBe(1);
      await Promise.resolve();
      running--;
      ran.push(name);
      if (name === "b") throw new Error("b fails");
      return name;
    };
    const results = await Promise.allSettled(["a", "b", "c"].map((name) => mutex.run("one", work(name))));
    expect(ran).toEqual(["a", "b", "c"]);
    expect(results.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
  });

  it("does not make one key wait for another", async () => {
    const mutex = new KeyedMutex();
    const { promise, resolve } = Promise.withResolvers<void>();
    const held = mutex.run("one", () => promise);
    expect(await mutex.run("two", async () => "done")).toBe("done");
    resolve();
    await held;
  });

  it("takes one holder and as many that wait as it may, and forgets a key that nobody wants", async () => {
    const mutex = new KeyedMutex(16);
    const { promise, resolve } = Promise.withResolvers<string>();
    const taken = Array.from({ length: 20 }, () => mutex.run("one", () => promise));
    expect(mutex.size).toBe(1);
    resolve("ran");
    const results = await Promise.all(taken);
    expect(results.filter((result) => result === "ran")).toHaveLength(17);
    expect(results.slice(17)).toEqual(["full", "full", "full"]);
    expect(mutex.size).toBe(0);
  });

  it("forgets a key whose waiter gave up", async () => {
    const mutex = new KeyedMutex();
    expect(mutex.tryAcquire("one")).toBe(true);
    const stop = new AbortController();
    const waiting = mutex.acquire("one", stop.signal);
    stop.abort();
    expect(await waiting).toBe("aborted");
    mutex.release("one");
    expect(mutex.size).toBe(0);
  });
});
