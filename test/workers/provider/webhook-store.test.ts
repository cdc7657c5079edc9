/** Webhooks after their broker could not write: acked messages that remain, and what did not fire. */
import { pino } from "pino";
import { expect, it, onTestFinished } from "vitest";
import { systemClock } from "../../../src/adapters/clock/system-clock.ts";
import { type NatsBroker, openConsumer } from "../../../src/adapters/nats/nats-broker.ts";
import {
  publishSchedule,
  removeAcked,
  restartOverdue,
  scheduledQueue,
} from "../../../src/adapters/nats/scheduled-queue.ts";
import { createPolite } from "../../../src/egress/polite.ts";
import { HOUR_MS } from "../../../src/ports/time.ts";
import { openLimiter } from "../../../src/rpc/limits.ts";
import { openRecords } from "../../../src/stores/records.ts";
import {
  afterAttempt,
  BatchRecord,
  type Hook,
  newDelivery,
} from "../../../workers/provider/webhook-rules.ts";
import { startWebhooks } from "../../../workers/provider/webhooks.ts";
import { fetcherFor } from "../../adapters/http/support.ts";
import { ownBroker } from "../../adapters/nats/own-broker.ts";
import { gateOn, joinBroker } from "../../support/gate.ts";
import { type Receiver, startReceiver, until } from "./receiver.ts";

const LEASE_MS = 2_000;
const SCHEDULE = [0, 2_000, HOUR_MS];
const PREFIX = "kept";
const log = pino({ level: "silent" });

const webhookQueue = (broker: NatsBroker) => scheduledQueue(broker, "webhooks", "webhooks");

async function newReceiver(): Promise<Receiver> {
  const receiver = await startReceiver();
  onTestFinished(() => receiver.close());
  return receiver;
}
const workerOn = (broker: NatsBroker) =>
  startWebhooks({
    broker,
    polite: createPolite({
      gate: gateOn(broker, "worker", LEASE_MS),
      fetcher: fetcherFor({ "hooks.test": ["127.0.0.1"] }),
      now: broker.now,
      clockErrorMs: broker.clockErrorMs,
      clock: systemClock,
      leaseMs: LEASE_MS,
      hostDelayMs: 0,
      ipDelayMs: 0,
    }),
    batches: batchesOf(broker),
    clock: systemClock,
    log,
    schedule: SCHEDULE,
    leaseMs: LEASE_MS,
    random: () => 0,
    limiter: openLimiter({ ...broker, secret: "secret", percent: 100 }),
  });
const batchesOf = (broker: NatsBroker) => openRecords(broker.buckets.batches, BatchRecord);
const deliveryOf = async (broker: NatsBroker, id: string) =>
  (await batchesOf(broker).get(id))!.value.delivery!;
async function queued(broker: NatsBroker): Promise<string[]> {
  const info = await broker.jsm.streams.info(webhookQueue(broker).stream, { subjects_filter: ">" });
  return Object.keys(info.state.subjects ?? {}).sort();
}

/** A webhook as the queue holds it before its first attempt, and the record of its batch as `change` leaves it. */
async function accept(
  broker: NatsBroker,
  { port }: Receiver,
  id: string,
  change = (delivery: ReturnType<typeof newDelivery>) => delivery,
): Promise<Hook> {
  const url = `http://hooks.test:${port}/${id}`;
  const now = broker.now();
  await batchesOf(broker).put(id, {
    v: 1,
    request_id: id,
    created_at: new Date(now).toISOString(),
    summary: { total: 1, enabled: 1, partial: 0, disabled: 0, pending: 0, timeout: 0, invalid: 0 },
    delivery: change(newDelivery(url, false, SCHEDULE.length, now)),
  });
  return { v: 1, id, url, secret: null, body: "{}", made: 0 };
}
function attempted(delivered: boolean, now: number, nextAt?: number) {
  const attempt = { at: new Date(now).toISOString(), status: 200, failure: null, took_ms: 1 };
  const verdict = delivered
    ? ({ kind: "delivered" } as const)
    : ({ kind: "again", failure: "status" } as const);
  return (delivery: ReturnType<typeof newDelivery>) => afterAttempt(delivery, attempt, verdict, nextAt, now);
}

