/**
 * Repairs a scheduled queue after faults of its broker (scheduled-queue.ts lists them). Every process looks for acked
 * messages that remain up to four times a minute: two requests, of which one makes the broker walk over all keys. One process
 * per hour looks for schedules that did not fire.
 */

import type { Logger } from "pino";
import { z } from "zod";
import type { Broker } from "../ports/broker.ts";
import type { Clock } from "../ports/clock.ts";
import { HOUR_MS } from "../ports/time.ts";
import { openRecords } from "./records.ts";

/** Also the longest time that a duplicate message of a key survives after the broker recovers, where a look is quick. */
export const LOOK_EVERY_MS = 15_000;
/** The rest of the time is the broker's own: a look over millions of keys takes seconds. */
const LOOK_SHARE = 0.02;
/** A schedule this late will not fire: normal delays are fractions of a second. */
export const OVERDUE_MS = 60_000;

const LastTime = z.looseObject({ v: z.literal(1), at: z.number() });

export interface UpkeepDeps {
  /** Key in the `service` bucket that stores the time of the last hourly work. */
  name: string;
  removeAcked: () => Promise<string[]>;
  hourly: () => Promise<void>;
  broker: Broker;
  clock: Clock;
  log: Logger;
}

/** Starts the upkeep loop. The hourly work runs in one process: the first to write the time. */
export function startUpkeep({ name, removeAcked, hourly, broker, clock, log }: UpkeepDeps): {
  drain(): Promise<void>;
} {
  const stopping = new AbortController();
  const last = openRecords(broker.buckets.service, LastTime);
  let tookMs = 0;
  const look = async (): Promise<void> => {
    const startedMs = clock.monotonicMs();
    const acked = await removeAcked().finally(() => {
      tookMs = clock.monotonicMs() - startedMs;
    });
    if (acked.length > 0)
      log.warn({ queue: name, acked: acked.slice(0, 20) }, "removed messages that remained after their ack");
    const stored = await last.get(name);
    const now = broker.now();
    if (stored && now - stored.value.at < HOUR_MS) return;
    if (await last.compareAndSet(name, { v: 1, at: now }, stored?.revision ?? 0)) await hourly();
  };
  const loop = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      await clock.sleep(Math.max(LOOK_EVERY_MS, tookMs / LOOK_SHARE), stopping.signal);
      if (stopping.signal.aborted) return;
      await look().catch((error: unknown) =>
        log.warn({ queue: name, err: error }, "queue upkeep failed; retrying at the next interval"),
      );
    }
  };
  const running = loop();
  return {
    drain: async () => {
      stopping.abort();
      await running;
    },
  };
}
