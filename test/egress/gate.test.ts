import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { NatsBroker } from "../../src/adapters/nats/nats-broker.ts";
import {
  addressGateKey,
  afterRelease,
  type GateRecord,
  hostGateKey,
  type Lease,
  type LeaseResult,
} from "../../src/egress/gate.ts";
import { DAY_MS } from "../../src/ports/time.ts";
import { gateOn, joinBroker } from "../support/gate.ts";

const MINUTE_MS = 60_000;
/** What two calibrations of one clock and a timer may differ by. */
const TOLERANCE_MS = 5;

function leaseOf(entry: LeaseResult): Lease {
  if (!entry.ok) throw new Error("the key was not free");
  return entry.lease;
}

describe("after a release", () => {
  const free: GateRecord = { until: 0, holder: "", next: 0, backoffMs: 0, backoffAt: 0, streak: 0 };
  const now = 1_000 * DAY_MS;
  const pushedBack = { nextAt: now, pushedBack: true };

  it("the key is free from the time that was said, and has one good answer more", () => {
    const held = { ...free, until: now + 1, holder: "a", streak: 4 };
    expect(afterRelease(held, { nextAt: now + 500 }, now)).toEqual({ ...free, next: now + 500, streak: 5 });
    expect(afterRelease(held, { nextAt: now, failed: true }, now).streak).toBe(0);
  });

  it("a push-back waits a minute, then twice as long each time, up to a day", () => {
    let record = free;
    let at = now;
    const waits: number[] = [];
    for (let i = 0; i < 14; i++) {
      record = afterRelease(record, { nextAt: at, pushedBack: true }, at);
      waits.push((record.next - at) / MINUTE_MS);
      at = record.next + 1_000;
    }
    expect(waits.slice(0, 6)).toEqual([1, 2, 4, 8, 16, 32]);
    expect(waits.slice(10)).toEqual([1_024, 1_440, 1_440, 1_440]);
  });

  it("a good answer soon after does not end the back-off's memory, thirty quiet minutes do", () => {
    const first = afterRelease(free, pushedBack, now);
    const soon = afterRelease(first, { nextAt: 0 }, first.next + 5 * MINUTE_MS);
    expect(afterRelease(soon, pushedBack, now + 10 * MINUTE_MS).backoffMs).toBe(2 * MINUTE_MS);
    const late = first.next + 31 * MINUTE_MS;
    expect(afterRelease(first, { nextAt: 0 }, late).backoffMs).toBe(0);
    expect(afterRelease(first, pushedBack, late).backoffMs).toBe(MINUTE_MS);
  });

  it("a site's own later time counts before the back-off's", () => {
    expect(afterRelease(free, { nextAt: now + DAY_MS, pushedBack: true }, now).next).toBe(now + DAY_MS);
  });

  it("whatever happened, the key is free within a day and never before it was said", () => {
    const outcomes = fc.record({
      pushedBack: fc.boolean(),
      failed: fc.boolean(),
      delayMs: fc.nat(DAY_MS),
      afterMs: fc.nat(DAY_MS),
    });
    fc.assert(
      fc.property(fc.array(outcomes, { maxLength: 30 }), (steps) => {
        let record = free;
        let at = now;
        for (const { delayMs, afterMs, ...outcome } of steps) {
          at += afterMs;
          record = afterRelease(record, { ...outcome, nextAt: at + delayMs }, at);
          expect(record.next).toBeGreaterThanOrEqual(at + delayMs);
          expect(record.next).toBeLessThanOrEqual(at + DAY_MS);
          expect(record).toMatchObject({ until: 0, holder: "" });
        }
      }),
    );
  });
});

describe("keys", () => {
  it("are apart for hosts and addresses, and of characters that a bucket takes", () => {
    const keys = [
      hostGateKey("127.0.0.1"),
      addressGateKey("127.0.0.1"),
      addressGateKey("2001:db8::1"),
      hostGateKey("a.b"),
    ];
    expect(new Set(keys).size).toBe(4);
    for (const key of keys) expect(key).toMatch(/^[-/_=a-zA-Z0-9]+$/);
  });
});

