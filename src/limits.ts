/**
 * Limits by calendar periods, counted at the broker: the same for all processes, never less than is documented. What is
 * refused costs nothing of a longer period, for the shortest is counted first.
 */
import { type Counters, periodEnd, type Window } from "./adapters/nats/counters.ts";
import type { Allowance } from "./contract.ts";
import { type Failure, fail } from "./errors.ts";

/** Most calls of one key in each period of a window. */
export interface Limit {
  /** Names it in the RateLimit header fields: lower-case letters, digits and dashes. */
  readonly name: string;
  readonly window: Window;
  /** Counter's key (adapters/nats/counters.ts). */
  readonly key: string;
  /** Calls a period; Infinity only counts. */
  readonly quota: number;
  /** Code of the failure when it is used up; default `rate_limited`. */
  readonly code?: "rate_limited" | "quota_exceeded";
}

export type Admission =
  | { ok: true; allowances: Allowance[] }
  | { ok: false; failure: Failure<"rate_limited" | "quota_exceeded">; allowances: Allowance[] };

const ORDER: Record<Window, number> = { minute: 0, day: 1, month: 2 };
const SECONDS: Record<Window, number> = { minute: 60, day: 86_400, month: 30 * 86_400 };

const sentenceOf = ({ quota, window }: Limit, resetSeconds: number): string =>
  `${quota} calls a ${window} are allowed; more in ${resetSeconds} s.`;

/**
 * Counts one call against every limit, the shortest window first, and stops at the first that is used up.
 * @param now milliseconds, the clock that the counters go by
 */
export const takeOne = async (
  counters: Counters,
  limits: readonly Limit[],
  now: () => number,
): Promise<Admission> => {
  const allowances: Allowance[] = [];
  for (const limit of limits.toSorted((a, b) => ORDER[a.window] - ORDER[b.window])) {
    const total = await counters.add(limit.window, limit.key);
    if (!Number.isFinite(limit.quota)) continue;
    const at = now();
    const resetSeconds = Math.max(1, Math.ceil((periodEnd(limit.window, at) - at) / 1_000));
    allowances.push({
      name: limit.name,
      quota: limit.quota,
      windowSeconds: SECONDS[limit.window],
      remaining: Math.max(0, limit.quota - total),
      resetSeconds,
    });
    if (total > limit.quota)
      return {
        ok: false,
        allowances,
        failure: fail(limit.code ?? "rate_limited", sentenceOf(limit, resetSeconds), {
          retryAfterSeconds: resetSeconds,
        }),
      };
  }
  return { ok: true, allowances };
};

/** RateLimit header fields (draft-ietf-httpapi-ratelimit-headers): each limit, and what is left of it. */
export const rateLimitHeaders = (allowances: readonly Allowance[]): Record<string, string> =>
  allowances.length === 0
    ? {}
    : {
        "ratelimit-policy": allowances
          .map(({ name, quota, windowSeconds }) => `"${name}";q=${quota};w=${windowSeconds}`)
          .join(", "),
        ratelimit: allowances
          .map(({ name, remaining, resetSeconds }) => `"${name}";r=${remaining};t=${resetSeconds}`)
          .join(", "),
      };
