/** The transparency log: appends that are signed and provable, against bare publishes into a stream of the same kind. */
import { RetentionPolicy, StorageType } from "@nats-io/jetstream";
import { ensureNatsServer } from "../../deploy/nats-server.ts";
import { systemClock } from "../../src/adapters/clock/system-clock.ts";
import { openBroker } from "../../src/adapters/nats/broker.ts";
import { openLog } from "../../src/adapters/nats/log.ts";
import { startBrokerServer } from "../../src/adapters/nats/server.ts";
import { openIdentity } from "../../src/stores/identity.ts";
import type { BenchLine } from "./bench-line.ts";
import { temporaryHome } from "./processes.ts";

const DURATION_MS = 3_000;
const IN_FLIGHT = 256;
const ENTRY = Buffer.from(
  JSON.stringify({ v: 1, kind: "example", at: "2026-01-31T12:00:00.000Z", fill: "x".repeat(120) }),
);

/** How many a second, with so many under way at once. */
const rateOf = async (work: (i: number) => Promise<unknown>): Promise<number> => {
  const startedMs = performance.now();
  let done = 0;
  await Promise.all(
    Array.from({ length: IN_FLIGHT }, async () => {
      while (performance.now() - startedMs < DURATION_MS) await work(done++);
    }),
  );
  return (done * 1_000) / (performance.now() - startedMs);
};

export const bench = async (): Promise<BenchLine[]> => {
  const { home, remove } = temporaryHome();
  const binary = await ensureNatsServer((line) => process.stderr.write(`${line}\n`));
  const server = await startBrokerServer({ binary, folder: home });
  const broker = await openBroker({
    url: server.url,
    prefix: "bench",
    name: "bench",
    clock: systemClock,
    setUp: true,
  });
  const log = await openLog(
    broker,
    await openIdentity(broker.buckets.service),
    "https://registry.example",
    systemClock,
  );
  const subjects = ["bare.entries"];
  await broker.jsm.streams.add({
    name: "BARE",
    subjects,
    retention: RetentionPolicy.Limits,
    storage: StorageType.File,
  });
  const bare = await rateOf((i) => broker.js.publish("bare.entries", ENTRY, { msgID: String(i) }));
  const topic = { kind: "certificate" } as const;
  const appended = await rateOf((i) => log.append(topic, String(i), ENTRY));
  await broker.close();
  await server.stop();
  remove();
  const conditions = `${IN_FLIGHT} at once, one worker, entries of ${ENTRY.length} bytes; against bare publishes`;
  const value = Math.round(appended);
  return [
    { name: "log", value, unit: "appends/s", baseline: Math.round(bare), ratio: appended / bare, conditions },
  ];
};
