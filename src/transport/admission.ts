/** How many calls of one operation run at once, in a front and in a worker: what both do under overload is stated here. */
import { AdaptiveLimit, type CallOutcome, type Pass, Refused } from "../concurrency/adaptive-limit.ts";
import { type OperationSpec, timeoutOf } from "../rpc/contract.ts";
import { Failure, fail } from "../rpc/errors.ts";
import { admissionRefusals } from "../telemetry/instruments.ts";
import { OwnShare } from "./own-share.ts";

/** Of an operation's deadline: what a call may take once it was admitted. The worker's is a part of the front's. */
const TARGET_SHARE = { front: 0.2, worker: 0.1 } as const;
/**
 * Of the deadline: what a call may wait for. In a worker longer than the front's target, so that it is the fronts that
 * refuse, who know one network from another.
 */
const PATIENCE_SHARE = { front: 0.25, worker: 0.3 } as const;

const LEAST = 8;
const FIRST = 16;
const MOST = 512;
/** Of operations that wait for sites: most of what is under way waits. */
const LEAST_OF_SITES = 64;
const FIRST_OF_SITES = { front: 128, worker: 1_024 } as const;
const MOST_OF_SITES = 1_024;
const GROWTH_OF_SITES = 16;
/** A burst of so many is taken where each is quick: whose turn is expected too late is refused anyway. */
const MAX_WAITING = 1_024;
/** Of who has too much under way: one of theirs may have been answered by then. */
const OWN_RETRY_SECONDS = 2;

const limitOf = (operation: OperationSpec, place: "front" | "worker"): AdaptiveLimit => {
  const { waitsForSites = false } = operation;
  const deadlineMs = timeoutOf(operation);
  return new AdaptiveLimit({
    targetMs: waitsForSites ? undefined : deadlineMs * TARGET_SHARE[place],
    least: waitsForSites ? LEAST_OF_SITES : LEAST,
    first: waitsForSites ? FIRST_OF_SITES[place] : FIRST,
    most: waitsForSites ? MOST_OF_SITES : MOST,
    growth: waitsForSites ? GROWTH_OF_SITES : 1,
    maxWaiting: MAX_WAITING,
    patienceMs: deadlineMs * PATIENCE_SHARE[place],
  });
};

/** 503 at once, with the time after which a retry has a fair chance. */
const overloaded = ({ retryAfterSeconds }: Refused): Failure<"unavailable"> =>
  fail("unavailable", "More is asked than can be answered in time. Nothing was done; try again later.", {
    retryAfterSeconds,
    overloaded: true,
  });

const tooMuchOfOwn = (): Failure<"unavailable"> =>
  fail("unavailable", "Too much of yours is under way. Send the next when one has been answered.", {
    retryAfterSeconds: OWN_RETRY_SECONDS,
    ownShare: true,
  });

/** What a call's result says of the load. Of one that waits for a site, its deadline says nothing. */
const outcomeOf = ({ waitsForSites }: OperationSpec, result: unknown): CallOutcome => {
  if (!(result instanceof Failure)) return "answered";
  if (result.overloaded || (result.code === "timeout" && !waitsForSites)) return "overloaded";
  return result.brokeOff || result.ownShare || result.code === "unavailable" ? "other" : "answered";
};

/** Who asks. Without one (in a worker, where fronts ask) there is nobody to tell apart. */
export interface Asking {
  /** Takes turns with the others. */
  network: string;
  /** Is refused by itself where the worker refuses what is too much of its own. */
  address: string;
}

/** The calls of one operation in one process. */
export interface Admission {
  readonly limit: Pick<AdaptiveLimit, "limit" | "running" | "waiting">;
  /**
   * Runs a call when it is admitted.
   * @returns what `work` does, or the refusal
   */
  run<T>(asking: Asking | undefined, work: () => Promise<T>): Promise<T | Failure<"unavailable">>;
  /**
   * Lets a call come, or refuses it as `run` would now: before anything is spent on reading it.
   * @returns to be called when `run` is, or the call has gone; once more does nothing
   */
  approach(asking: Asking): Failure<"unavailable"> | (() => void);
}

/** @param names of the operation, for the metric of what is refused */
export const admissionOf = (
  operation: OperationSpec,
  place: "front" | "worker",
  names: { service: string; operation: string },
): Admission => {
  const limit = limitOf(operation, place);
  const own = new OwnShare();
  const counted = <T>(failure: T): T => {
    admissionRefusals.inc({ place, ...names });
    return failure;
  };
  return {
    limit,
    run: async (asking, work) => {
      if (asking && !own.take(asking.address)) return counted(tooMuchOfOwn());
      const turn = limit.admit(asking?.network ?? "");
      const pass: Pass | Refused = turn instanceof Promise ? await turn : turn;
      if (pass instanceof Refused) return counted(overloaded(pass));
      let outcome: CallOutcome = "other";
      try {
        const result = await work();
        outcome = outcomeOf(operation, result);
        if (asking && result instanceof Failure && result.ownShare) own.refused(asking.address);
        else if (asking && outcome === "answered") own.answered(asking.address);
        return result;
      } finally {
        pass.end(outcome);
      }
    },
    approach: ({ network, address }) => {
      if (!own.take(address)) return counted(tooMuchOfOwn());
      const come = limit.approach(network);
      let isUnderWay = true;
      const ended = (): void => {
        if (isUnderWay) own.giveBack(address);
        isUnderWay = false;
      };
      if (come instanceof Refused) {
        ended();
        return counted(overloaded(come));
      }
      return () => {
        ended();
        come();
      };
    },
  };
};
