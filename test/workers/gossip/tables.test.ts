import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  BUCKET_SIZE,
  canTakeNew,
  hostGroup,
  judgeTried,
  NEW_BUCKETS,
  NEW_BUCKETS_PER_SOURCE,
  newSlots,
  SLOT_TTL_MS,
  slotKey,
  TRIED_BUCKETS,
  TRIED_BUCKETS_PER_GROUP,
  TRIED_FRESH_MS,
  triedSlot,
} from "../../../workers/gossip/tables.ts";

/** The slot that a name tries first. */
const newPlace = (secret: string, host: string, source: string) => newSlots(secret, host, source)[0]!;

const SECRET = "a test's secret";
const NOW = Date.parse("2026-03-01T12:00:00Z");

describe("the table of new hosts", () => {
  it("gives one group that invents 100,000 domains at most 6.25 % of its buckets and places", () => {
    const buckets = new Set<number>();
    const slots = new Set<string>();
    for (let i = 0; i < 100_000; i++) {
      for (const slot of newSlots(SECRET, `invented-${i}.example`, "one group")) {
        buckets.add(slot.bucket);
        slots.add(slotKey("new", slot));
      }
    }
    expect(buckets.size).toBeLessThanOrEqual(NEW_BUCKETS_PER_SOURCE);
    expect(buckets.size / NEW_BUCKETS).toBeLessThanOrEqual(0.0625);
    expect(slots.size / (NEW_BUCKETS * BUCKET_SIZE)).toBeLessThanOrEqual(0.0625);
    // It does fill its share: the bound is the table's, not the test's.
    expect(buckets.size).toBeGreaterThan(NEW_BUCKETS_PER_SOURCE * 0.8);
  });

  it("leaves other groups room beside a group that filled its share", () => {
    const held = new Set<string>();
    for (let i = 0; i < 50_000; i++)
      held.add(slotKey("new", newPlace(SECRET, `invented-${i}.example`, "flood")));
    const honest = Array.from({ length: 2_000 }, (_, i) =>
      slotKey("new", newPlace(SECRET, `shop-${i}.example`, `group ${i % 200}`)),
    );
    const free = honest.filter((key) => !held.has(key));
    expect(free.length / honest.length).toBeGreaterThan(0.9);
  });

  it("puts all hosts of one owner, said by one group, into one bucket", () => {
    const buckets = Array.from(
      { length: 500 },
      (_, i) => newPlace(SECRET, `h${i}.one-owner.example`, "g").bucket,
    );
    expect(new Set(buckets).size).toBe(1);
  });

  it("has slots that nobody can work out without the secret", () => {
    const same = Array.from({ length: 200 }, (_, i) => {
      const [one, other] = ["one", "other"].map((secret) =>
        slotKey("new", newPlace(secret, `shop-${i}.example`, "g")),
      );
      return one === other;
    });
    expect(same.filter(Boolean).length).toBeLessThan(3);
  });

  it("has only slots that exist", () => {
    fc.assert(
      fc.property(fc.domain(), fc.string(), (host, source) => {
        const slot = newPlace(SECRET, host, source);
        const tried = triedSlot(SECRET, host, source);
        return (
          slot.bucket < NEW_BUCKETS &&
          tried.bucket < TRIED_BUCKETS &&
          slot.slot < BUCKET_SIZE &&
          tried.slot < BUCKET_SIZE
        );
      }),
    );
  });

  it("tests before it evicts: a name that waits for its probe keeps its slot, for a week at most", () => {
    const holder = { v: 1 as const, host: "shop.example", group: "g", at: NOW };
    const waiting = { hasToken: true, sound: false };
    expect(canTakeNew(undefined, waiting, NOW)).toBe(true);
    expect(canTakeNew(holder, waiting, NOW + SLOT_TTL_MS - 1)).toBe(false);
    expect(canTakeNew(holder, waiting, NOW + SLOT_TTL_MS)).toBe(true);
    expect(canTakeNew(holder, { hasToken: false, sound: false }, NOW)).toBe(true);
    expect(canTakeNew(holder, { hasToken: true, sound: true }, NOW)).toBe(true);
  });
});

describe("the table of tried hosts", () => {
  it("gives one hosting group with 20,000 verified hosts at most 3.2 % of its buckets", () => {
    const group = hostGroup(SECRET, "x.example", ["ns1.farm.example", "ns2.farm.example"], "198.51.0.0/16");
    const buckets = new Set<number>();
    for (let i = 0; i < 20_000; i++) buckets.add(triedSlot(SECRET, `farmed-${i}.example`, group).bucket);
    expect(buckets.size).toBeLessThanOrEqual(TRIED_BUCKETS_PER_GROUP);
  });

  it("takes hosts of the same name servers and network for one group, whatever they are called", () => {
    const group = (host: string, servers: string[], network: string | null) =>
      hostGroup(SECRET, host, servers, network);
    const one = group("a.example", ["ns1.farm.example", "NS2.farm.example"], "198.51.0.0/16");
    expect(group("b.example", ["ns7.farm.example"], "198.51.0.0/16")).toBe(one);
    expect(group("b.example", ["ns1.other.example"], "198.51.0.0/16")).not.toBe(one);
    expect(group("b.example", ["ns1.farm.example"], "203.0.0.0/16")).not.toBe(one);
    expect(group("www.c.example", [], null)).toBe(group("shop.c.example", [], null));
    expect(group("c.example", [], null)).not.toBe(group("d.example", [], null));
  });

  it("keeps who was verified within a day, tests who was not, and replaces who is gone", () => {
    const verifiedAt = NOW - TRIED_FRESH_MS;
    expect(judgeTried({ enabled: true, verifiedAt }, NOW)).toBe("keep");
    expect(judgeTried({ enabled: true, verifiedAt: verifiedAt - 1 }, NOW)).toBe("test");
    expect(judgeTried({ enabled: false, verifiedAt: NOW }, NOW)).toBe("replace");
    expect(judgeTried(undefined, NOW)).toBe("replace");
  });
});
