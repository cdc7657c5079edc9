/**
 * Webhooks on their way: one message each in a scheduled queue, as the frontier's tokens. A worker that dies leaves its
 * message to another; what is acked was delivered, has ended, or has a successor. At least once: the batch's record says
 * which attempts were made and whether there are to be more, whatever a fault leaves in the queue.
 */

import type { Logger } from "pino";
import type { Delivery } from "../../schemas/provider.ts";
import type { Polite, Visit } from "../../src/egress/polite.ts";
import type { Broker } from "../../src/ports/broker.ts";
import type { Clock } from "../../src/ports/clock.ts";
import type { FetchResult } from "../../src/ports/http.ts";
import type { DelayedQueue, Work } from "../../src/ports/queue.ts";
import { WEBHOOK_LIMITS } from "../../src/ports/storage.ts";
import { iso } from "../../src/ports/time.ts";
import { WEBHOOK_UNIT_BYTES } from "../../src/rpc/limit-rows/domains.ts";
import type { Charge, Limiter } from "../../src/rpc/limits.ts";
import { openBound, startQueueWorker } from "../../src/stores/queue-worker.ts";
import type { Records } from "../../src/stores/records.ts";
import {
  afterAttempt,
  type BatchRecord,
  type DeliveryOutcome,
  deliveryOutcome,
  Hook,
  resumed,
  waitBefore,
  webhookHeaders,
} from "./webhook-rules.ts";

const CONCURRENCY = 32;
/** Patience with the gate of a receiver; then the same attempt comes again when the gate says. */
const MAX_WAIT_MS = 500;
/** Longest body: fifty domains' results come to half of it. */
const MAX_HOOK_BYTES = 128 * 1024;
const ANSWER_TIMEOUT_MS = 15_000;
const ANSWER_BYTES = 16 * 1024;
const RETRY_HELD_MS = 2_000;
/** Attempts under way at a shutdown may finish for this long; then they go back to the queue. */
const DRAIN_MS = 3_000;

export interface WebhookDeps {
  broker: Broker;
  polite: Polite;
  batches: Records<BatchRecord>;
  clock: Clock;
  log: Logger;
  /** Milliseconds before each attempt. */
  schedule: readonly number[];
  leaseMs: number;
  random: () => number;
  limiter: Limiter;
}

/** `queue_full`: too many wait, of everybody or of the asker's network; `receiver_busy`: too many for this host. */
type Refusal = "queue_full" | "receiver_busy" | "too_large";

export interface Webhooks {
  readonly stats: { sent: number; delivered: number; retried: number; ended: number; held: number };
  /**
   * Puts a webhook on its way.
   * @param clientAddress of who asked for it: what waits is charged to the caller's network and to the receiver
   * @returns undefined, or why it was not accepted
   */
  send(hook: Hook, clientAddress: string): Promise<Refusal | undefined>;
  drain(): Promise<void>;
}

type Outcome =
  | { kind: "held"; atMs: number }
  | { kind: "tried"; verdict: DeliveryOutcome; status: number | null; tookMs: number };

/** Starts delivering. Any number of these run at once, here or in other processes. */
export async function startWebhooks(deps: WebhookDeps): Promise<Webhooks> {
  const stats = { sent: 0, delivered: 0, retried: 0, ended: 0, held: 0 };
  const queue = await deps.broker.webhooks(deps.leaseMs);
  const worker = startQueueWorker({
    ...deps,
    queue,
    what: "webhooks",
    upkeepKey: "webhooks_audit",
    concurrency: CONCURRENCY,
    drainMs: DRAIN_MS,
    // Thrown before its ack, it is sent again: a receiver may then hear of it twice, which webhook-id tells.
    handle: (message, signal) => deliver(deps, queue, message, stats, signal),
  });
  const hasRoom = openBound(
    queue,
    deps.clock,
    ({ messages, bytes, maxBytes }) =>
      messages >= WEBHOOK_LIMITS.messages || bytes >= Math.min(WEBHOOK_LIMITS.bytes, maxBytes),
  );
  return {
    stats,
    send: async (hook, clientAddress) => {
      if (Buffer.byteLength(hook.body) > MAX_HOOK_BYTES) return "too_large";
      if (!(await hasRoom(Buffer.byteLength(hook.body)))) return "queue_full";
      const charged = await reserve(deps.limiter, hook, clientAddress);
      if (typeof charged === "string") return charged;
      await queue.add(hook.id, JSON.stringify({ ...hook, charged }));
      return undefined;
    },
    drain: worker.drain,
  };
}

