/** Scans of pages, away from the thread that answers requests. */
import { type Failure, fail } from "../../../src/errors.ts";
import { Pool } from "./pool.ts";

export interface Scans {
  /** Runs a task of ../scan-thread.ts. A bug in it is thrown; a page that takes too long, or too many, is a failure. */
  run<T>(task: string, input: unknown): Promise<T | Failure<"unavailable">>;
  close(): Promise<void>;
}

export const openScans = (): Scans => {
  const pool = new Pool({ thread: new URL("../scan-thread.ts", import.meta.url) });
  return {
    run: async <T>(task: string, input: unknown) => {
      const result = await pool.run<T>(task, input);
      if (result.ok) return result.value;
      if (result.fault === "crashed") throw new Error(result.detail);
      const detail =
        result.fault === "timeout" ? "This page takes too long to scan." : "Too many scans wait.";
      return fail("unavailable", detail, { retryAfterSeconds: 2 });
    },
    close: () => pool.close(),
  };
};
