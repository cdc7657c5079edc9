import { describe, expect, it } from "vitest";
import { CallerBackoff } from "../../src/transport/concurrency.ts";

function backoffAt() {
  const clock = { ms: 0 };
  const backoff = new CallerBackoff(() => clock.ms);
  /** How many of a caller's are admitted, of so many. */
  const admitted = (caller: string, count = 100): number =>
    Array.from({ length: count }, () => backoff.admits(caller)).filter(Boolean).length;
  return { backoff, clock, admitted };
}

describe("calls of one caller", () => {
  it("are admitted, however many, before a worker refused some of them as too much of the caller's own", () => {
    const { backoff, admitted } = backoffAt();
    backoff.answered("a");
    expect(admitted("a", 1_000)).toBe(1_000);
  });

  it("are refused once it did, and others' are admitted", () => {
    const { backoff, admitted } = backoffAt();
    backoff.refused("a");
    expect([admitted("a"), admitted("b")]).toEqual([0, 100]);
  });

  it("are admitted as others of theirs are answered, somewhat more of them, in a burst no more than a few", () => {
    const { backoff, admitted } = backoffAt();
    backoff.refused("a");
    for (let i = 0; i < 8; i++) backoff.answered("a");
    expect(admitted("a")).toBe(10);
    for (let i = 0; i < 1_000; i++) backoff.answered("a");
    expect(admitted("a")).toBe(16);
  });

  it("are admitted no more when the worker refused one again", () => {
    const { backoff, admitted } = backoffAt();
    backoff.refused("a");
    for (let i = 0; i < 8; i++) backoff.answered("a");
    backoff.refused("a");
    expect(admitted("a")).toBe(0);
  });

  it("are admitted in place of one that was, and has gone", () => {
    const { backoff, admitted } = backoffAt();
    backoff.refused("a");
    backoff.answered("a");
    expect(admitted("a")).toBe(1);
    backoff.released("a");
    expect(admitted("a")).toBe(1);
  });

  it("are all admitted half a second after the last refusal, also of who has nothing under way that could be answered", () => {
    const { backoff, clock, admitted } = backoffAt();
    backoff.refused("a");
    clock.ms += 499;
    expect(admitted("a")).toBe(0);
    clock.ms += 1;
    expect(admitted("a")).toBe(100);
  });

  it("are remembered of no more callers than a bound", () => {
    const { backoff, admitted } = backoffAt();
    for (let i = 0; i < 20_000; i++) backoff.refused(`caller ${i}`);
    expect(admitted("caller 0")).toBe(100);
    expect(admitted("caller 19999")).toBe(0);
  });
});
