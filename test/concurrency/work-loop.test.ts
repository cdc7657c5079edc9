import { pino } from "pino";
import { describe, expect, it, vi } from "vitest";
import { systemClock } from "../../src/adapters/clock/system-clock.ts";
import { startWorkLoop } from "../../src/concurrency/work-loop.ts";

/** A loop over numbers from 0 on, each of which works until it is told to end. */
function startNumbers({ concurrency = 3, isReadable = (): boolean => true } = {}) {
  const ending = new AbortController();
  const ends = new Map<number, () => void>();
  const asked: number[] = [];
  let next = 0;
  const loop = startWorkLoop<number>({
    concurrency,
    take: async (free, begin, signal) => {
      if (!isReadable()) throw new Error("no broker");
      asked.push(free);
      for (let taken = 0; taken < free; taken++) begin(next++);
      await systemClock.sleep(1, signal);
    },
    handle: (number) => {
      const { promise, resolve } = Promise.withResolvers<void>();
      ends.set(number, resolve);
      return promise.finally(() => ends.delete(number));
    },
    what: "the numbers",
    drainMs: 50,
    ending,
    clock: systemClock,
    log: pino({ enabled: false }),
  });
  return { loop, ending, ends, asked };
}

describe("a loop that takes work", () => {
  it("takes as many items as there are places, and asks once for those that fall free together", async () => {
    const { loop, ends, asked } = startNumbers();
    await vi.waitFor(() => expect([...ends.keys()]).toEqual([0, 1, 2]));
    ends.get(0)!();
    ends.get(2)!();
    await vi.waitFor(() => expect([...ends.keys()]).toEqual([1, 3, 4]));
    expect(asked).toEqual([3, 2]);
    for (const end of ends.values()) end();
    await loop.drain();
  });

  it("tries again after what it reads could not be read", async () => {
    let isReadable = false;
    const { loop, ends } = startNumbers({ isReadable: () => isReadable });
    await systemClock.sleep(20);
    expect(ends.size).toBe(0);
    isReadable = true;
    await vi.waitFor(() => expect(ends.size).toBe(3), 5_000);
    for (const end of ends.values()) end();
    await loop.drain();
  });

  it("lets what is under way end when it is drained, and takes nothing more", async () => {
    const { loop, ending, ends } = startNumbers();
    await vi.waitFor(() => expect(ends.size).toBe(3));
    const drained = loop.drain();
    for (const end of [...ends.values()]) end();
    await drained;
    expect(ends.size).toBe(0);
    expect(ending.signal.aborted).toBe(true);
  });

  it("has what lasts longer end, and does not wait for ever for what does not", async () => {
    const { loop, ending, ends } = startNumbers();
    await vi.waitFor(() => expect(ends.size).toBe(3));
    ending.signal.addEventListener("abort", () => ends.get(1)!());
    await loop.drain();
    expect([...ends.keys()]).toEqual([0, 2]);
  });
});
