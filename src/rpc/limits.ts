/**
 * Rate limits per calendar period, counted at the broker, and so shared by all processes. A refused call is not charged
 * to longer periods. If the broker cannot count, the call fails with 503: the limiter fails closed.
 */
import { keyed } from "../domain/keyed.ts";
import { customerGroup, networkGroup } from "../domain/names/address.ts";
import { type Counters, periodEnd, periodOf, type Window } from "../ports/counters.ts";
import type { RemainingQuota } from "./contract.ts";
import { type Failure, fail } from "./errors.ts";
import { type LimitRow, type LimitScope, SCOPES } from "./limit-rows/row.ts";
import { type CountedLimit, LIMITS } from "./limit-table.ts";

/** The most units of one payer per period of a window. */
export interface Limit {
  /** Its name in the RateLimit header fields: lower-case letters, digits and dashes. */
  readonly name: string;
  readonly window: Window;
  /** The counter's key (adapters/nats/counters.ts). */
  readonly key: string;
  /** Units per period; Infinity counts without limiting. */
  readonly quota: number;
  /** What one unit is; default `calls`. */
  readonly unit?: string;
  /** Error code when the limit is reached; default `rate_limited`. */
  readonly code?: "rate_limited" | "quota_exceeded";
}

export type RateDecision =
  | { ok: true; allowances: RemainingQuota[] }
  | { ok: false; failure: Failure<"rate_limited" | "quota_exceeded">; allowances: RemainingQuota[] };

const ORDER: Record<Window, number> = { minute: 0, day: 1, month: 2 };
const SECONDS: Record<Window, number> = { minute: 60, day: 86_400, month: 30 * 86_400 };

/**
 * Who is charged, as far as known. `address` and `network` follow from the client's address, unless somebody pays in
 * their place.
 */
export type Payer = { readonly clientAddress?: string } & {
  readonly [S in Exclude<LimitScope, "connection" | "total">]?: string | null;
};

/** Units that a charge added to one counter. */
interface Counted {
  readonly window: Window;
  readonly key: string;
  readonly amount: number;
}

/** A charge that `refund` can give back. Plain data, so that it can be stored with what it paid for. */
export interface Charge {
  readonly counted: readonly Counted[];
  /** Time of the charge, milliseconds: charges in ended periods are not refunded. */
  readonly at: number;
}

export interface Limiter {
  /**
   * Charges a row of the table before the cost arises, in every scope with a known payer.
   * @param amount units, as the row counts them; default 1
   */
  charge(row: CountedLimit, payer: Payer, amount?: number): Promise<RateDecision & { charged: Charge }>;
  /** Charges a row. @returns the failure, if the limit is reached */
  refusal(row: CountedLimit, payer: Payer, amount?: number): Promise<Failure<"rate_limited"> | undefined>;
  /** Checks a row without charging it. @returns the failure, if the limit is reached */
  spent(row: CountedLimit, payer: Payer): Promise<Failure<"rate_limited"> | undefined>;
  /** Refunds a charge in the periods that have not ended. */
  refund(charged: Charge): Promise<void>;
  /** Charges limits outside the table: those of a plan. */
  take(limits: readonly Limit[]): Promise<RateDecision>;
}

export interface LimiterOptions {
  counters: Counters;
  /** Milliseconds, the clock of the counters. */
  now: () => number;
  /** Key of the HMAC that hides the payer in the counters' keys. */
  secret: string;
  /** Scale of the table's quotas, in percent (BRIDGE_LIMITS_PERCENT). */
  percent: number;
}

const WINDOWS_OF_ROWS = ["minute", "day"] as const;

export function openLimiter(options: LimiterOptions): Limiter {
  const { counters, now, secret } = options;
  // The scale may change while the process runs.
  const limitsOf = (row: CountedLimit, payer: Payer): Limit[] =>
    limitsOfRow(row, payer, secret, options.percent);
  return {
    charge: async (row, payer, amount = 1) => {
      const limits = limitsOf(row, payer);
      const charged: Charge = { counted: limits.map((limit) => countedOf(limit, amount)), at: now() };
      return { ...(await takeLimits(counters, limits, now, amount)), charged };
    },
    refusal: async (row, payer, amount = 1) => {
      const limits = limitsOf(row, payer);
      const decision = await takeLimits(counters, limits, now, amount);
      return decision.ok ? undefined : rateLimited(decision.failure);
    },
    spent: async (row, payer) => {
      const limits = limitsOf(row, payer);
      const totals = await Promise.all(limits.map(({ window, key }) => counters.read(window, key)));
      const over = limits.filter(({ quota }, i) => totals[i]! >= quota);
      return over.length === 0 ? undefined : spentUntil(over, now());
    },
    refund: ({ counted, at }) => takeOff(counters, counted, at, now),
    take: (limits) => takeLimits(counters, limits, now),
  };
}

