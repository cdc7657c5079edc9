/** What takes long with what a caller sent or named, away from the thread that answers requests. */
import { type Failure, fail } from "../../../src/errors.ts";
import type { Pool, PoolFault } from "../../../src/threads/pool.ts";

export interface Scans {
  /** Runs a task of the pool's threads. A bug in it is thrown; a page that takes too long, or too many, is a failure. */
  run<T>(task: string, input: unknown): Promise<T | Failure<"unavailable">>;
}

const REFUSED: Record<Exclude<PoolFault, "threw">, string> = {
  timeout: "What was sent takes too long to read.",
  crashed: "What was sent takes too much memory to read.",
  full: "Too much waits to be read.",
  closed: "This service is being stopped.",
};

export const scansOn = (pool: Pool): Scans => {
  return {
    run: async <T>(task: string, input: unknown) => {
      const result = await pool.run<T>(task, input);
      if (result.ok) return result.value;
      if (result.fault === "threw") throw new Error(result.detail);
      return fail("unavailable", REFUSED[result.fault], { retryAfterSeconds: 2 });
    },
  };
};
