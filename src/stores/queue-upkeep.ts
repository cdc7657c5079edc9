/**
 * Keeps a scheduled queue whole after faults of its broker (scheduled-queue.ts says which). What was acked and stayed,
 * every process looks for four times a minute, which costs two requests; what did not fire is looked for once an hour,
 * somewhere.
 */
import type { Logger } from "pino";
import { z } from "zod";
import type { Broker } from "../ports/broker.ts";
import type { Clock } from "../ports/clock.ts";
import { openRecords } from "./records.ts";

const EVERY_MS = 3_600_000;
/** Also the longest that a key keeps a second message once the broker writes again and the work of that time has ended. */
export const LOOK_EVERY_MS = 15_000;
/** A schedule that did not fire for so long will not: on time it is late by fractions of a second. */
export const OVERDUE_MS = 60_000;

const LastTime = z.looseObject({ v: z.literal(1), at: z.number() });

export interface UpkeepDeps {
  /** Where in the `service` bucket the time of the last hourly work is kept. */
  name: string;
  removeAcked: () => Promise<string[]>;
  hourly: () => Promise<void>;
  broker: Broker;
  clock: Clock;
  log: Logger;
}

/** Starts looking. The hourly work is done once over all processes: by whoever writes the time first. */
export const startUpkeep = ({
  name,
  removeAcked,
  hourly,
  broker,
  clock,
  log,
}: UpkeepDeps): { drain(): Promise<void> } => {
  const stopping = new AbortController();
  const last = openRecords(broker.buckets.service, LastTime);
  const look = async (): Promise<void> => {
    const acked = await removeAcked();
    if (acked.length > 0) log.warn({ queue: name, acked: acked.slice(0, 20) }, "what was acked and stayed");
    const stored = await last.get(name);
    const now = broker.now();
    if (stored && now - stored.value.at < EVERY_MS) return;
    if (await last.compareAndSet(name, { v: 1, at: now }, stored?.revision ?? 0)) await hourly();
  };
  const loop = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      await clock.sleep(LOOK_EVERY_MS, stopping.signal);
      if (stopping.signal.aborted) return;
      await look().catch((error: unknown) =>
        log.warn({ queue: name, err: error }, "a queue was not looked through; the next look will"),
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
};