/** Sends one due webhook and stores what follows before it acks. */
async function deliver(
  deps: WebhookDeps,
  queue: DelayedQueue,
  message: Work,
  stats: Webhooks["stats"],
  signal: AbortSignal,
): Promise<void> {
  const { broker, batches, schedule: waits, random } = deps;
  const parsed = Hook.safeParse(message.json());
  if (!parsed.success) return message.discard("not a webhook");
  const { hook, notBefore } = resumed(parsed.data, (await batches.get(parsed.data.id))?.value);
  if (!hook) return message.ack();
  // Writer and reader of that time may each be off.
  if (notBefore > broker.now() + 2 * broker.clockErrorMs()) {
    await schedule(queue, hook, notBefore);
    return message.ack();
  }
  const outcome = await attempt(deps, hook, signal);
  if (signal.aborted && outcome.kind === "held") return message.giveBack();
  if (outcome.kind === "held") {
    stats.held++;
    await schedule(queue, hook, outcome.atMs);
    return message.ack();
  }
  const { verdict, status, tookMs } = outcome;
  const made = hook.made + 1;
  const now = broker.now();
  const wait = verdict.kind === "again" ? waitBefore(waits, made, random) : undefined;
  const isLast = wait === undefined || now + wait > (hook.giveUpAt ?? Number.POSITIVE_INFINITY);
  const nextAt = isLast ? undefined : now + wait;
  const failure =
    verdict.kind === "again" ? verdict.failure : verdict.kind === "ended" ? verdict.reason : null;
  stats.sent++;
  if (verdict.kind === "delivered") stats.delivered++;
  else if (nextAt === undefined) stats.ended++;
  else stats.retried++;
  if (nextAt !== undefined) await schedule(queue, { ...hook, made }, nextAt);
  else await release(deps, hook);
  const seen = { at: iso(now), status, failure, took_ms: tookMs };
  await updateDelivery(deps, hook.id, (before) => afterAttempt(before, seen, verdict, nextAt, now));
  message.ack();
}

/** Stores the message at its time; replaces what waits for this webhook. */
const schedule = (queue: DelayedQueue, hook: Hook, atMs: number): Promise<void> =>
  queue.schedule(hook.id, atMs, JSON.stringify(hook));

/** One attempt, with the manners of every request that leaves. */
async function attempt(deps: WebhookDeps, hook: Hook, signal: AbortSignal): Promise<Outcome> {
  const { broker, polite } = deps;
  const entry = await polite.open(new URL(hook.url).hostname, MAX_WAIT_MS, signal, {
    ownBackOff: true,
    asker: "webhooks",
  });
  if (!entry.ok) return { kind: "held", atMs: entry.retryAt };
  await using visit = entry.visit;
  const result = await visit.fetch(hook.url, {
    method: "POST",
    headers: webhookHeaders(hook, Math.floor(broker.now() / 1_000)),
    body: hook.body,
    maxRedirects: 0,
    timeoutMs: ANSWER_TIMEOUT_MS,
    maxBodyBytes: ANSWER_BYTES,
    statusOnly: true,
  });
  return outcomeOf(result, visit, broker.now());
}

function outcomeOf(result: FetchResult, visit: Visit, now: number): Outcome {
  if (!result.ok && (result.failure === "not_admitted" || result.failure === "aborted"))
    return { kind: "held", atMs: visit.retryAt ?? now + RETRY_HELD_MS };
  const answer = result.ok ? { status: result.status } : { failure: result.failure };
  const status = result.ok ? result.status : null;
  return { kind: "tried", verdict: deliveryOutcome(answer), status, tookMs: Math.round(result.tookMs) };
}

/** A webhook that waits no more costs nothing more; counts of a period that has ended begin anew by themselves. */
async function release({ limiter, log }: WebhookDeps, { charged }: Hook): Promise<void> {
  if (!charged) return;
  await limiter
    .refund(charged)
    .catch((error: unknown) => log.warn({ err: error }, "what a webhook cost was not given back"));
}

/** Keeps an attempt with its batch. A record that is gone (too old) takes nothing with it; what has ended stays so. */
async function updateDelivery(
  { batches }: WebhookDeps,
  id: string,
  change: (before: Delivery) => Delivery,
): Promise<void> {
  await batches.update(id, (before) => {
    if (before?.delivery?.state !== "pending") return { result: false };
    return { next: { ...before, delivery: change(before.delivery) }, result: true };
  });
}

/**
 * Charges what a webhook costs while it waits, before it is accepted.
 * @returns the charge, for `release`; or why there is no room
 */
async function reserve(limiter: Limiter, hook: Hook, clientAddress: string): Promise<Charge | Refusal> {
  const payer = { clientAddress, host: new URL(hook.url).hostname };
  const units = Math.max(1, Math.ceil(Buffer.byteLength(hook.body) / WEBHOOK_UNIT_BYTES));
  const { ok, charged, allowances } = await limiter.charge("webhooks", payer, units);
  if (ok) return charged;
  return allowances.at(-1)!.name.includes("-host-") ? "receiver_busy" : "queue_full";
}
