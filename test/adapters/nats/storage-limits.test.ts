/** Each bucket and stream is filled to its bound: what happens there is what src/ports/storage.ts says. */
import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pino } from "pino";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { storageDependency } from "../../../app/processes/dependencies.ts";
import { systemClock } from "../../../src/adapters/clock/system-clock.ts";
import { openBroker } from "../../../src/adapters/nats/broker.ts";
import { isStorageFull, StorageFull } from "../../../src/adapters/nats/fill.ts";
import { openFrontier } from "../../../src/adapters/nats/frontier.ts";
import type { NatsBroker } from "../../../src/adapters/nats/nats-broker.ts";
import { type BrokerServer, startBrokerServer } from "../../../src/adapters/nats/server.ts";
import { counterStream, streamConfigs, wantedStreams } from "../../../src/adapters/nats/topology.ts";
import { createPolite } from "../../../src/egress/polite.ts";
import {
  BUCKETS,
  type BucketName,
  fullStorage,
  HOLD_AT,
  STORED,
  type StoredName,
  storageBytes,
} from "../../../src/ports/storage.ts";
import { openLimiter } from "../../../src/rpc/limits.ts";
import { openRecords } from "../../../src/stores/records.ts";
import { BatchRecord, newDelivery } from "../../../workers/provider/webhook-rules.ts";
import { startWebhooks } from "../../../workers/provider/webhooks.ts";
import { gateOn } from "../../support/gate.ts";
import { fetcherFor } from "../http/support.ts";

/** A thousandth is 8 KiB. */
const STORE_BYTES = 8_000 << 10;
const PREFIX = "small";
/** A process looks once a second how full these are. */
const LOOKED_AGAIN_MS = 1_050;

const folder = mkdtempSync(join(tmpdir(), "bridge-test-full-"));
let server: BrokerServer;
let broker: NatsBroker;
beforeAll(async () => {
  server = await startBrokerServer({ binary: inject("natsBinary"), folder, storeBytes: STORE_BYTES });
  broker = await openBroker({
    url: server.url,
    prefix: PREFIX,
    name: "test",
    clock: systemClock,
    setUp: true,
    storeBytes: STORE_BYTES,
  });
});
afterAll(async () => {
  await broker?.close();
  await server?.stop();
  rmSync(folder, { recursive: true, force: true });
});

const BUCKET_NAMES = Object.keys(BUCKETS) as BucketName[];
const bucketsThat = (atLimit: string) => BUCKET_NAMES.filter((name) => fullStorage(name).atLimit === atLimit);
const bytesUsed = async (stream: string): Promise<number> =>
  (await broker.jsm.streams.info(stream)).state.bytes;

/** Puts values under new keys until one is refused, or there were twice as many as fit. */
async function fill(name: BucketName) {
  const { maxValueBytes } = BUCKETS[name];
  const bound = storageBytes(name, STORE_BYTES);
  const value = randomBytes(Math.max(1, Math.min(maxValueBytes - 128, Math.floor(bound / 16))));
  for (let at = 0; at * value.length < 2 * bound && at < 2_000; at++) {
    const refusal = await broker.buckets[name].put(`key.${at}`, value).then(
      () => undefined,
      (error: unknown) => error,
    );
    if (refusal) return { refusal, kept: at, value };
  }
  return { refusal: undefined, kept: 0, value };
}

