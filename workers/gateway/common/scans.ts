/** Scans of pages, away from the thread that answers requests. */
import { type Failure, fail } from "../../../src/errors.ts";
import type { Pool, PoolFault } from "../../../src/threads/pool.ts";

export interface Scans {
  /** Runs a task of ../scan-thread.ts. A bug in it is thrown; a page that takes too long, or too many, is a failure. */
  run<T>(task: string, input: unknown): Promise<T | Failure<"unavailable">>;
}

const REFUSED: Record<Exclude<PoolFault, "threw">, string> = {
  timeout: "This page takes too long to scan.",
  crashed: "This page takes too much memory to scan.",
  full: "Too many scans wait.",
  closed: "Scans are being stopped.",
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
