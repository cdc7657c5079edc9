/** Tasks for the pool's test: one that works, and every way to go wrong. */
import { serveJobs } from "../../src/threads/serve-jobs.ts";

serveJobs({
  double: (n: number) => n * 2,
  throw: () => {
    throw new Error("no");
  },
  /** Backtracks for ever: each further character doubles its time. */
  expression: () => /^(a+)+$/.test(`${"a".repeat(60)}!`),
  /** Waits without using the processor. */
  wait: (ms: number) => {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
    return "waited";
  },
  forever: () => {
    for (;;);
  },
  hoard: () => {
    const kept: number[][] = [];
    for (;;) kept.push(new Array(1_000_000).fill(kept.length));
  },
});
