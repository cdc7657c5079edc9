import { describe, expect, it } from "vitest";
import { uuidv7 } from "../../src/rpc/ids.ts";

describe("an id", () => {
  it("is a UUIDv7 of the whole millisecond, also by a clock that counts fractions of one", () => {
    const at = Date.UTC(2026, 0, 1);
    for (const nowMs of [at, at + 0.25, at + 0.999])
      expect(uuidv7(nowMs)).toMatch(/^019b76da-a800-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(uuidv7(at + 1) > uuidv7(at + 0.999)).toBe(true);
    expect(uuidv7(at + 0.5)).not.toBe(uuidv7(at + 0.5));
  });
});
