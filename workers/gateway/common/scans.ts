/** What takes long with a caller's input or a fetched page, away from the thread that answers requests. */
import { availableParallelism } from "node:os";
import { LIMITS } from "../../../src/rpc/limit-table.ts";
import { Pool } from "../../../src/threads/pool.ts";
import { JOB_LIMITS, type ThreadTasks, threadTasks } from "../../../src/threads/thread-tasks.ts";

export type Scans = ThreadTasks;

const THREADS = Math.max(1, availableParallelism() - 1);

/** Starts a pool of scan threads, which share their time among callers fairly. Each task names the module that it is in. */
export const openScans = (): { scans: Scans; close: () => Promise<void> } => {
  const pool = new Pool({ threads: THREADS, ...JOB_LIMITS });
  const scans = threadTasks(pool, { threads: THREADS, waiting: LIMITS.scans.by });
  return { scans, close: () => pool.close() };
};
