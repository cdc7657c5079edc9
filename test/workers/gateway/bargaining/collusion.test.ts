/**
 * All buyers but one work together: they choose caps, quantities and times by all that they saw before, join and do not
 * reveal, come back in the next pool, and look at every pool after every step. What they can know of the last one's cap is
 * the set of caps under which they would have seen exactly the same.
 */
import { createHash } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Pool } from "../../../../schemas/pool.ts";
import { nextLadderStep, stepOf } from "../../../../workers/gateway/bargaining/ladder.ts";
import { withOffer } from "../../../../workers/gateway/bargaining/offers.ts";
import {
  LEAST_MEMBERS,
  settledPool,
  shownPool,
  withMember,
  withReveal,
} from "../../../../workers/gateway/bargaining/rules.ts";

const HOUR = 3_600_000;
const ROUNDS = 4;
/** Caps that the victim may have, minor units. */
const CAPS = Array.from({ length: 130 }, (_, i) => 90 + i * 4);

type Reveal = (pool: Pool, nullifier: string, capMinor: number) => Pool;

const emptyPool = (round: number, targetMembers: number, now: number): Pool => ({
  v: 1,
  poolId: `01890000-0000-7000-8000-00000000000${round}`,
  productRef: "a lamp",
  currency: "EUR",
  targetMembers,
  createdAt: now,
  locksAt: now + HOUR,
  revealsUntil: now + 2 * HOUR,
  members: [],
});

/** What the colluders do next follows from a seed and from all that they saw: an adaptive strategy. */
function chooserOf(seed: number, seen: readonly string[]) {
  let [known, hashed, asked] = ["", 0, 0];
  const digestOf = (...parts: (string | number)[]): Buffer =>
    createHash("sha256").update(parts.join("\n")).digest();
  return (choices: number): number => {
    for (; hashed < seen.length; hashed++) known = digestOf(known, seen[hashed]!).toString("hex");
    return digestOf(seed, known, asked++).readUInt32BE(0) % choices;
  };
}

/** One pool: the victim joins and reveals; when, and what the others do, is the colluders' choice. */
function playPool(seed: number, round: number, capMinor: number, reveal: Reveal, seen: string[]): void {
  const choose = chooserOf(seed, seen);
  const colluders = LEAST_MEMBERS - 1 + choose(3);
  let now = round * 10 * HOUR;
  const ids = new Set<string>();
  let pool = emptyPool(round, LEAST_MEMBERS + choose(3), now);
  const look = () => {
    pool = settledPool(pool, now);
    // Ids of offers are chance, and say nothing.
    seen.push(
      [...ids].reduce((text, id, i) => text.replaceAll(id, `${i}`), JSON.stringify(shownPool(pool, now))),
    );
  };
  const names = ["victim", ...Array.from({ length: colluders }, (_, i) => `colluder ${i}`)];
  const places = names.slice(1);
  places.splice(choose(places.length + 1), 0, "victim");
  for (const nullifier of places) {
    if (now >= pool.locksAt || pool.members.length >= pool.targetMembers) break;
    const quantity = nullifier === "victim" ? 3 : 1 + choose(50);
    pool = withMember(pool, { nullifier, quantity, commitment: "", capMinor: null }, now);
    now += 60_000;
    look();
  }
  // Sellers work with them, too.
  const offer = () => {
    const siteId = `shop-${choose(3)}.example`;
    const wanted = { price: (1 + choose(800)) / 100, minQuantity: 1 + choose(80) };
    const validUntil = Math.max(now, pool.revealsUntil) + 48 * HOUR;
    const { next, result } = withOffer(
      pool,
      { siteId, url: `https://${siteId}/`, validUntil, ...wanted },
      now,
    );
    for (const { offerId } of next?.offers ?? []) ids.add(offerId);
    pool = next ?? pool;
    seen.push(next ? "kept" : JSON.stringify(result));
    look();
  };
  for (let offers = choose(4); offers > 0; offers--) offer();
  now = Math.max(now, pool.locksAt);
  look();
  const order = names.slice(1).filter(() => choose(8) > 0);
  order.splice(choose(order.length + 1), 0, "victim");
  for (const name of order) {
    const isOpen = ["locked", "revealing"].includes(shownPool(pool, now).state);
    if (!isOpen || !pool.members.some(({ nullifier }) => nullifier === name)) continue;
    // High caps put the victim's at the price's end; caps around what was seen search for it.
    const own = choose(2) === 0 ? 1_000_000 : 80 + choose(600);
    pool = reveal(pool, name, name === "victim" ? capMinor : own);
    now += 60_000;
    look();
  }
  now = pool.revealsUntil;
  look();
  for (let offers = choose(4); offers > 0; offers--) offer();
}

/** All that the colluders see of several pools in which a victim of one cap takes part. */
function transcriptOf(seed: number, capMinor: number, reveal: Reveal): string {
  const seen: string[] = [];
  for (let round = 0; round < ROUNDS; round++) playPool(seed, round, capMinor, reveal, seen);
  return createHash("sha256").update(seen.join("\n")).digest("hex");
}

/** For every cap, those that the colluders cannot tell from it. */
function posteriorsOf(seed: number, reveal: Reveal): Map<number, number[]> {
  const groups = Map.groupBy(CAPS, (cap) => transcriptOf(seed, cap, reveal));
  return new Map([...groups.values()].flatMap((group) => group.map((cap) => [cap, group] as const)));
}

const isWholeStep = (cap: number, posterior: readonly number[]): boolean =>
  CAPS.filter((one) => one >= stepOf(cap) && one < nextLadderStep(cap)).every((one) =>
    posterior.includes(one),
  );

describe("n − 1 colluding buyers", () => {
  it("can never tell two caps of one step of the ladder apart, whatever they do and see", {
    timeout: 120_000,
  }, () => {
    fc.assert(
      fc.property(fc.integer(), (seed) => {
        for (const [cap, posterior] of posteriorsOf(seed, withReveal))
          expect(isWholeStep(cap, posterior), `cap ${cap}, seed ${seed}`).toBe(true);
      }),
      { numRuns: 4 },
    );
  });

  it("would read caps to the cent if caps were kept as they were revealed: the check can fail", () => {
    const exact: Reveal = (pool, nullifier, capMinor) => ({
      ...pool,
      members: pool.members.map((one) => (one.nullifier === nullifier ? { ...one, capMinor } : one)),
    });
    const alone = [...posteriorsOf(1, exact).values()].filter((posterior) => posterior.length === 1);
    expect(alone.length).toBeGreaterThan(CAPS.length / 2);
  });
});

describe("the ladder", () => {
  it("has steps of 5 % or more, each of at least five amounts, and every amount lies on one", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 1e14 }), (amount) => {
        const [step, next] = [stepOf(amount), nextLadderStep(amount)];
        expect(step <= amount && amount < next).toBe(true);
        expect(next - step).toBeGreaterThanOrEqual(5);
        // Whole numbers: 21 × step ≤ 20 × next is next ≥ 1.05 × step.
        expect(21 * step <= 20 * next).toBe(true);
        expect([stepOf(step), stepOf(next - 1), stepOf(next)]).toEqual([step, step, next]);
      }),
      { numRuns: 2_000 },
    );
  });
});
