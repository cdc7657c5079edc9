import { randomBytes } from "node:crypto";
import { Kvm } from "@nats-io/kv";
import { describe, expect, it, onTestFinished } from "vitest";
import { bucketName, MESSAGE_OVERHEAD_BYTES, METADATA } from "../../../src/adapters/nats/topology.ts";
import { BUCKETS, type BucketName, STORAGE_VERSION } from "../../../src/ports/storage.ts";
import { joinBroker } from "../../support/gate.ts";

describe("the broker's streams and buckets", () => {
  it("have the bounds of the table, also where they were made with others, and keep what they hold", async () => {
    const prefix = `t${randomBytes(6).toString("hex")}`;
    const elsewhere = await joinBroker();
    onTestFinished(() => elsewhere.close());
    const old = await new Kvm(elsewhere.js).create(bucketName(prefix, "gossip_reports"), {
      maxValueSize: 64,
      history: 1,
      metadata: { [METADATA.version]: String(STORAGE_VERSION) },
    });
    await old.put("key", "value");
    const broker = await joinBroker(prefix);
    onTestFinished(() => broker.close());
    for (const name of Object.keys(BUCKETS) as BucketName[]) {
      const { config } = await broker.jsm.streams.info(`KV_${bucketName(prefix, name)}`);
      const { maxValueBytes, ttlMs } = BUCKETS[name];
      expect({ name, size: config.max_msg_size, age: config.max_age }).toEqual({
        name,
        size: maxValueBytes + MESSAGE_OVERHEAD_BYTES,
        age: ttlMs * 1e6,
      });
    }
    expect((await broker.buckets.gossip_reports.get("key"))?.text()).toBe("value");
  });

  it("can be made by many processes at once", async () => {
    const prefix = `t${randomBytes(6).toString("hex")}`;
    const brokers = await Promise.all(Array.from({ length: 6 }, () => joinBroker(prefix)));
    await brokers[0]!.buckets.service.put("key", "value");
    expect((await brokers[5]!.buckets.service.get("key"))?.text()).toBe("value");
    await Promise.all(brokers.map((broker) => broker.close()));
  });
});
