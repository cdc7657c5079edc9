/**
 * Limits by calendar periods, counted at the broker: the same for all processes, never less than is documented. What is
 * refused costs nothing of a longer period. A broker that cannot count fails the call
 * (503): no error lets a call through.
 */
import { createHmac } from "node:crypto";
import { customerGroup, networkGroup } from "../domain/names/address.ts";
import { type Counters, periodEnd, periodOf, type Window } from "../ports/counters.ts";
import type { Allowance } from "./contract.ts";
import { type Failure, fail } from "./errors.ts";
import { type CountedLimit, LIMITS, type LimitRow, SCOPES, type Scope } from "./limit-table.ts";

/** Most units of one payer in each period of a window. */
export interface Limit {
  /** Names it in the RateLimit header fields: lower-case letters, digits and dashes. */
  readonly name: string;
  readonly window: Window;
  /** Counter's key (adapters/nats/counters.ts). */
  readonly key: string;
  /** Units a period; Infinity only counts. */
  readonly quota: number;
  /** What one unit is; default `calls`. */
  readonly unit?: string;
  /** Code of the failure when it is used up; default `rate_limited`. */
  readonly code?: "rate_limited" | "quota_exceeded";
}

export type Admission =
  | { ok: true; allowances: Allowance[] }
  | { ok: false; failure: Failure<"rate_limited" | "quota_exceeded">; allowances: Allowance[] };

const ORDER: Record<Window, number> = { minute: 0, day: 1, month: 2 };
const SECONDS: Record<Window, number> = { minute: 60, day: 86_400, month: 30 * 86_400 };

const sentenceOf = ({ name, quota, window, unit = "calls" }: Limit, resetSeconds: number): string =>
  `At most ${quota} ${unit} a ${window} (limit ${name}); more in ${resetSeconds} s.`;

const allowanceOf = (limit: Limit, total: number, now: number): Allowance => ({
  name: limit.name,
  quota: limit.quota,
  windowSeconds: SECONDS[limit.window],
  remaining: Math.max(0, limit.quota - total),
  resetSeconds: Math.max(1, Math.ceil((periodEnd(limit.window, now) - now) / 1_000)),
});

/** Takes charges off again, in the periods that still run. @param at time of the charges, milliseconds */
const takeOff = async (
  counters: Counters,
  counted: readonly Pick<Limit, "window" | "key">[],
  amount: number,
  at: number,
  now: () => number,
): Promise<void> => {
  const running = counted.filter(({ window }) => periodOf(window, at) === periodOf(window, now()));
  await Promise.all(running.map(({ window, key }) => counters.add(window, key, -amount)));
};

/**
 * Counts against every limit at once. The first that has no room refuses, the shortest window first; what was counted
 * against those after it is taken off again, and against itself where it was more than one unit: a large one must not
 * use up what smaller ones may still have.
 * @param now milliseconds, the clock that the counters go by
 * @param amount units; default 1
 */
export const takeLimits = async (
  counters: Counters,
  limits: readonly Limit[],
  now: () => number,
  amount = 1,
): Promise<Admission> => {
  const ordered = limits.toSorted((a, b) => ORDER[a.window] - ORDER[b.window]);
  const at = now();
  const totals = await Promise.all(ordered.map(({ window, key }) => counters.add(window, key, amount)));
  const allowances: Allowance[] = [];
  for (const [i, limit] of ordered.entries()) {
    if (!Number.isFinite(limit.quota)) continue;
    const allowance = allowanceOf(limit, totals[i]!, now());
    allowances.push(allowance);
    if (totals[i]! <= limit.quota) continue;
    await takeOff(counters, ordered.slice(amount > 1 ? i : i + 1), amount, at, now);
    const failure = fail(limit.code ?? "rate_limited", sentenceOf(limit, allowance.resetSeconds), {
      retryAfterSeconds: allowance.resetSeconds,
    });
    return { ok: false, allowances, failure };
  }
  return { ok: true, allowances };
};

/** Who pays, as far as it is known: scopes of the table beside `address` and `network`, which follow from the address. */
export type Payer = { readonly clientAddress?: string } & {
  readonly [S in Exclude<Scope, "address" | "network" | "connection" | "total">]?: string | null;
};

/** A charge that was made: what `refund` takes back. Plain data, so that it can be kept with what it paid for. */
export interface Charged {
  readonly counted: readonly Pick<Limit, "window" | "key">[];
  readonly amount: number;
  /** Time of the charge, milliseconds: what lies in an ended period is not taken back. */
  readonly at: number;
}

