/** Whether a thread has been in one turn of its event loop for too long: by what it used, or by how long it was blocked. Pure. */
import type { ThreadState } from "./processor-time.ts";

export interface TurnLimits {
  /** Milliseconds of processor time. */
  cpuMs: number;
  /** Milliseconds of the watchdog's own ticks in which the thread waited in a call. */
  blockedMs: number;
}

export interface Look {
  /** The thread's beats so far; 0: it has not begun to beat. */
  beats: number;
  inspected: boolean;
  /** undefined where the system tells nothing of threads. */
  state: ThreadState | undefined;
  /** Milliseconds since the watchdog looked last, by the clock. */
  sinceMs: number;
}

/** Follows one thread, look by look. */
export class TurnWatch {
  readonly #tickMs: number;
  #beats = 0;
  #cpuMs = 0;
  #blockedMs = 0;

  /** @param tickMs how often it looks */
  constructor(tickMs: number) {
    this.#tickMs = tickMs;
  }

  /** @returns why the thread is hung, or undefined */
  look({ beats, inspected, state, sinceMs }: Look, { cpuMs, blockedMs }: TurnLimits): string | undefined {
    if (beats !== this.#beats || beats === 0) {
      this.#beats = beats;
      this.#cpuMs = state?.cpuMs ?? 0;
      this.#blockedMs = 0;
      return undefined;
    }
    const usedMs = state ? state.cpuMs - this.#cpuMs : 0;
    if (usedMs > cpuMs) return `used ${usedMs} ms of processor time in one turn`;
    // A process that was stopped, or whose machine slept, kept the watchdog from ticking, too: a tick is worth no more
    // than a tick. A thread that wants to run is starved by others, and one that is stopped is so by somebody's will.
    const waits = state === undefined || state.state === "S" || state.state === "D";
    if (waits && !inspected) this.#blockedMs += Math.min(sinceMs, this.#tickMs);
    if (this.#blockedMs > blockedMs) return `was blocked for ${Math.round(this.#blockedMs)} ms in one turn`;
    return undefined;
  }
}
