/** Chance that is the same on every run (Mulberry32). */
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

export const chanceOf = (seed: number): Chance => {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
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
};
