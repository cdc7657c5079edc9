/**
 * Reading large pages away from the thread that holds the leases: a hostile one takes up to a second, and a crawler that
 * stands still for that long loses its place at the gate.
 */
import { Pool } from "../../src/threads/pool.ts";
import { type PageAnswer, type SeenPage, seenPage } from "./page.ts";

/** Smaller pages are read at once: half a millisecond, as much as the way to a thread and back takes two cores. */
const SMALL_BYTES = 32_768;
/** A page that takes longer, or more memory than a thread has, is not read. */
const PAGE_TIMEOUT_MS = 4_000;

export interface PageReading {
  /** @returns undefined for a page that cannot be read within time and memory. @throws what is a bug of ours */
  read(answer: PageAnswer): Promise<SeenPage | undefined>;
  close(): Promise<void>;
}

/** @param maxWaiting pages that may wait for a thread: as many as there are visits at once */
export const openPageReading = (maxWaiting: number): PageReading => {
  const pool = new Pool({
    thread: new URL("./page-thread.ts", import.meta.url),
    maxWaiting,
    jobTimeoutMs: PAGE_TIMEOUT_MS,
  });
  return {
    read: async (answer) => {
      if (answer.body.length <= SMALL_BYTES) return seenPage(answer);
      const result = await pool.run<SeenPage>("page", answer);
      if (result.ok) return result.value;
      if (result.fault === "threw") throw new Error(result.detail);
      return undefined;
    },
    close: () => pool.close(),
  };
};
