/** Tasks for the pool's test: one that works, and every way to go wrong. */
import { getPriority } from "node:os";
import { threadId } from "../../src/threads/processor-time.ts";

export const double = (n: number): number => n * 2;

export function fails(): never {
  throw new Error("no");
}

/** Backtracks for ever: each further character doubles its time. */
export const expression = (): boolean => /^(a+)+$/.test(`${"a".repeat(60)}!`);

/** Waits without using the processor. */
export function wait(ms: number): string {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
  return "waited";
}

export function forever(): never {
  for (;;);
}

export function hoard(): never {
  const kept: number[][] = [];
  for (;;) kept.push(new Array(1_000_000).fill(kept.length));
}

/** The priority of the thread it runs in. */
export const ownPriority = (): number => getPriority(threadId());
