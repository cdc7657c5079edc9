/** Works off a delayed queue: so many items at once, each kept while it lasts, and given back when its work throws. */
import type { Logger } from "pino";
import { every } from "../concurrency/every.ts";
import { startWorkLoop } from "../concurrency/work-loop.ts";
import type { Broker } from "../ports/broker.ts";
import type { Clock } from "../ports/clock.ts";
import type { DelayedQueue, Work } from "../ports/queue.ts";
import { OVERDUE_MS, startUpkeep } from "./queue-upkeep.ts";

export interface QueueWorkerOptions {
  queue: DelayedQueue;
  /** What it holds, in the plural, for the log. */
  what: string;
  /** Key in the `service` bucket of the hourly upkeep. */
  upkeepKey: string;
  /** Ends the item; otherwise it comes back after its lease. `signal` aborts when the process cannot wait any more. */
  handle(work: Work, signal: AbortSignal): Promise<void>;
  concurrency: number;
  leaseMs: number;
  /** A drain waits so long for what is under way before `signal` aborts. */
  drainMs: number;
  broker: Broker;
  clock: Clock;
  log: Logger;
}

const PAUSE_AFTER_ERROR_MS = 1_000;

type QueueSize = Awaited<ReturnType<DelayedQueue["size"]>>;
const BOUND_EVERY_MS = 1_000;

/** Starts it; any number of these run at once, here or in other processes. */
export function startQueueWorker(options: QueueWorkerOptions): { drain(): Promise<void> } {
  const { queue, what, broker, clock, log, leaseMs } = options;
  const ending = new AbortController();
  const loop = startWorkLoop({ ...options, ending, take: queue.take, handle });
  const upkeep = startUpkeep({
    name: options.upkeepKey,
    removeAcked: queue.removeAcked,
    hourly: async () => {
      const overdue = await queue.restartOverdue(OVERDUE_MS);
      if (overdue.length > 0) log.warn({ overdue: overdue.slice(0, 20) }, `${what} that were not made due`);
    },
    broker,
    clock,
    log,
  });
  return {
    drain: async () => {
      await Promise.all([upkeep.drain(), loop.drain()]);
    },
  };

  async function handle(work: Work): Promise<void> {
    const stopTelling = every(clock, leaseMs / 3, () => {
      if (broker.connectionState.up) work.working();
    });
    try {
      await options.handle(work, ending.signal);
    } catch (error) {
      log.warn({ err: error }, `one of the ${what} was not settled; trying again`);
      work.giveBack(PAUSE_AFTER_ERROR_MS);
    } finally {
      stopTelling();
    }
  }
}

/**
 * Whether a queue takes one more of so many bytes. What it holds is looked at once a second; what was taken here since then is added, so that a
 * burst between two looks does not pass the bound, where the broker drops the oldest.
 */
export function openBound(
  queue: Pick<DelayedQueue, "size">,
  clock: Clock,
  isFull: (size: QueueSize) => boolean = ({ bytes, maxBytes }) => bytes >= maxBytes,
): (bytes: number) => Promise<boolean> {
  let seenAtMs = Number.NEGATIVE_INFINITY;
  let size: QueueSize = { messages: 0, bytes: 0, maxBytes: 0 };
  return async (bytes) => {
    if (clock.monotonicMs() - seenAtMs >= BOUND_EVERY_MS) {
      size = { ...(await queue.size()) };
      seenAtMs = clock.monotonicMs();
    }
    if (isFull(size)) return false;
    size.messages++;
    size.bytes += bytes;
    return true;
  };
}
