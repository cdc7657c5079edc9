import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  addCandidate,
  addressGroup,
  Candidates,
  draw,
  MAX_PENDING,
  pick,
  Reporter,
  siteGroup,
} from "../../../workers/gossip/rules.ts";

const NOW = Date.parse("2026-03-01T12:00:00Z");
const names = (count: number, from = 0): string[] =>
  Array.from({ length: count }, (_, i) => `s${from + i}.example`);

describe("a reporter group's allowance", () => {
  it("is fifty names at once", () => {
    expect(draw(undefined, names(60), NOW).taken).toEqual(names(50));
  });

  it("then one every ten seconds", () => {
    const { reporter } = draw(undefined, names(50), NOW);
    expect(draw(reporter, names(1, 50), NOW + 9_900).taken).toEqual([]);
    expect(draw(reporter, names(3, 50), NOW + 10_100).taken).toEqual(["s50.example"]);
    expect(draw(reporter, names(60, 50), NOW + 86_400_000).taken).toHaveLength(50);
  });

  it("does not grow when the clock goes back", () => {
    const { reporter } = draw(undefined, names(50), NOW);
    expect(draw(reporter, names(1, 50), NOW - 3_600_000).taken).toEqual([]);
  });

  it("remembers the owners it spoke of lately, at most fifty, the latest first", () => {
    const first = draw(undefined, ["a.one.example", "b.one.example", "two.example"], NOW).reporter;
    expect(first.reported).toEqual(["one.example", "two.example"]);
    const second = draw({ ...first, tokens: 50 }, names(50), NOW).reporter;
    expect(second.reported).toHaveLength(50);
    expect(second.reported).toContain("s0.example");
  });

  it("over any time is fifty and a tenth of the seconds", () => {
    const asks = fc.array(fc.record({ count: fc.integer({ min: 0, max: 11 }), afterMs: fc.nat(60_000) }), {
      maxLength: 60,
    });
    fc.assert(
      fc.property(asks, (steps) => {
        let reporter: Reporter | undefined;
        let at = NOW;
        let taken = 0;
        for (const { count, afterMs } of steps) {
          at += afterMs;
          const drawn = draw(reporter, names(count), at);
          reporter = Reporter.parse(drawn.reporter);
          taken += drawn.taken.length;
          expect(reporter.tokens).toBeGreaterThanOrEqual(0);
        }
        expect(taken).toBeLessThanOrEqual(50 + (at - NOW) / 10_000 + 1e-6);
      }),
    );
  });
});

describe("reporter groups", () => {
  it("are the /16 or the /48, hidden behind the registry's secret", () => {
    const group = (address: string, secret = "s"): string => addressGroup(secret, address);
    expect(group("198.51.100.1")).toBe(group("198.51.7.9"));
    expect(group("::ffff:198.51.100.1")).toBe(group("198.51.100.1"));
    expect(group("198.51.100.1")).not.toBe(group("198.52.100.1"));
    expect(group("2001:db8:7:1::1")).toBe(group("2001:db8:7:ffff::9"));
    expect(group("2001:db8:7::1")).not.toBe(group("2001:db8:8::1"));
    expect(group("198.51.100.1")).not.toBe(group("198.51.100.1", "other"));
    expect(group("198.51.100.1")).toMatch(/^[A-Za-z0-9_-]{43}$/);
  });

  it("of sites are their owners", () => {
    expect(siteGroup("s", "a.shop.example")).toBe(siteGroup("s", "shop.example"));
    expect(siteGroup("s", "alice.github.io")).not.toBe(siteGroup("s", "bob.github.io"));
  });
});

describe("hosts of one registrable domain", () => {
  const filled = names(MAX_PENDING).reduce<Candidates | undefined>(
    (stored, host) => addCandidate(stored, host, new Set(), NOW),
    undefined,
  );

  it("wait five at a time", () => {
    expect(addCandidate(filled, "one.more.example", new Set(), NOW)).toBeUndefined();
  });

  it("keep their place when they are named again, which counts once an hour", () => {
    expect(addCandidate(filled, "s0.example", new Set(), NOW + 3_599_999)).toBeUndefined();
    const again = addCandidate(filled, "s0.example", new Set(), NOW + 3_600_000);
    expect(Object.keys(again!.hosts)).toHaveLength(5);
  });

  it("never bar the domain itself, whatever is invented below it", () => {
    const below = Array.from({ length: 5 }, (_, i) => `h${i}.shop.example`).reduce<Candidates | undefined>(
      (stored, host) => addCandidate(stored, host, new Set(), NOW),
      undefined,
    );
    expect(addCandidate(below, "h6.shop.example", new Set(), NOW)).toBeUndefined();
    expect(addCandidate(below, "shop.example", new Set(), NOW)?.hosts).toHaveProperty(["shop.example"]);
  });

  it("make room when they are verified, or after a week", () => {
    expect(addCandidate(filled, "new.example", new Set(["s3.example"]), NOW)?.hosts).toHaveProperty([
      "new.example",
    ]);
    expect(addCandidate(filled, "new.example", new Set(), NOW + 7 * 86_400_000)?.hosts).toEqual({
      "new.example": NOW + 7 * 86_400_000,
    });
  });

  it("keep members that this version does not know", () => {
    const later = Candidates.parse({ v: 1, hosts: {}, later: 1 });
    expect(addCandidate(later, "new.example", new Set(), NOW)).toMatchObject({ later: 1 });
  });
});

describe("a choice of peers", () => {
  it("is of those given, each once, and no more than asked for", () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.nat(), { maxLength: 60 }),
        fc.nat(60),
        fc.infiniteStream(fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true })),
        (items, count, stream) => {
          const chosen = pick(items, count, () => stream.next().value!);
          expect(chosen).toHaveLength(Math.min(items.length, count));
          expect(new Set(chosen).size).toBe(chosen.length);
          expect(items).toEqual(expect.arrayContaining(chosen));
        },
      ),
    );
  });

  it("gives each the same chance", () => {
    const counts = new Array<number>(10).fill(0);
    for (let i = 0; i < 20_000; i++)
      for (const item of pick(Array.from(counts.keys()), 3, Math.random)) counts[item]!++;
    for (const count of counts) expect(Math.abs(count - 6_000)).toBeLessThan(400);
  });
});
