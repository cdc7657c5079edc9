import { describe, expect, it } from "vitest";
import { OwnShare } from "../../src/transport/own-share.ts";

const shareAt = () => {
  const clock = { ms: 0 };
  const share = new OwnShare(() => clock.ms);
  /** How many of a caller's come, of so many. */
  const come = (caller: string, count = 100): number =>
    Array.from({ length: count }, () => share.take(caller)).filter(Boolean).length;
  return { share, clock, come };
};

describe("calls of one caller", () => {
  it("come, however many, before a worker refused some of them as too much of the caller's own", () => {
    const { share, come } = shareAt();
    share.answered("a");
    expect(come("a", 1_000)).toBe(1_000);
  });

  it("do not come once it did, and others' do", () => {
    const { share, come } = shareAt();
    share.refused("a");
    expect([come("a"), come("b")]).toEqual([0, 100]);
  });

  it("come as others of theirs are answered, somewhat more of them, in a burst no more than a few", () => {
    const { share, come } = shareAt();
    share.refused("a");
    for (let i = 0; i < 8; i++) share.answered("a");
    expect(come("a")).toBe(10);
    for (let i = 0; i < 1_000; i++) share.answered("a");
    expect(come("a")).toBe(16);
  });

  it("come no more when the worker refused one again", () => {
    const { share, come } = shareAt();
    share.refused("a");
    for (let i = 0; i < 8; i++) share.answered("a");
    share.refused("a");
    expect(come("a")).toBe(0);
  });

  it("come in place of one that was let come and has gone", () => {
    const { share, come } = shareAt();
    share.refused("a");
    share.answered("a");
    expect(come("a")).toBe(1);
    share.giveBack("a");
    expect(come("a")).toBe(1);
  });

  it("all come half a second after the last refusal, also of who has nothing under way that could be answered", () => {
    const { share, clock, come } = shareAt();
    share.refused("a");
    clock.ms += 499;
    expect(come("a")).toBe(0);
    clock.ms += 1;
    expect(come("a")).toBe(100);
  });

  it("are remembered of no more callers than a bound", () => {
    const { share, come } = shareAt();
    for (let i = 0; i < 20_000; i++) share.refused(`caller ${i}`);
    expect(come("caller 0")).toBe(100);
    expect(come("caller 19999")).toBe(0);
  });
});
