/** Tasks for the pool's test: one that works, and every way to go wrong. */
import { serveJobs } from "../../src/threads/serve-jobs.ts";

serveJobs({
  double: (n: number) => n * 2,
  throw: () => {
    throw new Error("no");
  },
  forever: () => {
    for (;;);
  },
  hoard: () => {
    const kept: number[][] = [];
    for (;;) kept.push(new Array(1_000_000).fill(kept.length));
  },
});
