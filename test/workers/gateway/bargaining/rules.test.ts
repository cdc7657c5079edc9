import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Pool } from "../../../../schemas/pool.ts";
import { bargaining } from "../../../../workers/gateway/bargaining/contract.ts";
import { nextLadderStep, stepOf } from "../../../../workers/gateway/bargaining/ladder.ts";
import {
  membershipOf,
  type OfferTerms,
  ordersOf,
  withOffer,
} from "../../../../workers/gateway/bargaining/offers.ts";
import {
  bandOf,
  capCommitment,
  clearingOf,
  LEAST_MEMBERS,
  nullifierOf,
  poolState,
  productRefOf,
  settledPool,
  withMember,
} from "../../../../workers/gateway/bargaining/rules.ts";

const HOUR = 3_600_000;
const pool = (caps: (number | null)[], quantities: number[] = []): Pool => ({
  v: 1,
  poolId: "01890000-0000-7000-8000-000000000000",
  productRef: "a lamp",
  currency: "EUR",
  targetMembers: 50,
  createdAt: 0,
  locksAt: HOUR,
  revealsUntil: 2 * HOUR,
  members: caps.map((capMinor, i) => ({
    nullifier: `n${i}`,
    quantity: quantities[i] ?? 1,
    commitment: "",
    capMinor,
  })),
});

const buyers = fc.array(fc.tuple(fc.integer({ min: 1, max: 20 }), fc.integer({ min: 1, max: 9 })), {
  maxLength: 20,
});

describe("the clearing price", () => {
  it("is that of trying every price", () => {
    fc.assert(
      fc.property(buyers, (members) => {
        const clearing = clearingOf(
          pool(
            members.map(([cap]) => cap),
            members.map(([, quantity]) => quantity),
          ),
        );
        let best: { priceMinor: number; buyers: number; quantity: number; worth: number } | undefined;
        for (let price = 20; price >= 1; price--) {
          const those = members.filter(([cap]) => cap >= price);
          // Only a price that is somebody's cap: any other could be raised for the same buyers.
          if (those.length < LEAST_MEMBERS || !those.some(([cap]) => cap === price)) continue;
          const quantity = those.reduce((sum, [, one]) => sum + one, 0);
          if (!best || price * quantity >= best.worth)
            best = { priceMinor: price, buyers: those.length, quantity, worth: price * quantity };
        }
        const { worth: _, ...expected } = best ?? { worth: 0 };
        expect(clearing).toEqual(best ? expected : undefined);
      }),
    );
  });

  it("does not hang on the order in which buyers came", () => {
    fc.assert(
      fc.property(buyers, (members) => {
        const of = (list: [number, number][]) =>
          clearingOf(
            pool(
              list.map(([cap]) => cap),
              list.map(([, q]) => q),
            ),
          );
        expect(of(members.toReversed())).toEqual(of(members));
      }),
    );
  });

  it("is none of fewer than five, and caps that were not revealed do not count", () => {
    expect(clearingOf(pool([9, 9, 9, 9]))).toBeUndefined();
    expect(clearingOf(pool([9, 9, 9, 9, null]))).toBeUndefined();
    expect(clearingOf(pool([9, 9, 9, 9, 5, null]))).toEqual({ priceMinor: 5, buyers: 5, quantity: 5 });
  });
});

describe("a pool", () => {
  it.each([
    ["open until it locks", pool([null]), HOUR - 1, "open"],
    ["expired when fewer than five joined", pool([null, null, null, null]), HOUR, "expired"],
    ["locked when enough joined", pool([null, null, null, null, null]), HOUR, "locked"],
    ["revealing when some revealed", pool([3, null, null, null, null]), HOUR, "revealing"],
    ["cleared as soon as all revealed", pool([3, 3, 3, 3, 3]), HOUR, "cleared"],
    ["cleared in the end by those who did", pool([3, 3, 3, 3, 3, null]), 2 * HOUR, "cleared"],
    ["expired in the end when too few did", pool([3, 3, 3, 3, null]), 2 * HOUR, "expired"],
  ])("is %s", (_, one, now, state) => {
    expect(poolState(one, now)).toBe(state);
  });

  it("locks at once when it has as many as it wants", () => {
    const wanting = { ...pool([null, null, null, null]), targetMembers: 5 };
    const full = withMember(wanting, { nullifier: "x", quantity: 1, commitment: "", capMinor: null }, 10);
    expect([full.locksAt, poolState(full, 10)]).toEqual([10, "locked"]);
  });

  it("clears once: what was written stays, whatever its members would say later", () => {
    const due = settledPool(pool([500, 500, 500, 500, 500]), HOUR);
    expect(due.clearing).toEqual({ priceMinor: 500, buyers: 5, quantity: 5 });
    const later = { ...due, members: pool([100, 100, 100, 100, 100, 100]).members };
    expect(settledPool(later, 3 * HOUR)).toBe(later);
    expect(settledPool(pool([3, 3, 3, 3, null]), 2 * HOUR).clearing).toBeNull();
  });

  it("tells counts in bands that one buyer seldom moves", () => {
    expect([0, 4, 5, 9, 10, 49, 10_000].map(bandOf)).toEqual([
      "under 5",
      "under 5",
      "5 to 9",
      "5 to 9",
      "10 to 24",
      "25 to 49",
      "10000 or more",
    ]);
  });
});

