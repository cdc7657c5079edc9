import { describe, expect, it } from "vitest";
import { AdaptiveLimit, AdmissionRefusal, type Pass } from "../../src/concurrency/adaptive-limit.ts";

const TARGET_MS = 100;
const options = { targetMs: TARGET_MS, least: 2, first: 4, most: 64, maxWaiting: 16, patienceMs: 1_000 };

/** A limit on a clock that the test moves, and no spread of retries. */
function limitAt(more: Partial<ConstructorParameters<typeof AdaptiveLimit>[0]> = {}) {
  const clock = { ms: 0 };
  const limit = new AdaptiveLimit({ ...options, now: () => clock.ms, random: () => 1, ...more });
  /** So many calls one after the other, each of so long. */
  const call = (times: number, tookMs: number, outcome: Parameters<Pass["end"]>[0] = "answered"): void => {
    for (let i = 0; i < times; i++) {
      const passes = Array.from({ length: limit.limit }, () => limit.admit("a") as Pass);
      clock.ms += tookMs;
      for (const pass of passes) pass.end(outcome);
    }
  };
  return { limit, clock, call };
}

async function settled(turn: ReturnType<AdaptiveLimit["admit"]>): Promise<"runs" | "refused" | "waits"> {
  const outcome = await Promise.race([turn, new Promise((resolve) => setImmediate(resolve, "waits"))]);
  return outcome === "waits" ? "waits" : outcome instanceof AdmissionRefusal ? "refused" : "runs";
}

describe("how much runs at once", () => {
  it("grows while answers are quick and all of it is used: fast before the first cut, then by one a round", () => {
    const { limit, call } = limitAt();
    call(4, TARGET_MS / 2);
    expect(limit.limit).toBeGreaterThan(12);
    call(1, 2 * TARGET_MS);
    const cut = limit.limit;
    call(4, TARGET_MS / 2);
    expect(limit.limit).toBeGreaterThan(cut);
    expect(limit.limit).toBeLessThanOrEqual(cut + 4);
    call(200, TARGET_MS / 2);
    expect(limit.limit).toBe(options.most);
  });

  it("does not grow while half of it is not used", () => {
    const { limit, clock } = limitAt({ first: 32 });
    for (let i = 0; i < 500; i++) {
      const pass = limit.admit("a") as Pass;
      clock.ms += 1;
      pass.end("answered");
    }
    expect(limit.limit).toBe(32);
  });

  it("is halved at most once a round when answers are far too slow, and never below its least", () => {
    const { limit, call } = limitAt({ first: 32 });
    call(1, 50 * TARGET_MS);
    expect(limit.limit).toBe(16);
    call(10, 50 * TARGET_MS);
    expect(limit.limit).toBe(options.least);
  });

  it("shrinks where a call was refused further on, however soon", () => {
    const { limit, call } = limitAt({ first: 20 });
    call(1, 1, "overloaded");
    expect(limit.limit).toBe(18);
  });

  it("does not learn from the time of calls that wait for others, nor from those that broke off", () => {
    const { limit, call } = limitAt({ targetMs: undefined, first: 8 });
    call(1, 60_000, "other");
    expect(limit.limit).toBe(8);
  });
});

describe("calls beyond it", () => {
  it("wait while their turn is expected in time, and are refused at once otherwise", async () => {
    const { limit, call } = limitAt({ first: 2, most: 2 });
    // Two at once, 400 ms each: five of those that wait are served within a second.
    call(20, 400);
    const turns = Array.from({ length: 12 }, () => limit.admit("a"));
    const states = await Promise.all(turns.map(settled));
    const count = (state: string) => states.filter((each) => each === state).length;
    expect([count("runs"), count("waits"), count("refused")]).toEqual([2, 6, 4]);
    expect(states.slice(-4)).toEqual(Array(4).fill("refused"));
    expect(limit.reserve("a")).toBeInstanceOf(AdmissionRefusal);
  });

  it("count while they are read: as many are let in as would have a place", () => {
    const { limit, call } = limitAt({ first: 2, most: 2 });
    // As above: two run, and five are served within a second.
    call(20, 400);
    const reserved = Array.from({ length: 100 }, () => limit.reserve("a"));
    const came = reserved.filter((each) => typeof each === "function");
    expect(came).toHaveLength(8);
    for (const each of came) each();
    came[0]!();
    expect(limit.reserve("a")).toBeTypeOf("function");
  });

  it("of one holder who floods take no place of another's, while they are read, too", () => {
    const { limit, call } = limitAt({ first: 2, most: 2 });
    call(20, 400);
    for (let i = 0; i < 100; i++) limit.reserve("flood");
    expect(limit.reserve("flood")).toBeInstanceOf(AdmissionRefusal);
    expect(limit.reserve("other")).toBeTypeOf("function");
  });

  it("are refused once they have waited twice as long as they may", async () => {
    const { limit, clock } = limitAt({ first: 1, patienceMs: 20 });
    limit.admit("a");
    const waits = limit.admit("a");
    clock.ms += 41;
    expect(await waits).toBeInstanceOf(AdmissionRefusal);
    expect(limit.waiting).toBe(0);
  });

  it("are told to come back the later, the more are refused for each that is answered", () => {
    const { limit } = limitAt({ first: 1, most: 1, maxWaiting: 0 });
    limit.admit("a");
    const first = limit.admit("a") as AdmissionRefusal;
    for (let i = 0; i < 100; i++) limit.admit("a");
    const last = limit.admit("a") as AdmissionRefusal;
    expect(first.retryAfterSeconds).toBeLessThan(5);
    expect(last.retryAfterSeconds).toBe(30);
  });
});

