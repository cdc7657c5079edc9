/** Scans of pages, away from the thread that answers requests. */
import { type Failure, fail } from "../../../src/errors.ts";
import type { Pool } from "./pool.ts";

export interface Scans {
  /** Runs a task of ../scan-thread.ts. A bug in it is thrown; a page that takes too long, or too many, is a failure. */
  run<T>(task: string, input: unknown): Promise<T | Failure<"unavailable">>;
}

export const scansOn = (pool: Pool): Scans => {
  return {
    run: async <T>(task: string, input: unknown) => {
      const result = await pool.run<T>(task, input);
      if (result.ok) return result.value;
      if (result.fault === "crashed") throw new Error(result.detail);
      const detail =
        result.fault === "timeout" ? "This page takes too long to scan." : "Too many scans wait.";
      return fail("unavailable", detail, { retryAfterSeconds: 2 });
    },
  };
};