it("sends again, in its time, what had a successor that was lost, and never what was delivered", async () => {
  const receiver = await newReceiver();
  const sentTo = (id: string) => receiver.got.filter(({ headers }) => headers["webhook-id"] === id);
  const server = ownBroker(PREFIX, `${PREFIX}_WEBHOOKS`);

  const before = await server.start();
  const queue = webhookQueue(before.broker);
  const inAnHour = before.broker.now() + HOUR_MS;
  const hooks = [
    await accept(before.broker, receiver, "again"),
    await accept(before.broker, receiver, "delivered"),
    await accept(before.broker, receiver, "later", attempted(false, before.broker.now(), inAnHour)),
  ];
  for (const hook of hooks) await before.broker.js.publish(queue.of(hook.id).due, JSON.stringify(hook));
  const later = { ...hooks[2]!, made: 1 };
  await publishSchedule(before.broker, queue, "later", inAnHour, JSON.stringify(later));
  await before.stop();
  server.copy();

  const during = await server.start();
  receiver.answer = () => ({ status: receiver.got.at(-1)!.headers["webhook-id"] === "again" ? 503 : 204 });
  const interrupted = await workerOn(during.broker);
  during.beforeStop(interrupted.drain);
  await until(async () => {
    const { num_pending, num_ack_pending } = await during.broker.jsm.consumers.info(
      queue.stream,
      queue.consumer,
    );
    return num_pending + num_ack_pending === 0 && interrupted.stats.sent === 2;
  });
  const { next_attempt_at } = await deliveryOf(during.broker, "again");
  await during.stop();
  server.putBack();

  receiver.answer = () => ({ status: 204 });
  const { broker, beforeStop } = await server.start();
  const worker = await workerOn(broker);
  beforeStop(worker.drain);
  expect(await queued(broker)).toHaveLength(4);
  expect((await removeAcked(broker, queue)).sort()).toEqual(["again", "delivered", "later"]);
  expect(await removeAcked(broker, queue)).toEqual([]);

  await until(async () => (await deliveryOf(broker, "again")).state === "delivered");
  const { attempts, attempts_left } = await deliveryOf(broker, "again");
  expect([attempts.map(({ status }) => status), attempts_left]).toEqual([[503, 204], 1]);
  expect(attempts[1]!.at >= next_attempt_at!).toBe(true);
  await until(async () => (await queued(broker)).length === 1);
  expect(await queued(broker)).toEqual([queue.of("later").sched]);
  expect(["again", "delivered", "later"].map((id) => sentTo(id).length)).toEqual([2, 1, 0]);
});

it("sends what did not fire while its firing could not be stored, unless it has ended", async () => {
  const receiver = await newReceiver();
  const broker = await joinBroker();
  onTestFinished(() => broker.close());
  const queue = webhookQueue(broker);
  const at = broker.now() + 100;
  const silent = await accept(broker, receiver, "silent");
  const ended = await accept(broker, receiver, "ended", attempted(true, broker.now()));
  const later = await accept(broker, receiver, "later");
  for (const hook of [silent, ended]) await publishSchedule(broker, queue, hook.id, at, JSON.stringify(hook));
  await publishSchedule(broker, queue, "later", at + HOUR_MS, JSON.stringify(later));
  // Nothing fits, as where an account's limit is reached.
  await broker.jsm.streams.update(queue.stream, { max_msg_size: 1 });
  const consumer = await openConsumer(broker, queue.stream, queue.consumer, {
    filter_subject: queue.all.due,
    ack_wait: LEASE_MS * 1e6,
    max_ack_pending: 1_000,
  });
  const nothing = async () => {
    const messages = await consumer.fetch({ max_messages: 1, expires: 1_000 });
    for await (const message of messages) throw new Error(`${message.subject} fired`);
  };
  await nothing();
  await broker.jsm.streams.update(queue.stream, { max_msg_size: -1 });
  await nothing();

  const worker = await workerOn(broker);
  onTestFinished(worker.drain);
  expect(await restartOverdue(broker, queue, HOUR_MS)).toEqual([]);
  expect((await restartOverdue(broker, queue, 500)).sort()).toEqual(["ended", "silent"]);
  await until(async () => (await queued(broker)).length === 1);
  expect(await queued(broker)).toEqual([queue.of("later").sched]);
  expect(await deliveryOf(broker, "silent")).toMatchObject({ state: "delivered", attempts_left: 2 });
  expect(receiver.got.map(({ headers }) => headers["webhook-id"])).toEqual(["silent"]);
});