describe("a gate that two processes share", () => {
  let here: NatsBroker;
  let there: NatsBroker;
  let nth = 0;
  const freshKey = (): string => hostGateKey(`host-${++nth}.test`);
  beforeAll(async () => {
    here = await joinBroker();
    there = await joinBroker(here.prefix);
  });
  afterAll(() => Promise.all([here.close(), there.close()]));

  it("lets one in at a time and keeps the gap from an end to the next start", async () => {
    const key = freshKey();
    const gapMs = 20;
    const gates = [gateOn(here, "here"), gateOn(there, "there")];
    const visits: { startMs: number; endMs: number }[] = [];
    let inside = 0;
    let most = 0;
    await Promise.all(
      Array.from({ length: 24 }, async (_, i) => {
        const lease = leaseOf(await gates[i % 2]!.enter(key, 20_000));
        most = Math.max(most, ++inside);
        const startMs = performance.now();
        await new Promise((resolve) => setTimeout(resolve, 5));
        visits.push({ startMs, endMs: performance.now() });
        inside--;
        await lease.release({ nextAt: (i % 2 ? there : here).now() + gapMs });
      }),
    );
    expect(most).toBe(1);
    expect(visits).toHaveLength(24);
    const gaps = visits.slice(1).map(({ startMs }, i) => startMs - visits[i]!.endMs);
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(gapMs - TOLERANCE_MS);
  });

  it("serves a process's own line in its order", async () => {
    const gate = gateOn(here, "here");
    const key = freshKey();
    const order: number[] = [];
    await Promise.all(
      Array.from({ length: 8 }, async (_, i) => {
        const lease = leaseOf(await gate.enter(key, 10_000));
        order.push(i);
        await lease.release({ nextAt: here.now() + 2 });
      }),
    );
    expect(order).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
  });

  it("does not let one process's endless line starve another's only visit", async () => {
    const key = freshKey();
    const busy = gateOn(here, "here");
    let done = false;
    const line = Array.from({ length: 10 }, async () => {
      while (!done) {
        const entry = await busy.enter(key, 10_000);
        if (entry.ok) await entry.lease.release({ nextAt: here.now() + 5 });
      }
    });
    const entry = await gateOn(there, "there").enter(key, 5_000);
    done = true;
    if (entry.ok) await entry.lease.release({ nextAt: 0 });
    await Promise.all(line);
    expect(entry.ok).toBe(true);
  });

  it("sends away at once whoever would have to wait too long, and says until when", async () => {
    const key = freshKey();
    const nextAt = here.now() + MINUTE_MS;
    await leaseOf(await gateOn(here, "here").enter(key, 0)).release({ nextAt });
    const startedMs = performance.now();
    const entry = await gateOn(there, "there").enter(key, 5_000);
    expect(performance.now() - startedMs).toBeLessThan(1_000);
    expect(entry).toMatchObject({ ok: false });
    if (!entry.ok) {
      expect(entry.retryAt).toBeGreaterThanOrEqual(nextAt);
      expect(entry.retryAt).toBeLessThan(nextAt + 1_000);
    }
  });

  it("sends away whoever's patience ends while another holds the key, there or in the same process", async () => {
    const key = freshKey();
    const gate = gateOn(here, "here");
    const lease = leaseOf(await gate.enter(key, 0));
    for (const other of [gate, gateOn(there, "there")]) {
      const entry = await other.enter(key, 100);
      expect(entry.ok).toBe(false);
      if (!entry.ok) expect(entry.retryAt).toBeGreaterThan(here.now() - TOLERANCE_MS);
    }
    await lease.release({ nextAt: 0 });
    await leaseOf(await gate.enter(key, 1_000)).release({ nextAt: 0 });
  });

  it("gives a crashed holder's key away once its lease has run out, not before", async () => {
    const key = freshKey();
    const startedMs = performance.now();
    leaseOf(await gateOn(here, "crashed", 400).enter(key, 0));
    const lease = leaseOf(await gateOn(there, "there", 400).enter(key, 5_000));
    const waitedMs = performance.now() - startedMs;
    expect(waitedMs).toBeGreaterThanOrEqual(400 - TOLERANCE_MS);
    expect(waitedMs).toBeLessThan(3_000);
    await lease.release({ nextAt: 0 });
  });

  it("keeps a lease that is renewed, and tells a holder that lost his", async () => {
    const key = freshKey();
    const lease = leaseOf(await gateOn(here, "here", 300).enter(key, 0));
    const other = gateOn(there, "there", 300);
    const rival = other.enter(key, 600);
    for (let i = 0; i < 4; i++) {
      await new Promise((resolve) => setTimeout(resolve, 150));
      expect(await lease.renew()).toBe(true);
    }
    expect((await rival).ok).toBe(false);
    const taken = leaseOf(await other.enter(key, 5_000));
    expect(await lease.renew()).toBe(false);
    // What the former holder says at his end is not heard: the key is the other's.
    await lease.release({ nextAt: here.now() + MINUTE_MS });
    expect(await taken.renew()).toBe(true);
    await taken.release({ nextAt: 0 });
    await leaseOf(await other.enter(key, 1_000)).release({ nextAt: 0 });
  });

  it("hears a release that a renewal is under way for", async () => {
    const key = freshKey();
    const lease = leaseOf(await gateOn(here, "here").enter(key, 0));
    const nextAt = here.now() + MINUTE_MS;
    const [renewed] = await Promise.all([lease.renew(), lease.release({ nextAt, pushedBack: true })]);
    expect(renewed).toBe(true);
    expect(await lease.renew()).toBe(true);
    const entry = await gateOn(there, "there").enter(key, 100);
    expect(entry.ok || entry.retryAt).toBeGreaterThanOrEqual(nextAt);
  });
});
