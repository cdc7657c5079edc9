import { describe, expect, it } from "vitest";
import {
  bucketsOf,
  EPOCH_MS,
  epochOf,
  ROTATION_BUCKETS,
  rotationBuckets,
  rotationOf,
  rotationPoint,
} from "../../../src/domain/trust/rotation.ts";

const owners = Array.from({ length: 2_000 }, (_, i) => `owner${i}.example`);

describe("rotation", () => {
  it("draws every owner's position from the whole circle, evenly", () => {
    const { position } = rotationOf("secret", "tea", 480_000);
    const parts = new Array<number>(10).fill(0);
    for (const owner of owners) {
      expect(position(owner)).toBeGreaterThanOrEqual(0);
      parts[Math.floor(position(owner) * 10)]!++;
    }
    for (const count of parts) expect(count).toBeGreaterThan(140);
  });

  it("brings every owner near the front once in seven hours", () => {
    for (const owner of owners.slice(0, 200)) {
      const positions = Array.from({ length: 7 }, (_, i) =>
        rotationOf("secret", "tea", 70 + i).position(owner),
      );
      expect(Math.max(...positions)).toBeGreaterThan(0.76);
      expect(Math.min(...positions)).toBeLessThan(0.24);
    }
  });

  it("changes with the hour, the query, the owner and the secret, and with nothing else", () => {
    const position = rotationOf("secret", "tea", 7).position("a.example");
    expect(rotationOf("secret", "tea", 7).position("a.example")).toBe(position);
    for (const other of [
      rotationOf("secret", "tea", 8).position("a.example"),
      rotationOf("secret", "tea", 14).position("a.example"),
      rotationOf("secret", "coffee", 7).position("a.example"),
      rotationOf("another", "tea", 7).position("a.example"),
      rotationOf("secret", "tea", 7).position("b.example"),
    ])
      expect(other).not.toBe(position);
  });

  it("moves by the hour of the clock", () => {
    expect(epochOf(5 * EPOCH_MS - 1)).toBe(4);
    expect(epochOf(5 * EPOCH_MS)).toBe(5);
    expect(rotationPoint(3)).not.toBe(rotationPoint(4));
  });

  it("begins with each of a few as often as with any other", () => {
    for (const sites of [2, 5, 30]) {
      const firsts = new Array<number>(sites).fill(0);
      for (let epoch = 490_000; epoch < 490_000 + 20 * sites; epoch++)
        firsts[Math.floor(rotationPoint(epoch) * sites)]!++;
      expect(Math.min(...firsts)).toBeGreaterThanOrEqual(18);
      expect(Math.max(...firsts)).toBeLessThanOrEqual(22);
    }
  });

  it("gives every bucket its turn as often as any other", () => {
    const seen = new Array<number>(ROTATION_BUCKETS).fill(0);
    for (let epoch = 0; epoch < ROTATION_BUCKETS; epoch++)
      for (const bucket of bucketsOf(epoch, 150, 2_400)) seen[bucket]!++;
    expect(new Set(seen)).toEqual(new Set([8]));
    expect(bucketsOf(9, 150, 100)).toHaveLength(ROTATION_BUCKETS);
    expect(bucketsOf(9, 150, 10_000_000)).toHaveLength(1);
  });

  it("divides owners evenly among the buckets", () => {
    const bucketOf = rotationBuckets("secret");
    const counts = new Array<number>(ROTATION_BUCKETS).fill(0);
    for (const owner of owners) counts[bucketOf(owner)]!++;
    expect(Math.min(...counts)).toBeGreaterThan(2);
    expect(Math.max(...counts)).toBeLessThan(40);
  });
});
