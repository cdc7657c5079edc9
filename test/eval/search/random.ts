/** Chance that is the same on every run. */
import { mulberry32 } from "../../../src/domain/listing/mulberry32.ts";

export interface Chance {
  /** 0 to below 1. */
  next(): number;
  /** 0 to count − 1. */
  below(count: number): number;
  /** True with probability p. */
  is(p: number): boolean;
  pick<T>(from: readonly T[]): T;
  /** `count` different ones. */
  some<T>(from: readonly T[], count: number): T[];
  /** Standard normal (Box and Muller). */
  normal(): number;
}

export function chanceOf(seed: number): Chance {
  const next = mulberry32(seed);
  const below = (count: number): number => Math.floor(next() * count);
  return {
    next,
    below,
    is: (p) => next() < p,
    pick: (from) => from[below(from.length)]!,
    some: (from, count) => {
      const left = [...from];
      return Array.from(
        { length: Math.min(count, left.length) },
        () => left.splice(below(left.length), 1)[0]!,
      );
    },
    normal: () => Math.sqrt(-2 * Math.log(1 - next())) * Math.cos(2 * Math.PI * next()),
  };
}