describe("turns", () => {
  it("go round the holders: a flood waits for itself", async () => {
    const { limit } = limitAt({ first: 1, most: 1 });
    const served: string[] = [];
    const passes: Pass[] = [limit.admit("flood") as Pass];
    const ask = (holder: string) =>
      void Promise.resolve(limit.admit(holder)).then((turn) => {
        if (turn instanceof AdmissionRefusal) return served.push(`${holder} refused`);
        served.push(holder);
        return passes.push(turn);
      });
    for (let i = 0; i < 8; i++) ask("flood");
    ask("one");
    ask("two");
    for (let i = 0; i < 4; i++) {
      passes.pop()!.end("answered");
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(served).toEqual(["one", "two", "flood", "flood"]);
  });

  it("take a place in a full queue from whoever has most there", async () => {
    const { limit } = limitAt({ first: 1, most: 1, maxWaiting: 4 });
    const first = limit.admit("flood") as Pass;
    const flood = Array.from({ length: 4 }, () => limit.admit("flood"));
    expect(await settled(limit.admit("flood"))).toBe("refused");
    const other = limit.admit("other");
    expect(await settled(flood.at(-1)!)).toBe("refused");
    first.end("answered");
    expect(await settled(other)).toBe("runs");
  });

  it("let many who ask little through beside one who floods, and leave no place empty, in a queue of twenty", async () => {
    const [READING_MS, CALL_MS, SECONDS] = [5, 100, 30];
    // Two at once, a tenth of a second each: twenty a second, and as many wait.
    const { limit, clock } = limitAt({ targetMs: 1_000, first: 2, least: 2, most: 2 });
    const due = new Map<number, (() => void)[]>();
    const at = (ms: number, work: () => void) => void due.set(ms, [...(due.get(ms) ?? []), work]);
    const answered = new Map<string, number>();
    const ask = (holder: string) => {
      const came = limit.reserve(holder);
      if (came instanceof AdmissionRefusal) return;
      at(clock.ms + READING_MS, () => {
        came();
        void Promise.resolve(limit.admit(holder)).then((turn) => {
          if (turn instanceof AdmissionRefusal) return;
          at(clock.ms + CALL_MS, () => {
            answered.set(holder, (answered.get(holder) ?? 0) + 1);
            turn.end("answered");
          });
        });
      });
    };
    const [FLOOD_EVERY_MS, LIGHT_EVERY_MS, LIGHT] = [5, 2_000, 16];
    for (; clock.ms < SECONDS * 1_000; clock.ms++) {
      if (clock.ms % FLOOD_EVERY_MS === 0) ask("flood");
      // All of them at once.
      if (clock.ms % LIGHT_EVERY_MS === 0) for (let i = 0; i < LIGHT; i++) ask(`light ${i}`);
      for (const work of due.get(clock.ms) ?? []) work();
      due.delete(clock.ms);
      await Promise.resolve();
    }
    const flood = answered.get("flood") ?? 0;
    const light = [...answered.values()].reduce((sum, count) => sum + count, 0) - flood;
    // Eight a second are asked for by the light ones, twelve are left.
    expect(light / (SECONDS * (1_000 / LIGHT_EVERY_MS) * LIGHT)).toBeGreaterThan(0.93);
    expect((light + flood) / (SECONDS * 20)).toBeGreaterThan(0.95);
  });
});
