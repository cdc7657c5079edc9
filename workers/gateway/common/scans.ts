/** What takes long with a caller's input or a fetched page, away from the thread that answers requests. */
import { availableParallelism } from "node:os";
import { LIMITS } from "../../../src/rpc/limit-table.ts";
import { ThreadPool } from "../../../src/threads/pool.ts";
import type { Task } from "../../../src/threads/task.ts";
import { type Caller, JOB_LIMITS, type TaskFailure, threadTasks } from "../../../src/threads/thread-tasks.ts";
import { memoryOf } from "./page-text.ts";

export interface Scans {
  /**
   * Runs a scan in a thread. A fetched text that is the input, or a member of it, is handed over: it is empty afterwards.
   * @param site whose page it is, which has a share of its own beside the caller's
   * @returns as ThreadTasks.run (src/threads/thread-tasks.ts)
   */
  run<Input, Output>(
    task: Task<Input, Output>,
    input: Input,
    caller: Caller,
    site?: string,
  ): Promise<Output | TaskFailure>;
}

/** Of `thread_tasks`: up to two pages of 2 MiB. */
const UNITS_OF_A_SCAN = 8;

const THREADS = Math.max(1, availableParallelism() - 1);

/** Starts a pool of scan threads, which share their time among callers fairly. Each task names the module that it is in. */
export function openScans(): { scans: Scans; close: () => Promise<void> } {
  const pool = new ThreadPool({ name: "scans", threads: THREADS, ...JOB_LIMITS });
  const tasks = threadTasks(pool, {
    threads: THREADS,
    waiting: LIMITS.thread_tasks.by,
    units: UNITS_OF_A_SCAN,
  });
  return {
    scans: { run: (task, input, caller, site) => tasks.run(task, input, caller, site, memoryOf(input)) },
    close: () => pool.close(),
  };
}
