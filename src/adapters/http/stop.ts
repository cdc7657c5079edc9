/** The one end that a whole exchange has: its time is up, its caller gave up, or the client closes. */

import type { Clock } from "../../ports/clock.ts";
import type { FetchFailure } from "../../ports/http.ts";

export interface Refusal {
  ok: false;
  failure: FetchFailure;
  detail: string;
}

export interface ExchangeEnd {
  /** Aborted once, when the exchange must end. */
  readonly signal: AbortSignal;
  /** Why; meaningful once `signal` is aborted. */
  reason(): "timeout" | "aborted";
  /** Whether its time is up by the clock, which a process that was stopped for a while learns later from its timers. */
  isOver(): boolean;
  /** Stops the time while the caller's gate makes it wait: politeness must not use up the exchange's own time. */
  pause(): void;
  resume(): void;
  /** Frees the timer and the listeners; to be called at the end, whatever it was. */
  dispose(): void;
}

/** A reason of our own: without one, each abort builds a DOMException with its stack (60 µs a request). */
const DONE = Symbol("done");

export const refusal = (failure: FetchFailure, detail: string): Refusal => ({ ok: false, failure, detail });

/** Stops after `timeoutMs`, or when one of the signals aborts. */
export function createStop(
  clock: Clock,
  timeoutMs: number,
  signals: readonly (AbortSignal | undefined)[],
): ExchangeEnd {
  const controller = new AbortController();
  let reason: "timeout" | "aborted" = "aborted";
  const abort = () => controller.abort(DONE);
  let leftMs = timeoutMs;
  let startedMs = clock.monotonicMs();
  const start = () =>
    after(clock, leftMs, () => {
      reason = "timeout";
      abort();
    });
  let cancel = start();
  for (const signal of signals) {
    if (signal?.aborted) abort();
    signal?.addEventListener("abort", abort);
  }
  return {
    signal: controller.signal,
    reason: () => reason,
    isOver: () => controller.signal.aborted || clock.monotonicMs() - startedMs >= leftMs,
    pause: () => {
      cancel();
      leftMs = Math.max(0, leftMs - (clock.monotonicMs() - startedMs));
    },
    resume: () => {
      startedMs = clock.monotonicMs();
      cancel = start();
    },
    dispose: () => {
      cancel();
      for (const signal of signals) signal?.removeEventListener("abort", abort);
    },
  };
}

/** Runs `then` after `ms` of the clock's time unless cancelled. */
export function after(clock: Clock, ms: number, then: () => void): () => void {
  const cancel = new AbortController();
  void clock.sleep(ms, cancel.signal).then(() => {
    if (!cancel.signal.aborted) then();
  });
  return () => cancel.abort(DONE);
}

/** What the promise gives, or undefined when the stop comes first. The promise's own late end is then nobody's. */
export function beforeStop<T>(promise: Promise<T>, stop: ExchangeEnd): Promise<{ value: T } | undefined> {
  return new Promise((resolve, reject) => {
    const onAbort = () => resolve(undefined);
    if (stop.signal.aborted) onAbort();
    stop.signal.addEventListener("abort", onAbort, { once: true });
    promise
      .then((value) => resolve({ value }), reject)
      .finally(() => stop.signal.removeEventListener("abort", onAbort));
  });
}
