/** How often a process looks after its queue. */
import { afterAll, expect, it } from "vitest";
import { systemClock } from "../../src/adapters/clock/system-clock.ts";
import { LOOK_EVERY_MS, startUpkeep } from "../../src/stores/queue-upkeep.ts";
import { joinBroker } from "../support/gate.ts";

const broker = await joinBroker();
afterAll(() => broker.close());

it("looks four times a minute, and less often where a look or its failure takes the broker long", async () => {
  let nowMs = 0;
  const slept: number[] = [];
  const sleep = async (ms: number) => {
    slept.push(ms);
    nowMs += ms;
  };
  const takes = [200, 3_000, 6_000, 100];
  const upkeep = startUpkeep({
    name: "upkeep-test",
    removeAcked: async () => {
      const ms = takes.shift();
      if (ms === undefined) return new Promise<string[]>(() => undefined);
      nowMs += ms;
      if (ms === 6_000) throw new Error("no answer");
      return [];
    },
    hourly: async () => {
      nowMs += 300_000;
    },
    broker,
    clock: { ...systemClock, monotonicMs: () => nowMs, sleep },
    log: { warn: () => undefined } as never,
  });
  await expect.poll(() => slept.length).toBe(5);
  expect(slept).toEqual([LOOK_EVERY_MS, LOOK_EVERY_MS, 150_000, 300_000, LOOK_EVERY_MS]);
  void upkeep.drain();
});
