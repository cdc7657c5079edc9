import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, expect, inject, it } from "vitest";
import { systemClock } from "../../../src/adapters/clock/system-clock.ts";
import { openBroker } from "../../../src/adapters/nats/broker.ts";
import { openCounters } from "../../../src/adapters/nats/counters.ts";
import type { NatsBroker } from "../../../src/adapters/nats/nats-broker.ts";
import { periodEnd, periodOf } from "../../../src/ports/counters.ts";

const prefix = `t${randomBytes(6).toString("hex")}`;
const brokers: NatsBroker[] = [];
async function join() {
  const broker = await openBroker({
    url: inject("natsUrl"),
    prefix,
    name: "test",
    clock: systemClock,
    setUp: true,
  });
  brokers.push(broker);
  return broker;
}
let broker: NatsBroker;
beforeAll(async () => {
  broker = await join();
});
afterAll(() => Promise.all(brokers.map((each) => each.close())));

it("gives each addition its own total, also between processes", async () => {
  const other = await join();
  const totals = await Promise.all(
    Array.from({ length: 200 }, (_, i) => (i % 2 ? broker : other).counters.add("day", "k.one")),
  );
  expect(totals.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 200 }, (_, i) => i + 1));
  expect(await other.counters.read("day", "k.one")).toBe(200);
});

it("adds any whole amount, and takes back", async () => {
  expect(await broker.counters.add("month", "m", 40)).toBe(40);
  expect(await broker.counters.add("month", "m", -15)).toBe(25);
});

it("knows nothing of what was never counted", async () => {
  expect(await broker.counters.read("minute", "never")).toBe(0);
  expect(await broker.counters.list("minute", "never.*")).toEqual([]);
});

it("begins anew with every period", async () => {
  let now = Date.UTC(2026, 10, 30, 23, 59, 59);
  const counters = openCounters(broker.connection, broker.jsm, prefix, () => now);
  expect(await counters.add("month", "turn")).toBe(1);
  now += 1_000;
  expect(await counters.add("month", "turn")).toBe(1);
  expect((await counters.list("month", "turn")).map(({ period }) => period).toSorted()).toEqual([
    "202611",
    "202612",
  ]);
});

it("lists the counts below a key", async () => {
  await broker.counters.add("day", "k.two.firewall", 3);
  await broker.counters.add("day", "k.two.price", 4);
  const counts = await broker.counters.list("day", "k.two.*");
  expect(counts.map(({ key, total }) => [key, total]).toSorted()).toEqual([
    ["k.two.firewall", 3],
    ["k.two.price", 4],
  ]);
});

it("lists more keys than the broker answers for at once", async () => {
  await Promise.all(Array.from({ length: 1_500 }, (_, i) => broker.counters.add("day", `many.k${i}`)));
  expect(await broker.counters.list("day", ["many.*", "many.k1"])).toHaveLength(1_500);
});

it("lists the counts of one period alone", async () => {
  let now = Date.UTC(2026, 10, 27);
  const counters = openCounters(broker.connection, broker.jsm, prefix, () => now);
  await counters.add("day", "days.k", 1);
  now = Date.UTC(2026, 10, 28);
  await counters.add("day", "days.k", 2);
  const of = async (period?: string) =>
    (await counters.list("day", "days.*", period)).map(({ total }) => total).toSorted();
  expect(await of("20261128")).toEqual([2]);
  expect(await of()).toEqual([1, 2]);
});

it("knows the periods of a moment and their ends", () => {
  const moment = Date.UTC(2026, 11, 31, 23, 59, 59, 999);
  expect(["minute", "day", "month"].map((window) => periodOf(window as "day", moment))).toEqual([
    "202612312359",
    "20261231",
    "202612",
  ]);
  for (const window of ["minute", "day", "month"] as const)
    expect(periodEnd(window, moment)).toBe(Date.UTC(2027, 0, 1));
});

it("takes no key that would reach another's subject", async () => {
  for (const key of ["", "a..b", "a.*", ">", "a b", "a."])
    await expect(broker.counters.add("day", key)).rejects.toThrow(TypeError);
});
