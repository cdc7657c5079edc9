import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { LateEncoder } from "../../../src/adapters/encoder/late-encoder.ts";
import type { Encoder } from "../../../src/ports/encoder.ts";

describe("an encoder that is installed while the program runs", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  const VECTOR = new Float32Array([1]);
  const opened = (closed: () => void): Encoder => ({
    ...{ name: "inner", state: "running", encode: async () => VECTOR },
    close: async () => closed(),
  });
  const ask = { for: "query", waitMs: 40 } as const;

  it("encodes nothing until then, and is used from then on without a restart", async () => {
    let installed: Encoder | undefined;
    const closed = vi.fn();
    const encoder = new LateEncoder("minilm", () => installed);
    expect([encoder.name, encoder.state]).toEqual(["minilm", "not installed"]);
    expect(await encoder.encode("tea", ask)).toBeUndefined();
    installed = opened(closed);
    vi.advanceTimersByTime(2_000);
    expect(encoder.state).toBe("running");
    expect(await encoder.encode("tea", ask)).toBe(VECTOR);
    await encoder.close();
    expect([encoder.state, closed.mock.calls.length]).toEqual(["closed", 1]);
  });

  it("looks no more once it is closed", async () => {
    const look = vi.fn(() => undefined);
    const encoder = new LateEncoder("minilm", look);
    await encoder.close();
    vi.advanceTimersByTime(60_000);
    expect(look).toHaveBeenCalledTimes(1);
  });
});