describe("a store that is full", () => {
  it("is divided among all streams, with bytes, an age and a rule for each, and no more than there is", () => {
    const wanted = wantedStreams(PREFIX, 1, STORE_BYTES);
    expect(wanted.map(({ stored }) => stored).sort()).toEqual(Object.keys(STORED).sort());
    const sum = wanted.reduce((bytes, { config }) => bytes + config.max_bytes, 0);
    expect(sum).toBeLessThanOrEqual(STORE_BYTES);
    expect(wanted.filter(({ config }) => config.max_bytes < 1_024)).toEqual([]);
  });

  it.each(bucketsThat("refuse"))(
    "refuses what is new in %s, keeps what is there, and goes on with room",
    async (name) => {
      const bucket = broker.buckets[name];
      const { refusal, kept, value } = await fill(name);
      expect(isStorageFull(refusal), String(refusal)).toBe(true);
      expect(broker.isFault(refusal)).toBe(true);
      expect(kept).toBeGreaterThan(0);
      expect(await bytesUsed(`KV_${PREFIX}_${name}`)).toBeLessThanOrEqual(storageBytes(name, STORE_BYTES));
      expect(value.equals((await bucket.get("key.0"))!.value)).toBe(true);
      await bucket.put("key.0", value);
      // A marker of a removal takes more room than a nonce, which nobody removes.
      if (name === "trust_nonces") return;
      await bucket.remove("key.0");
      if (kept > 1) await bucket.remove("key.1");
      await bucket.put("new", value.subarray(0, value.length >> 1));
      expect(await bucket.get("new")).toBeDefined();
    },
  );

  it("makes the role that watches it not ready, by name, while one that refuses is full to the brim", async () => {
    const { check } = storageDependency(broker);
    const before = await check();
    await fill("receipts");
    // What is refused in large pieces still takes small ones.
    for (let at = 0; at < 2_000; at++) {
      const refusal = await broker.buckets.receipts.put(`crumb.${at}`, randomBytes(8)).catch(String);
      if (typeof refusal === "string") break;
    }
    expect(before ?? "").not.toContain("receipts");
    expect(await check()).toMatch(/receipts is (99|100)(\.\d)? % full/);
    const [fullest] = (await broker.storage()).use;
    expect(fullest!.percent).toBeGreaterThanOrEqual(99);
  });

  it.each(bucketsThat("oldest"))("drops the oldest of %s, and never refuses", async (name) => {
    const { refusal, value } = await fill(name);
    expect(refusal).toBeUndefined();
    expect(await broker.buckets[name].get("key.0")).toBeUndefined();
    await broker.buckets[name].put("newest", value);
    expect(value.equals((await broker.buckets[name].get("newest"))!.value)).toBe(true);
  });

  it("drops the oldest of the hosts that wait for gossip, and refuses entries of the log", async () => {
    const { discovered, log } = streamConfigs(PREFIX);
    for (let at = 0; at < 300; at++) await broker.discoveredHosts.publish("x".repeat(1_024));
    expect(await bytesUsed(discovered.name)).toBeLessThanOrEqual(storageBytes("discovered", STORE_BYTES));
    const append = async () => {
      for (;;) await broker.js.publish(`${PREFIX}.log.certificate`, randomBytes(60_000));
    };
    const refusal = await append().catch((error: unknown) => error);
    expect(isStorageFull(refusal), String(refusal)).toBe(true);
    expect((await broker.jsm.streams.info(log.name)).state.first_seq).toBe(1);
  });

  it("adds no host to a frontier that is three quarters full, and still moves those that it has", async () => {
    const frontier = openFrontier(broker, 20_000);
    const { name } = streamConfigs(PREFIX).frontier;
    const bound = storageBytes("frontier", STORE_BYTES);
    const data = { source: "seed" as const, discoveredAt: 1, visited: false };
    const add = (at: number) => frontier.add(`h${at}.example`, broker.now() + 3_600_000, data);
    let added = 0;
    while ((await bytesUsed(name)) < HOLD_AT * bound)
      await Promise.all(Array.from({ length: 50 }, () => add(added++)));
    await systemClock.sleep(LOOKED_AGAIN_MS);
    await expect.poll(() => add(0).catch((error: unknown) => error)).toBeInstanceOf(StorageFull);
    expect(await bytesUsed(name)).toBeLessThan(bound);
    for (let at = 0; at < added; at += 97)
      expect(await frontier.bringForward(`h${at}.example`, broker.now() + 60_000)).toBe(true);
    expect((await frontier.lag()).tokens).toBe(added);
  }, 30_000);

  it("accepts no webhook once its queue is three quarters full, and keeps those that it accepted", async () => {
    const batches = openRecords(broker.buckets.batches, BatchRecord);
    const webhooks = await startWebhooks({
      broker,
      polite: createPolite({
        gate: gateOn(broker, "worker", 2_000),
        fetcher: fetcherFor({}),
        now: broker.now,
        clockErrorMs: broker.clockErrorMs,
        clock: systemClock,
        leaseMs: 2_000,
        hostDelayMs: 0,
        ipDelayMs: 0,
      }),
      batches,
      clock: systemClock,
      log: pino({ level: "silent" }),
      // None is sent here.
      schedule: [3_600_000, 3_600_000],
      leaseMs: 2_000,
      random: () => 0,
      limiter: openLimiter({ ...broker, secret: "secret", percent: 100 }),
    });
    const { name } = streamConfigs(PREFIX).webhooks;
    const bound = storageBytes("webhooks", STORE_BYTES);
    const send = async (at: number) => {
      const [id, url] = [`hook-${at}`, `https://h${at}.test/`];
      const now = broker.now();
      await batches.put(id, {
        v: 1,
        request_id: id,
        created_at: new Date(now).toISOString(),
        summary: { total: 1, enabled: 1, partial: 0, disabled: 0, pending: 0, timeout: 0, invalid: 0 },
        delivery: newDelivery(url, false, 2, now),
      });
      const hook = { v: 1, id, url, secret: null, body: "x".repeat(8_000), made: 0 } as const;
      return webhooks.send(hook, `198.51.100.${at}`);
    };
    let accepted = 0;
    // How full it is is looked at each second.
    while (accepted < 200 && (await send(accepted)) === undefined) {
      accepted++;
      await systemClock.sleep(100);
    }
    expect(await send(accepted)).toBe("queue_full");
    expect(await bytesUsed(name)).toBeLessThan(bound);
    const waiting = async () => (await broker.jsm.streams.info(name)).state.messages;
    await expect.poll(waiting, { timeout: 10_000 }).toBe(accepted);
    await webhooks.drain();
  }, 30_000);

  it.each(["minute", "day", "month"] as const)(
    "resets no counter of a %s: new keys share places, and old ones count on",
    async (window) => {
      const { counters } = broker;
      const stream = counterStream(PREFIX, window);
      const stored: StoredName = `count_${window}`;
      const bound = storageBytes(stored, STORE_BYTES);
      expect(await counters.add(window, "first.key", 7)).toBe(7);
      let strangers = 0;
      while ((await bytesUsed(stream)) < HOLD_AT * bound)
        await Promise.all(Array.from({ length: 50 }, () => counters.add(window, `stranger.n${strangers++}`)));
      await systemClock.sleep(LOOKED_AGAIN_MS);
      expect(await counters.read(window, "first.key")).toBe(7);
      await systemClock.sleep(50);
      const before = await broker.jsm.streams.info(stream, { subjects_filter: ">" });
      const totals: number[] = [];
      for (let at = 0; at < 3; at++) totals.push(await counters.add(window, "late.key"));
      expect(totals.map((total) => total - totals[0]!)).toEqual([0, 1, 2]);
      expect(await counters.read(window, "late.key")).toBe(totals[2]);
      expect(await counters.add(window, "first.key")).toBe(8);
      const after = await broker.jsm.streams.info(stream, { subjects_filter: ">" });
      const fresh = Object.keys(after.state.subjects ?? {}).filter((key) => !before.state.subjects?.[key]);
      expect(fresh.length).toBeLessThanOrEqual(1);
      for (const subject of fresh) expect(subject).toContain(".shared.");
      expect(after.state.bytes).toBeLessThan(bound);
    },
    20_000,
  );
});
