/**
 * Callers of whom a worker refused more ("too much of yours waits"): for a while the front lets come what their answers make
 * room for and refuses the rest itself, so that a flood costs neither the way to the worker nor back (docs/decisions/0099).
 */
import { recentlyUsed } from "../stores/recently-used.ts";

interface Closed {
  untilMs: number;
  /** That may come, by what was answered since. */
  calls: number;
}

/** Without another refusal, whatever comes is let in again: also of who has nothing under way that could be answered. */
const CLOSED_MS = 500;
/** Calls that come for each that is answered. More than one, so that a caller finds it out where more is free. */
const FOR_EACH_ANSWER = 1.25;
/** What answers make room for in a moment without calls. */
const MOST_CALLS = 16;
/** Callers that are remembered; of more, the least recent are let in. */
const MAX_CALLERS = 10_000;

export class OwnShare {
  readonly #now: () => number;
  readonly #closed = recentlyUsed<Closed>(MAX_CALLERS);

  /** @param now milliseconds that only go forward */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  #closedFor(caller: string): Closed | undefined {
    const closed = this.#closed.size === 0 ? undefined : this.#closed.get(caller);
    if (!closed || this.#now() < closed.untilMs) return closed;
    this.#closed.delete(caller);
    return undefined;
  }

  /** @returns whether one more of a caller's may come */
  take(caller: string): boolean {
    const closed = this.#closedFor(caller);
    if (!closed) return true;
    if (closed.calls < 1) return false;
    closed.calls--;
    return true;
  }

  #letMoreCome(caller: string, calls: number): void {
    const closed = this.#closedFor(caller);
    if (closed) closed.calls = Math.min(MOST_CALLS, closed.calls + calls);
  }

  /** One that was let come has gone, or will ask anew. */
  giveBack(caller: string): void {
    this.#letMoreCome(caller, 1);
  }

  answered(caller: string): void {
    this.#letMoreCome(caller, FOR_EACH_ANSWER);
  }

  /** The worker refused it as too much of the caller's own. */
  refused(caller: string): void {
    this.#closed.set(caller, { untilMs: this.#now() + CLOSED_MS, calls: 0 });
  }
}