/** The limits of a row for one payer, narrowest scope first: a payer over its own limit does not use up shared ones. */
export function limitsOfRow(row: CountedLimit, payer: Payer, secret: string, percent = 100): Limit[] {
  const { by, unit }: LimitRow = LIMITS[row];
  const name = row.replaceAll("_", "-");
  return SCOPES.flatMap((scope) => {
    const quotas = by[scope];
    const who = quotas && payerIn(scope, payer);
    if (who === undefined) return [];
    const hidden = keyed(secret, "limit", scope, who).toString("base64url").slice(0, 22);
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
}

/** The payer's id in one scope; undefined where it is unknown. */
function payerIn(scope: LimitScope, payer: Payer): string | undefined {
  if (scope === "connection") return undefined;
  if (scope === "total") return "all";
  if (payer[scope] != null) return payer[scope];
  if (scope === "network")
    return payer.clientAddress === undefined ? undefined : (networkGroup(payer.clientAddress) ?? "inside");
  if (scope === "address")
    return payer.clientAddress === undefined ? undefined : (customerGroup(payer.clientAddress) ?? "inside");
  return undefined;
}

/** A scaled quota; at least one. */
export const scaled = (quota: number, percent: number): number =>
  percent === 100 ? quota : Math.max(1, Math.ceil((quota * percent) / 100));

/**
 * Charges all limits at once. The first exceeded limit refuses, shortest window first. The charges to the limits after
 * it are refunded, and the charge to the limit itself if it was more than one unit: a large refused charge must not use
 * up what smaller ones may still have.
 * @param now milliseconds, the clock of the counters
 * @param amount units; default 1
 */
export async function takeLimits(
  counters: Counters,
  limits: readonly Limit[],
  now: () => number,
  amount = 1,
): Promise<RateDecision> {
  const ordered = limits.toSorted((a, b) => ORDER[a.window] - ORDER[b.window]);
  const at = now();
  const counted = ordered.map((limit) => countedOf(limit, amount));
  const totals = await Promise.all(counted.map((each) => counters.add(each.window, each.key, each.amount)));
  const allowances: RemainingQuota[] = [];
  for (const [i, limit] of ordered.entries()) {
    if (!Number.isFinite(limit.quota)) continue;
    const allowance = allowanceOf(limit, totals[i]!, now());
    allowances.push(allowance);
    if (totals[i]! <= limit.quota) continue;
    await takeOff(counters, counted.slice(amount > 1 ? i : i + 1), at, now);
    const failure = fail(limit.code ?? "rate_limited", sentenceOf(limit, allowance.resetSeconds), {
      retryAfterSeconds: allowance.resetSeconds,
    });
    return { ok: false, allowances, failure };
  }
  return { ok: true, allowances };
}

/** Of more units than there ever are, all that there can be: what a scaled quota is too small for is done once a period. */
const countedOf = ({ window, key, quota }: Limit, amount: number): Counted => ({
  window,
  key,
  amount: Math.min(amount, quota),
});

const allowanceOf = (limit: Limit, total: number, now: number): RemainingQuota => ({
  name: limit.name,
  quota: limit.quota,
  windowSeconds: SECONDS[limit.window],
  remaining: Math.max(0, limit.quota - total),
  resetSeconds: Math.max(1, Math.ceil((periodEnd(limit.window, now) - now) / 1_000)),
});

/** Refunds charges in periods that have not ended. @param at time of the charges, milliseconds */
async function takeOff(
  counters: Counters,
  counted: readonly Counted[],
  at: number,
  now: () => number,
): Promise<void> {
  const running = counted.filter(({ window }) => periodOf(window, at) === periodOf(window, now()));
  await Promise.all(running.map(({ window, key, amount }) => counters.add(window, key, -amount)));
}

const sentenceOf = ({ name, quota, window, unit = "calls" }: Limit, resetSeconds: number): string =>
  `At most ${quota} ${unit} a ${window} (limit ${name}); more in ${resetSeconds} s.`;

export const rateLimited = ({ detail, retryAfterSeconds }: Failure): Failure<"rate_limited"> =>
  fail("rate_limited", detail, { ...(retryAfterSeconds !== undefined && { retryAfterSeconds }) });

/** The failure for exceeded limits, until the longest of their periods ends. */
function spentUntil(over: readonly Limit[], now: number): Failure<"rate_limited"> {
  const goesOnAt = Math.max(...over.map(({ window }) => periodEnd(window, now)));
  const retryAfterSeconds = Math.max(1, Math.ceil((goesOnAt - now) / 1_000));
  const detail = `Too many attempts (limit ${over[0]!.name}); more in ${retryAfterSeconds} s.`;
  return fail("rate_limited", detail, { retryAfterSeconds });
}

/** RateLimit header fields (draft-ietf-httpapi-ratelimit-headers): each limit and what is left of it. */
export const rateLimitHeaders = (allowances: readonly RemainingQuota[]): Record<string, string> =>
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
