/**
 * The limits that each process counts in memory, by address and network, without a request to the broker. Counts vanish
 * with the last permit; token buckets are kept for the most recently seen networks.
 */

import { customerGroup, networkGroup } from "../../src/domain/names/address.ts";
import { type Failure, fail } from "../../src/rpc/errors.ts";
import type { LimitRow, LimitScope } from "../../src/rpc/limit-rows/row.ts";
import { LIMITS, type ProcessLimit } from "../../src/rpc/limit-table.ts";
import { scaled } from "../../src/rpc/limits.ts";
import { recentlyUsed } from "../../src/stores/recently-used.ts";

const MAX_BUCKETS = 50_000;
const MAX_ADDRESSES = 50_000;

export interface Origin {
  /** One customer: an IPv4 address or an IPv6 /64. */
  readonly address: string;
  /** The IPv4 /16 or IPv6 /48 that it is in. */
  readonly network: string;
}

const origins = recentlyUsed<Origin>(MAX_ADDRESSES);

/** The holder of a permit in each scope of a row; `total` is everybody. */
export type Holders = Partial<Record<LimitScope, string>>;

export interface Permits {
  /** Acquires more units. @returns false if the limit is reached */
  grow(units: number): boolean;
  release(): void;
}

export interface ScopedSemaphore {
  /**
   * Acquires units until they are released.
   * @param orAlone who holds nothing may have more than the limit, which would keep them out for good
   * @returns undefined if the limit is reached
   */
  acquire(holders: Holders, units?: number, orAlone?: boolean): Permits | undefined;
}

export interface Rate {
  /** Takes units, or nothing. @param units default 1 @returns 0, or the seconds until there are as many */
  take(origin: Origin, units?: number): number;
}

/** The customer and network of a client address; an invalid address counts as "inside". */
export function originOfAddress(clientAddress: string): Origin {
  const known = origins.get(clientAddress);
  if (known) return known;
  const origin = {
    address: customerGroup(clientAddress) ?? "inside",
    network: networkGroup(clientAddress) ?? "inside",
  };
  origins.set(clientAddress, origin);
  return origin;
}

/** A semaphore per scope for what is open, queued or in progress at once. */
export function createScopedSemaphore(row: ProcessLimit, percent: number): ScopedSemaphore {
  const quotas = quotasOf(row, percent, "atOnce");
  const counts = new Map<string, number>();
  const take = (
    keys: readonly (readonly [key: string, quota: number])[],
    units: number,
    orAlone = false,
  ): boolean => {
    const isOver = ([key, quota]: readonly [string, number]): boolean => {
      const held = counts.get(key) ?? 0;
      return held + units > quota && !(orAlone && held === 0);
    };
    if (keys.some(isOver)) return false;
    for (const [key] of keys) counts.set(key, (counts.get(key) ?? 0) + units);
    return true;
  };
  return {
    acquire: (holders, units = 1, orAlone = false) => {
      const keys = quotas.flatMap(([scope, quota]) => {
        const who = scope === "total" ? "" : holders[scope];
        return who === undefined ? [] : [[`${scope} ${who}`, quota] as const];
      });
      if (!take(keys, units, orAlone)) return undefined;
      let held = units;
      return {
        grow: (more) => {
          if (!take(keys, more)) return false;
          held += more;
          return true;
        },
        release: () => {
          for (const [key] of keys) {
            const left = counts.get(key)! - held;
            if (left > 0) counts.set(key, left);
            else counts.delete(key);
          }
          held = 0;
        },
      };
    },
  };
}

function quotasOf(row: ProcessLimit, percent: number, kind: "atOnce" | "minute") {
  const { by }: LimitRow = LIMITS[row];
  return Object.entries(by).flatMap(([scope, quotas]): [LimitScope, number][] => {
    const quota = quotas?.[kind];
    return quota === undefined ? [] : [[scope as LimitScope, scaled(quota, percent)]];
  });
}

export const tooManyRequests = (retryAfterSeconds: number): Failure<"rate_limited"> =>
  fail(
    "rate_limited",
    `Too many requests from this network (limit requests); more in ${retryAfterSeconds} s.`,
    { retryAfterSeconds },
  );

/** A minute's quota as a token bucket. @param now monotonic milliseconds */
export function createRate(row: ProcessLimit, percent: number, now: () => number): Rate {
  const quotas = quotasOf(row, percent, "minute") as [keyof Origin, number][];
  const buckets = {
    address: recentlyUsed<{ left: number; at: number }>(MAX_BUCKETS),
    network: recentlyUsed<{ left: number; at: number }>(MAX_BUCKETS),
  };
  const bucketOf = (scope: keyof Origin, who: string, quota: number) => {
    const at = now();
    const known = buckets[scope].get(who);
    if (!known) {
      const bucket = { left: quota, at };
      buckets[scope].set(who, bucket);
      return bucket;
    }
    known.left = Math.min(quota, known.left + ((at - known.at) * quota) / 60_000);
    known.at = at;
    return known;
  };
  return {
    take: (origin, units = 1) => {
      const taken = quotas.map(([scope, quota]) => ({
        quota,
        bucket: bucketOf(scope, origin[scope], quota),
      }));
      // Of more units than there ever are, all that there can be.
      const empty = taken.find(({ bucket, quota }) => bucket.left < Math.min(units, quota));
      if (empty) {
        const missing = Math.min(units, empty.quota) - empty.bucket.left;
        return Math.max(1, Math.ceil((missing * 60) / empty.quota));
      }
      for (const { bucket } of taken) bucket.left -= units;
      return 0;
    },
  };
}
