/** Attempts counted at the broker: all of some kinds, of others only those that failed. */
import { type Counters, periodEnd } from "../../src/adapters/nats/counters.ts";
import { type Failure, fail } from "../../src/errors.ts";
import { type Limit, takeOne } from "../../src/limits.ts";

export interface ThrottleDeps {
  counters: Counters;
  /** Milliseconds, the clock that the counters go by. */
  now: () => number;
}

/** Counts an attempt of a kind of which every one counts. @returns the refusal when it is one too many */
export const throttled = async (
  { counters, now }: ThrottleDeps,
  limits: readonly Limit[],
): Promise<Failure<"rate_limited"> | undefined> => {
  const admission = await takeOne(counters, limits, now);
  return admission.ok ? undefined : fail("rate_limited", admission.failure.detail, admission.failure);
};

/**
 * The refusal when as many attempts failed as may. Only failures are counted, so that nobody who is right is ever kept
 * out by coming often; what is under way at once can pass it by no more than the passwords that are let wait.
 */
export const spent = async (
  { counters, now }: ThrottleDeps,
  limits: readonly Limit[],
): Promise<Failure<"rate_limited"> | undefined> => {
  const counts = await Promise.all(limits.map(({ window, key }) => counters.read(window, key)));
  const over = limits.filter(({ quota }, i) => counts[i]! >= quota);
  if (over.length === 0) return undefined;
  const goesOnAt = Math.max(...over.map(({ window }) => periodEnd(window, now())));
  const retryAfterSeconds = Math.max(1, Math.ceil((goesOnAt - now()) / 1_000));
  return fail("rate_limited", `Too many attempts failed; more in ${retryAfterSeconds} s.`, {
    retryAfterSeconds,
  });
};

/** Counts one failed attempt. */
export const countFailure = async ({ counters }: ThrottleDeps, limits: readonly Limit[]): Promise<void> => {
  await Promise.all(limits.map(({ window, key }) => counters.add(window, key)));
};
