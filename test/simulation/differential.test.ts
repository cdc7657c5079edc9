import { describe, expect, it } from "vitest";
import { systemClock } from "../../src/adapters/clock/system-clock.ts";
import { joinBroker } from "../support/gate.ts";
import { operate } from "./broker-operations.ts";
import { onModel } from "./model-run.ts";

/** Operations of each sequence; `npm run faults -- simulate --differential` runs longer ones. */
const COUNT = 40;

describe("the model of the broker", () => {
  it.concurrent.each([1, 2])("answers a random sequence as nats-server does: %i", async (seed) => {
    const broker = await joinBroker();
    try {
      const asked = { seed, count: COUNT };
      const real = await operate(broker, systemClock, asked);
      expect(await onModel(seed, (model, clock) => operate(model, clock, asked))).toEqual(real);
    } finally {
      await broker.close();
    }
  });
});