describe("a commitment", () => {
  it("binds to the price, the nonce, the product and the currency", () => {
    const parts = fc.tuple(fc.string(), fc.constantFrom("EUR", "USD"), fc.nat(), fc.string());
    fc.assert(
      fc.property(parts, parts, (one, other) => {
        const isSame = JSON.stringify(one) === JSON.stringify(other);
        const hasLines = [one[0], one[3], other[0], other[3]].some((text) => text.includes("\n"));
        if (!hasLines) expect(capCommitment(...one) === capCommitment(...other)).toBe(isSame);
      }),
    );
  });

  it("names an account differently in every pool", () => {
    expect(nullifierOf("s", "p1", "a")).toBe(nullifierOf("s", "p1", "a"));
    expect(nullifierOf("s", "p1", "a")).not.toBe(nullifierOf("s", "p2", "a"));
    expect(productRefOf(" Acme \t Lamp  3 ")).toBe("acme lamp 3");
  });
});

const offered = (site: number, price: number, minQuantity = 1): OfferTerms => ({
  siteId: `shop-${site}.example`,
  url: `https://shop-${site}.example/`,
  price,
  minQuantity,
  validUntil: 100 * HOUR,
});
const poolAfter = (one: Pool, ...offers: OfferTerms[]): Pool =>
  offers.reduce((before, offer) => withOffer(before, offer, 0).next ?? before, one);

describe("an offer", () => {
  it("is taken when it is the lowest for which five buy enough, as trying every offer finds", () => {
    const offers = fc.array(fc.tuple(fc.integer({ min: 1, max: 2_000 }), fc.integer({ min: 1, max: 60 })), {
      maxLength: 8,
    });
    const caps = fc.array(fc.tuple(fc.integer({ min: 1, max: 2_000 }), fc.integer({ min: 1, max: 9 })), {
      minLength: LEAST_MEMBERS,
      maxLength: 15,
    });
    fc.assert(
      fc.property(caps, offers, (members, made) => {
        const steps = members.map(([cap]) => stepOf(cap));
        const base = pool(
          Array(members.length).fill(null),
          members.map(([, quantity]) => quantity),
        );
        const open = poolAfter(base, ...made.map(([price, least], i) => offered(i, price / 100, least)));
        const revealed = {
          ...open,
          members: open.members.map((one, i) => ({ ...one, capMinor: steps[i]! })),
        };
        const { deal, clearing, offers: kept = [] } = settledPool(revealed, HOUR);
        const holding = made.filter(([price, least]) => {
          const needed = stepOf(price) === price ? price : nextLadderStep(price);
          const buying = members.filter((_, i) => steps[i]! >= needed);
          const quantity = buying.reduce((sum, [, one]) => sum + one, 0);
          return buying.length >= LEAST_MEMBERS && quantity >= least;
        });
        const best = Math.min(...holding.map(([price]) => price));
        const taken = kept.find(({ offerId }) => offerId === deal?.offerId);
        expect(taken?.priceMinor ?? Number.POSITIVE_INFINITY).toBe(best);
        if (taken) expect(clearing!.priceMinor).toBeGreaterThanOrEqual(taken.priceMinor);
        else expect(clearing).toEqual(clearingOf(revealed) ?? null);
      }),
    );
  });

  it("between two steps leaves it to a member whose cap counts as the lower one: 43.00 may buy at 43.00", () => {
    const capOf = (minor: number) => stepOf(minor);
    const one = pool([4_500, 4_500, 5_000, 5_000, 6_000, capOf(4_300), capOf(4_100)]);
    const open = { ...one, members: one.members.map((member) => ({ ...member, capMinor: null })) };
    const withOffers = { ...one, offers: poolAfter(open, offered(1, 43)).offers! };
    const sold = settledPool(withOffers, HOUR);
    expect(sold.clearing).toMatchObject({ priceMinor: 4_500, buyers: 5 });
    const sees = (at: number) => membershipOf("secret", sold, `n${at}`, HOUR)!;
    expect(sees(0)).toMatchObject({ buys: true, notice: expect.stringMatching(/sells to you at 43 EUR/) });
    expect(sees(5)).toMatchObject({
      buys: null,
      notice: expect.stringMatching(/if your cap is at least that/),
    });
    expect(sees(5).voucher).not.toBeNull();
    expect(sees(6)).toMatchObject({ buys: false, voucher: null });
    expect(ordersOf("secret", sold).map(({ voucher }) => voucher)).toContain(sees(5).voucher);
  });

  it("takes the place of its site's earlier one, and of twenty the dearest gives way", () => {
    const many = poolAfter(
      pool([null]),
      ...Array.from({ length: 25 }, (_, i) => offered(i, 100 - i)),
      offered(24, 200),
      offered(3, 1),
    );
    const prices = many.offers!.map(({ priceMinor }) => priceMinor / 100);
    expect(prices.length).toBe(20);
    expect(prices[0]).toBe(1);
    expect(Math.max(...prices)).toBeLessThan(200);
    expect(withOffer(many, offered(30, 500), 0).result).toMatchObject({ code: "offer_refused" });
  });

  it("comes too late for a pool that expired, or that cleared two weeks ago", () => {
    const late = 2 * HOUR + 14 * 24 * HOUR;
    for (const [one, now] of [
      [pool([null]), HOUR],
      [pool([300, 300, 300, 300, 300]), late + 1],
    ] as const)
      expect(withOffer(one, { ...offered(1, 1), validUntil: now + 48 * HOUR }, now).result).toMatchObject({
        code: "offer_refused",
      });
    const { next } = withOffer(
      pool([300, 300, 300, 300, 300]),
      { ...offered(1, 3), validUntil: late + 48 * HOUR },
      late,
    );
    expect(next?.deal).toMatchObject({ takenAt: late });
  });
});

describe("a join without a commitment", () => {
  it("is told how one is made", () => {
    const { body } = bargaining.operations.joinPool;
    const { error } = body.safeParse({ product_ref: "a lamp", quantity: 1, currency: "EUR" });
    expect(error!.issues).toMatchObject([
      { path: ["commitment"], message: expect.stringMatching(/five lines .*bridge-bargaining\/1/) },
    ]);
  });
});
