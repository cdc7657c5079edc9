import { describe, expect, it } from "vitest";
import { randomFrom } from "../../../world/random.ts";
import { check } from "./check.ts";
import type { Event, Final, Operation, Outcome } from "./history.ts";

const ok = (outcome: Omit<Extract<Outcome, { status: "ok" }>, "status"> = {}): Outcome => ({
  status: "ok",
  ...outcome,
});
const event = (
  operation: Operation,
  outcome: Outcome,
  [invokedMs, completedMs]: [number, number],
): Event => ({
  client: "ada",
  operation,
  outcome,
  invokedMs,
  completedMs,
});
const append = (value: string, outcome: Outcome, times: [number, number]): Event =>
  event({ kind: "append", key: "l", value }, outcome, times);
const add = (total: number, times: [number, number]): Event =>
  event({ kind: "add", key: "c" }, ok({ total }), times);

const final = ({
  list = [],
  total = 0,
  log = [],
}: {
  list?: string[];
  total?: number;
  log?: string[];
}): Final => ({
  lists: new Map([["l", list]]),
  totals: new Map([["c", total]]),
  log,
});
const rules = (events: Event[], there: Parameters<typeof final>[0]): string[] => [
  ...new Set(check(events, final(there)).violations.map(({ rule }) => rule)),
];

/** A history as a cluster without faults would give it: one operation at a time takes effect between call and answer. */
function soundHistory(seed: number) {
  const random = randomFrom(seed, "history");
  const [list, log, events]: [string[], string[], Event[]] = [[], [], []];
  let total = 0;
  for (let nth = 0; nth < 200; nth++) {
    const takesEffectMs = nth * 10;
    const times: [number, number] = [takesEffectMs - random.below(40), takesEffectMs + 1 + random.below(40)];
    const isAnswered = random.below(5) > 0;
    const told = (outcome: Outcome): Outcome => (isAnswered ? outcome : { status: "unknown", why: "cut" });
    switch (random.below(4)) {
      case 0:
        list.push(`v${nth}`);
        events.push(append(`v${nth}`, told(ok({ list: [...list] })), times));
        break;
      case 1:
        events.push(event({ kind: "read", key: "l" }, told(ok({ list: [...list] })), times));
        break;
      case 2:
        total++;
        events.push(event({ kind: "add", key: "c" }, told(ok({ total })), times));
        break;
      default:
        log.push(`v${nth}`);
        events.push(event({ kind: "enter", value: `v${nth}` }, told(ok({ place: log.length - 1 })), times));
    }
  }
  return { events, there: { list, total, log } };
}

describe("the check of a history", () => {
  it("finds nothing wrong with histories that took effect one by one", () => {
    for (let seed = 0; seed < 50; seed++) {
      const { events, there } = soundHistory(seed);
      expect(check(events, final(there)).violations).toEqual([]);
    }
  });

  it("lets what nobody was told of be there or not", () => {
    const unknown = append("a", { status: "unknown", why: "cut" }, [0, 1]);
    expect(rules([unknown], { list: [] })).toEqual([]);
    expect(rules([unknown], { list: ["a"] })).toEqual([]);
  });

  it("finds a write that was answered and is gone", () => {
    expect(rules([append("a", ok({ list: ["a"] }), [0, 1])], { list: [] })).toContain("lost");
  });

  it("finds a write that was done twice", () => {
    expect(rules([append("a", ok({ list: ["a"] }), [0, 1])], { list: ["a", "a"] })).toEqual(["twice"]);
  });

  it("finds what nobody wrote, and what was said to have failed", () => {
    expect(rules([append("a", { status: "failed", why: "conflicts" }, [0, 1])], { list: ["a"] })).toEqual([
      "invented",
    ]);
    expect(rules([append("a", ok(), [0, 1])], { list: ["a", "b"] })).toEqual(["invented"]);
  });

  it("finds a read of something that was then undone", () => {
    const read = event({ kind: "read", key: "l" }, ok({ list: ["a", "b"] }), [4, 5]);
    const written = [append("a", ok(), [0, 1]), append("b", { status: "unknown", why: "cut" }, [2, 3])];
    expect(rules([...written, read], { list: ["a", "c"] })).toContain("forked");
  });

  it("finds writes in another order than they were answered in", () => {
    expect(rules([append("a", ok(), [0, 1]), append("b", ok(), [2, 3])], { list: ["b", "a"] })).toEqual([
      "reordered",
    ]);
    expect(rules([append("a", ok(), [0, 3]), append("b", ok(), [2, 4])], { list: ["b", "a"] })).toEqual([]);
  });

  it("finds counters that are too low, were told twice, or are far too high", () => {
    expect(rules([add(1, [0, 1]), add(2, [2, 3])], { total: 1 })).toEqual(["undercounted"]);
    expect(rules([add(1, [0, 3]), add(1, [0, 3])], { total: 2 })).toEqual(["undercounted"]);
    expect(rules([add(2, [0, 1]), add(1, [2, 3])], { total: 2 })).toEqual(["undercounted"]);
    expect(rules([add(1, [0, 1])], { total: 4 })).toEqual(["overcounted"]);
  });

  it("finds an entry of the log in another place than was told", () => {
    const entry = (value: string, place: number) => event({ kind: "enter", value }, ok({ place }), [0, 1]);
    expect(rules([entry("a", 1), entry("b", 0)], { log: ["a", "b"] })).toEqual(["moved"]);
  });

  it("tells of reads that were behind, as reads of copies may be", () => {
    const read = event({ kind: "read", key: "l" }, ok({ list: [] }), [30, 31]);
    expect(check([append("a", ok(), [0, 10]), read], final({ list: ["a"] }))).toMatchObject({
      violations: [],
      stale: 1,
      stalestMs: 20,
    });
  });
});
