import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  addCandidate,
  addressGroup,
  Candidates,
  MAX_PENDING,
  pick,
  ReporterGroup,
  siteGroup,
  takeFromBucket,
  type WaitingHosts,
} from "../../../workers/gossip/rules.ts";

const NOW = Date.parse("2026-03-01T12:00:00Z");
const names = (count: number, from = 0): string[] =>
  Array.from({ length: count }, (_, i) => `s${from + i}.example`);

describe("a reporter group's allowance", () => {
  it("is fifty names at once", () => {
    expect(takeFromBucket(undefined, names(60), NOW).taken).toEqual(names(50));
  });

  it("then one every ten seconds", () => {
    const { reporter } = takeFromBucket(undefined, names(50), NOW);
    expect(takeFromBucket(reporter, names(1, 50), NOW + 9_900).taken).toEqual([]);
    expect(takeFromBucket(reporter, names(3, 50), NOW + 10_100).taken).toEqual(["s50.example"]);
    expect(takeFromBucket(reporter, names(60, 50), NOW + 86_400_000).taken).toHaveLength(50);
  });

  it("does not grow when the clock goes back", () => {
    const { reporter } = takeFromBucket(undefined, names(50), NOW);
    expect(takeFromBucket(reporter, names(1, 50), NOW - 3_600_000).taken).toEqual([]);
  });

  it("remembers the owners it spoke of lately, at most fifty, the latest first", () => {
    const first = takeFromBucket(undefined, ["a.one.example", "b.one.example", "two.example"], NOW).reporter;
    expect(first.reported).toEqual(["one.example", "two.example"]);
    const second = takeFromBucket({ ...first, tokens: 50 }, names(50), NOW).reporter;
    expect(second.reported).toHaveLength(50);
    expect(second.reported).toContain("s0.example");
  });

  it("over any time is fifty and a tenth of the seconds", () => {
    const asks = fc.array(fc.record({ count: fc.integer({ min: 0, max: 11 }), afterMs: fc.nat(60_000) }), {
      maxLength: 60,
    });
    fc.assert(
      fc.property(asks, (steps) => {
        let reporter: ReporterGroup | undefined;
        let at = NOW;
        let taken = 0;
        for (const { count, afterMs } of steps) {
          at += afterMs;
          const drawn = takeFromBucket(reporter, names(count), at);
          reporter = ReporterGroup.parse(drawn.reporter);
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
  const unprobed = (): WaitingHosts => "unprobed";
  const add = (
    stored: Candidates | undefined,
    host: string,
    {
      group = `g-${host}`,
      standing = unprobed,
      now = NOW,
    }: Partial<{
      group: string;
      standing: (host: string) => WaitingHosts;
      now: number;
    }> = {},
  ) => addCandidate(stored, host, group, standing, now);
  const below = (count: number, prefix = "h"): string[] =>
    Array.from({ length: count }, (_, i) => `${prefix}${i}.shop.example`);
  const namesOf = (stored: Candidates | undefined): string[] => Object.keys(stored?.hosts ?? {});
  const filled = below(MAX_PENDING).reduce<Candidates | undefined>(
    (stored, host) => add(stored, host),
    undefined,
  );

  it("wait five at a time", () => {
    expect(namesOf(filled)).toHaveLength(5);
    expect(add(filled, "one.more.shop.example")).toBeUndefined();
  });

  it("keep their slot when they are named again, which counts once an hour", () => {
    expect(add(filled, "h0.shop.example", { now: NOW + 3_599_999 })).toBeUndefined();
    const again = add(filled, "h0.shop.example", { now: NOW + 3_600_000 });
    expect(namesOf(again)).toHaveLength(5);
  });

  it("never bar the domain itself, whatever is invented below it", () => {
    expect(namesOf(add(filled, "shop.example"))).toContain("shop.example");
  });

  it("of one network are two at a time, so that another's hint finds room", () => {
    const flood = below(9, "x").reduce<Candidates | undefined>(
      (stored, host) => add(stored, host, { group: "flooder" }) ?? stored,
      undefined,
    );
    expect(namesOf(flood)).toHaveLength(2);
    expect(namesOf(add(flood, "honest.shop.example", { group: "honest" }))).toContain("honest.shop.example");
  });

  it("of networks that hold two yield to one that holds none; of those that hold one, only once probed", () => {
    let stored: Candidates | undefined;
    for (const group of ["a", "b", "c"])
      for (const host of below(2, group)) stored = add(stored, host, { group }) ?? stored;
    expect(namesOf(stored)).toHaveLength(5);
    const honest = add(stored, "honest.shop.example", { group: "honest" });
    expect(namesOf(honest)).toHaveLength(5);
    expect(namesOf(honest)).toContain("honest.shop.example");
    expect(add(filled, "honest.shop.example", { group: "honest" })).toBeUndefined();
    const standing = (host: string): WaitingHosts => (host === "h3.shop.example" ? "probed" : "unprobed");
    const replaced = add(filled, "honest.shop.example", { group: "honest", standing });
    expect(namesOf(replaced)).not.toContain("h3.shop.example");
    expect(namesOf(replaced)).toContain("honest.shop.example");
  });

  it("are at most five an hour of one network, however soon their probes come to nothing", () => {
    const settled = (): WaitingHosts => "settled";
    let stored: Candidates | undefined;
    let taken = 0;
    for (const host of below(20, "x")) {
      const next = add(stored, host, { group: "flooder", standing: settled });
      if (next) taken += 1;
      stored = next ?? stored;
    }
    expect(taken).toBe(5);
    expect(add(stored, "late.shop.example", { group: "flooder", now: NOW + 3_600_000 })).toBeDefined();
  });

  it("make room when they are verified, or after a week", () => {
    const standing = (host: string): WaitingHosts => (host === "h3.shop.example" ? "settled" : "unprobed");
    expect(namesOf(add(filled, "new.shop.example", { standing }))).toContain("new.shop.example");
    const late = add(filled, "new.shop.example", { now: NOW + 7 * 86_400_000 });
    expect(late!.hosts).toEqual({ "new.shop.example": NOW + 7 * 86_400_000 });
  });

  it("fit their record, whatever their length, and keep members that this version does not know", () => {
    const long = Array.from(
      { length: 5 },
      (_, i) => `${`${"x".repeat(60)}.`.repeat(4).slice(0, 240)}${i}.example`,
    );
    let stored: Candidates | undefined = Candidates.parse({ v: 1, hosts: {}, by: {}, said: {}, later: 1 });
    for (let i = 0; i < 30; i++)
      stored =
        add(stored, long[i % 5]!.replace(/^x/, `${i % 10}`), { group: `group-${i}`.padEnd(43, "-") }) ??
        stored;
    expect(stored).toMatchObject({ later: 1 });
    expect(Buffer.byteLength(JSON.stringify(stored))).toBeLessThan(4_096);
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