export interface Limiter {
  /**
   * Charges a row of the table before the cost arises, in every scope that the payer is known by.
   * @param amount units, as the row counts them; default 1
   */
  charge(row: CountedLimit, payer: Payer, amount?: number): Promise<Admission & { charged: Charged }>;
  /** Charges a row. @returns the refusal, where there is no room */
  refusal(row: CountedLimit, payer: Payer, amount?: number): Promise<Failure<"rate_limited"> | undefined>;
  /** Whether a row has no room left for a payer; counts nothing. @returns the refusal */
  spent(row: CountedLimit, payer: Payer): Promise<Failure<"rate_limited"> | undefined>;
  /** Gives back what a charge took, in the periods that still run. */
  refund(charged: Charged): Promise<void>;
  /** Charges limits that are no row's: those of a plan. */
  take(limits: readonly Limit[]): Promise<Admission>;
}

export interface LimiterOptions {
  counters: Counters;
  /** Milliseconds, the clock that the counters go by. */
  now: () => number;
  /** Key of the HMAC that hides who pays in the counters' keys. */
  secret: string;
  /** Per cent of the table's quotas that hold here (BRIDGE_LIMITS_PERCENT). */
  percent: number;
}

/** A quota as it holds where all are scaled; never less than one. */
export const scaled = (quota: number, percent: number): number =>
  percent === 100 ? quota : Math.max(1, Math.ceil((quota * percent) / 100));

const WINDOWS_OF_ROWS = ["minute", "day"] as const;

/** What stands for a payer in one scope; undefined where the payer is not known by it. */
const payerIn = (scope: Scope, payer: Payer): string | undefined => {
  if (scope === "connection" || scope === "total") return undefined;
  if (scope === "network")
    return payer.clientAddress === undefined ? undefined : (networkGroup(payer.clientAddress) ?? "inside");
  if (scope === "address")
    return payer.clientAddress === undefined ? undefined : (customerGroup(payer.clientAddress) ?? "inside");
  return payer[scope] ?? undefined;
};

/** The limits of a row for one payer, the narrowest scope first: whoever is over his own uses up nobody else's. */
export const limitsOfRow = (row: CountedLimit, payer: Payer, secret: string, percent = 100): Limit[] => {
  const { by, unit }: LimitRow = LIMITS[row];
  const name = row.replaceAll("_", "-");
  return SCOPES.flatMap((scope) => {
    const quotas = by[scope];
    const who = quotas && payerIn(scope, payer);
    if (who === undefined) return [];
    const hidden = createHmac("sha256", secret).update(`${scope}\n${who}`).digest("base64url").slice(0, 22);
    return WINDOWS_OF_ROWS.flatMap((window): Limit[] => {
      const quota = quotas?.[window];
      if (quota === undefined) return [];
      const key = `limit.${row}.${scope}.${hidden}`;
      return [
        {
          name: `${name}-${scope}-${window}`,
          window,
          key,
          quota: scaled(quota, percent),
          unit: unit.split(";", 1)[0]!,
        },
      ];
    });
  });
};

export const rateLimited = ({ detail, retryAfterSeconds }: Failure): Failure<"rate_limited"> =>
  fail("rate_limited", detail, { ...(retryAfterSeconds !== undefined && { retryAfterSeconds }) });

/** The refusal of what is over its quota, to the end of the longest of the periods. */
const spentUntil = (over: readonly Limit[], now: number): Failure<"rate_limited"> => {
  const goesOnAt = Math.max(...over.map(({ window }) => periodEnd(window, now)));
  const retryAfterSeconds = Math.max(1, Math.ceil((goesOnAt - now) / 1_000));
  const detail = `Too many attempts (limit ${over[0]!.name}); more in ${retryAfterSeconds} s.`;
  return fail("rate_limited", detail, { retryAfterSeconds });
};

export const openLimiter = ({ counters, now, secret, percent }: LimiterOptions): Limiter => ({
  charge: async (row, payer, amount = 1) => {
    const limits = limitsOfRow(row, payer, secret, percent);
    const counted = limits.map(({ window, key }) => ({ window, key }));
    const charged: Charged = { counted, amount, at: now() };
    return { ...(await takeLimits(counters, limits, now, amount)), charged };
  },
  refusal: async (row, payer, amount = 1) => {
    const limits = limitsOfRow(row, payer, secret, percent);
    const admission = await takeLimits(counters, limits, now, amount);
    return admission.ok ? undefined : rateLimited(admission.failure);
  },
  spent: async (row, payer) => {
    const limits = limitsOfRow(row, payer, secret, percent);
    const totals = await Promise.all(limits.map(({ window, key }) => counters.read(window, key)));
    const over = limits.filter(({ quota }, i) => totals[i]! >= quota);
    return over.length === 0 ? undefined : spentUntil(over, now());
  },
  refund: ({ counted, amount, at }) => takeOff(counters, counted, amount, at, now),
  take: (limits) => takeLimits(counters, limits, now),
});

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
