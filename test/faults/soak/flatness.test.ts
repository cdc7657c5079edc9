import { describe, expect, it } from "vitest";
import { randomFrom } from "../../../world/random.ts";
import { flatnessOf, type Sample } from "./flatness.ts";

const HOURS = 2;
const random = randomFrom(1, "soak");

/** A sample a minute, by a function of the hour, with the noise of collections. */
const samplesOf = (residentMb: (hour: number) => number): Sample[] =>
  Array.from({ length: 60 * HOURS }, (_, minute) => ({
    atSeconds: minute * 60,
    residentMb: residentMb(minute / 60) + random.below(20),
    brokerMb: 100,
  }));

describe("memory under a load of hours", () => {
  it("is flat once caches are full", () => {
    const filled = flatnessOf(
      samplesOf((hour) => 450 + 150 * (1 - Math.exp(-8 * hour))),
      "residentMb",
    );
    expect(filled.isFlat).toBe(true);
    expect(Math.abs(filled.mbAnHour)).toBeLessThan(15);
  });

  it("is not flat where a hundred megabytes an hour leak", () => {
    const leaking = flatnessOf(
      samplesOf((hour) => 450 + 100 * hour),
      "residentMb",
    );
    expect(leaking.isFlat).toBe(false);
    expect(leaking.mbAnHour).toBeGreaterThan(80);
    expect(leaking.mbAnHour).toBeLessThan(120);
  });

  it("is not judged by a few samples", () => {
    expect(() => flatnessOf(samplesOf(() => 1).slice(0, 7), "residentMb")).toThrow(RangeError);
  });
});
