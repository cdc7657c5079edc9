import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { acquire, Semaphore } from "../../src/concurrency/semaphore.ts";

describe("a semaphore", () => {
  it("hands its permits on in the order of arrival, to a bounded queue", async () => {
    const semaphore = new Semaphore(1, 2);
    const order: number[] = [];
    expect([semaphore.tryAcquire(), semaphore.tryAcquire()]).toEqual([true, false]);
    const waiting = [1, 2].map((i) => acquire(semaphore).then(() => order.push(i)));
    expect(await acquire(semaphore)).toBe("full");
    semaphore.release();
    semaphore.release();
    await Promise.all(waiting);
    expect(order).toEqual([1, 2]);
    semaphore.release();
    expect(semaphore.tryAcquire()).toBe(true);
  });

  it("forgets who stops waiting", async () => {
    const semaphore = new Semaphore(1, 2);
    semaphore.tryAcquire();
    const stop = new AbortController();
    const [stopped, other] = [acquire(semaphore, stop.signal), acquire(semaphore)];
    stop.abort();
    expect([await stopped, semaphore.waiting]).toEqual(["aborted", 1]);
    semaphore.release();
    expect(await other).toBe("acquired");
    expect(await acquire(semaphore, stop.signal)).toBe("aborted");
  });

  it("gives a permit to nobody who was aborted, whatever came in which order", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 3 }),
        fc.array(fc.record({ abort: fc.boolean(), releaseFirst: fc.boolean() }), { maxLength: 40 }),
        async (permits, callers) => {
          const semaphore = new Semaphore(permits, 20);
          let held = 0;
          const outcomes = callers.map(async ({ abort, releaseFirst }) => {
            const stop = new AbortController();
            const outcome = acquire(semaphore, stop.signal).then((result) => {
              if (result === "acquired") expect(++held).toBeLessThanOrEqual(permits);
              return result;
            });
            if (abort) stop.abort();
            if ((await outcome) !== "acquired") return;
            if (!releaseFirst) await Promise.resolve();
            held--;
            semaphore.release();
          });
          await Promise.all(outcomes);
          expect([semaphore.available, semaphore.waiting]).toEqual([permits, 0]);
        },
      ),
    );
  });

  it("keeps its queue as long as those who wait, through many turns", async () => {
    const semaphore = new Semaphore(1);
    semaphore.tryAcquire();
    const order: number[] = [];
    const waiting = Array.from({ length: 5_000 }, (_, i) =>
      acquire(semaphore).then(() => {
        order.push(i);
        semaphore.release();
      }),
    );
    semaphore.release();
    await Promise.all(waiting);
    expect(order).toEqual(Array.from({ length: 5_000 }, (_, i) => i));
  });
});
