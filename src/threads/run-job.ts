/** The inside of a pool's thread: loads the module with the table of tasks once, then runs one task at a time. */
import { markStart } from "./processor-time.ts";
import { tableOfThisThread } from "./serve-jobs.ts";

export interface JobRequest {
  /** Address of the module that calls `serveJobs`. */
  module: string;
  task: string;
  input: unknown;
  /** Where the thread notes that the task begins (processor-time.ts). */
  started: BigInt64Array;
}

export type JobReply = { ok: true; value: unknown } | { ok: false; message: string };

const run = async ({ module, task, input, started }: JobRequest): Promise<JobReply> => {
  try {
    await import(module);
    const work = tableOfThisThread()[task];
    if (!work) throw new TypeError(`no task ${task}`);
    markStart(started);
    return { ok: true, value: await work(input as never) };
  } catch (error) {
    return { ok: false, message: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  }
};

export default run;
