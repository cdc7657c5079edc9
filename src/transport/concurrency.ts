/**
 * How many calls of one operation a front has under way: as many as are answered in time (adaptive-limit.ts). What is more
 * waits where it will be answered soon, networks by rotation, and is refused at once otherwise (docs/decisions/0134).
 */
import { AdaptiveLimit, AdmissionRefusal, type CallOutcome } from "../concurrency/adaptive-limit.ts";
import { type OperationSpec, timeoutOf } from "../rpc/contract.ts";
import { Failure, fail } from "../rpc/errors.ts";
import { recentlyUsed } from "../stores/recently-used.ts";
import { concurrencyRefusals } from "../telemetry/instruments.ts";

/**
 * Of an operation's deadline: what a call may take once it runs, and what it may wait for before. Together well below the whole:
 * workers begin at once what they are sent, and a limit is learned from answers, which come late where it was too high.
 */
const [TARGET_SHARE, PATIENCE_SHARE] = [0.1, 0.25];

const LEAST = 8;
const FIRST = 16;
const MOST = 512;
/** Of operations that wait for sites: most of what is under way waits. */
const OF_SITES = { least: 64, first: 128, most: 1_024, growth: 16 };
/** A burst of so many is taken where each is quick: what would run too late is refused anyway. */
const MAX_WAITING = 1_024;
/** Of who has too much under way: one of theirs may have been answered by then. */
const OWN_RETRY_SECONDS = 2;

interface Held {
  untilMs: number;
  /** That are admitted, by what was answered since. */
  calls: number;
}

/** Without another refusal, whatever comes is admitted again: also of who has nothing under way that could be answered. */
const HELD_MS = 500;
/** Calls that are admitted for each that is answered. More than one, so that a caller finds it out where more is free. */
const FOR_EACH_ANSWER = 1.25;
/** What answers make room for in a moment without calls. */
const MOST_CALLS = 16;
/** Callers that are remembered; of more, the least recent are admitted. */
const MAX_CALLERS = 10_000;

/**
 * Callers of whom a worker's queue refused more ("too much of yours waits"): for a while the front admits what their answers
 * make room for and refuses the rest itself, so that a flood costs neither the way to the worker nor back (docs/decisions/0134).
 */
export class CallerBackoff {
  readonly #now: () => number;
  readonly #held = recentlyUsed<Held>(MAX_CALLERS);

  /** @param now milliseconds that only go forward */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  #heldOf(caller: string): Held | undefined {
    const held = this.#held.size === 0 ? undefined : this.#held.get(caller);
    if (!held || this.#now() < held.untilMs) return held;
    this.#held.delete(caller);
    return undefined;
  }

  #admitMore(caller: string, calls: number): void {
    const held = this.#heldOf(caller);
    if (held) held.calls = Math.min(MOST_CALLS, held.calls + calls);
  }

  /** @returns whether one more of a caller's is admitted */
  admits(caller: string): boolean {
    const held = this.#heldOf(caller);
    if (!held) return true;
    if (held.calls < 1) return false;
    held.calls--;
    return true;
  }

  /** One that was admitted was not made. */
  released(caller: string): void {
    this.#admitMore(caller, 1);
  }

  answered(caller: string): void {
    this.#admitMore(caller, FOR_EACH_ANSWER);
  }

  /** The worker refused it as too much of the caller's own. */
  refused(caller: string): void {
    this.#held.set(caller, { untilMs: this.#now() + HELD_MS, calls: 0 });
  }
}

/** Who asks: networks share what runs; an address is held back by itself where a worker refuses what is too much of its own. */
export interface CallerOrigin {
  network: string;
  address: string;
}

/** The right to make one call. */
export interface Permit {
  /** When it was given, on the monotonic clock: the call's deadline counts from then. */
  readonly atMs: number;
  /**
   * Makes the call when there is room; called once.
   * @returns what `work` does, or the refusal
   */
  run<T>(work: () => Promise<T>): Promise<T | Failure<"unavailable">>;
  /** The caller has gone; after `run` this does nothing. */
  release(): void;
}

/** Of one operation in one front. */
export interface Concurrency {
  /** Admits a call, or refuses it, before anything is spent on reading it. What is admitted counts as waiting until it runs. */
  admit(asking: CallerOrigin): Failure<"unavailable"> | Permit;
}

/** @param names of the operation, for the metric of what is refused */
export function concurrencyOf(
  operation: OperationSpec,
  names: { service: string; operation: string },
): Concurrency {
  const limit = limitOf(operation);
  const backoff = new CallerBackoff();
  const counted = <T>(failure: T): T => {
    concurrencyRefusals.inc(names);
    return failure;
  };
  const run = async <T>({ network, address }: CallerOrigin, work: () => Promise<T>) => {
    const pass = await limit.admit(network);
    if (pass instanceof AdmissionRefusal) {
      backoff.released(address);
      return counted(overloaded(pass));
    }
    let outcome: CallOutcome = "other";
    try {
      const result = await work();
      outcome = outcomeOf(operation, result);
      if (result instanceof Failure && result.callerOverloaded) backoff.refused(address);
      else if (outcome === "answered") backoff.answered(address);
      return result;
    } finally {
      pass.end(outcome);
    }
  };
  return {
    admit: (asking) => {
      const { network, address } = asking;
      if (!backoff.admits(address)) return counted(tooMuchOfOwn());
      const reserved = limit.reserve(network);
      if (reserved instanceof AdmissionRefusal) {
        backoff.released(address);
        return counted(overloaded(reserved));
      }
      let isWaiting = true;
      return {
        atMs: performance.now(),
        run: (work) => {
          isWaiting = false;
          reserved();
          return run(asking, work);
        },
        release: () => {
          if (isWaiting) backoff.released(address);
          isWaiting = false;
          reserved();
        },
      };
    },
  };
}

function limitOf(operation: OperationSpec): AdaptiveLimit {
  const deadlineMs = timeoutOf(operation);
  const waiting = { maxWaiting: MAX_WAITING, patienceMs: deadlineMs * PATIENCE_SHARE };
  return operation.waitsForSites
    ? new AdaptiveLimit({ ...OF_SITES, ...waiting, targetMs: undefined })
    : new AdaptiveLimit({
        least: LEAST,
        first: FIRST,
        most: MOST,
        ...waiting,
        targetMs: deadlineMs * TARGET_SHARE,
      });
}

/** 503 at once, with the time after which a retry has a fair chance. */
const overloaded = ({ retryAfterSeconds }: AdmissionRefusal): Failure<"unavailable"> =>
  fail("unavailable", "More is asked than can be answered in time. Nothing was done; try again later.", {
    retryAfterSeconds,
    overloaded: true,
  });

/** What a call's result says of the load. Of one that waits for a site, its deadline says nothing. */
function outcomeOf({ waitsForSites }: OperationSpec, result: unknown): CallOutcome {
  if (!(result instanceof Failure)) return "answered";
  if (result.overloaded || (result.code === "timeout" && !waitsForSites)) return "overloaded";
  return result.brokeOff || result.callerOverloaded || result.code === "unavailable" ? "other" : "answered";
}

const tooMuchOfOwn = (): Failure<"unavailable"> =>
  fail("unavailable", "Too much of yours is under way. Send the next when one has been answered.", {
    retryAfterSeconds: OWN_RETRY_SECONDS,
    callerOverloaded: true,
  });
