/** Takes what is due, as many at once as it may, and lets each end: the loop of whoever works off a queue. */
import type { Logger } from "pino";
import type { Clock } from "../ports/clock.ts";
import { warnOnChange } from "./warn-on-change.ts";

export interface WorkLoopOptions<T> {
  concurrency: number;
  /** Gives `begin` up to `free` items; resolves within seconds, possibly without any. */
  take(free: number, begin: (item: T) => void, signal: AbortSignal): Promise<void>;
  /** Works on one. Never rejects. */
  handle(item: T): Promise<void>;
  /** Called before each take: waits while nothing is to be taken. It may begin items of its own. */
  hold?(begin: (item: T) => void, underWay: () => number, signal: AbortSignal): Promise<void>;
  /** What is read, for the log: "the frontier". */
  what: string;
  /** A drain lets what is under way last this long, milliseconds. */
  drainMs: number;
  /** Aborted then: what is under way has to end. */
  ending: AbortController;
  clock: Clock;
  log: Pick<Logger, "warn" | "info">;
}

export interface WorkLoop {
  /** Takes nothing more. Resolves once all has ended, or does not although it had to. */
  drain(): Promise<void>;
}

const PAUSE_AFTER_ERROR_MS = 1_000;
/** Places fall free in swarms: one request of the broker for several of them. */
const GATHER_MS = 20;
/** What has to end has this long to do so: a broker that does not answer must not hold up the end. */
const END_MS = 2_000;

/** Any number of these run at once, here or in other processes. */
export function startWorkLoop<T>(options: WorkLoopOptions<T>): WorkLoop {
  const { concurrency, what, ending, clock } = options;
  const stopping = new AbortController();
  const { signal } = stopping;
  const underWay = new Set<Promise<void>>();
  const changes = warnOnChange(options.log);
  let placeFreed = Promise.withResolvers<void>();
  const running = run();
  return { drain };

  async function run(): Promise<void> {
    while (!signal.aborted) {
      await options.hold?.(begin, () => underWay.size, signal);
      const free = concurrency - underWay.size;
      if (free > 0) await take(free);
      else await someEnd();
    }
  }

  async function take(free: number): Promise<void> {
    try {
      await options.take(free, begin, signal);
    } catch (error) {
      changes.warn(`${what} cannot be read; trying again`, error);
      await clock.sleep(PAUSE_AFTER_ERROR_MS, signal);
    }
  }

  async function someEnd(): Promise<void> {
    placeFreed = Promise.withResolvers<void>();
    await placeFreed.promise;
    await clock.sleep(GATHER_MS, signal);
  }

  function begin(item: T): void {
    const handled = options.handle(item).finally(() => {
      underWay.delete(handled);
      placeFreed.resolve();
    });
    underWay.add(handled);
  }

  async function drain(): Promise<void> {
    stopping.abort();
    placeFreed.resolve();
    const ended = new AbortController();
    const all = running.then(() => Promise.all(underWay)).finally(() => ended.abort());
    await Promise.race([all, clock.sleep(options.drainMs, ended.signal)]);
    ending.abort();
    // What does not end even now is not acked: the broker hands it to a worker again.
    await Promise.race([all, clock.sleep(END_MS, ended.signal)]);
  }
}
