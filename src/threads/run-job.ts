/** The inside of a pool's thread: loads the module of a task once, then runs one task at a time. */
import { giveWay, markStart } from "./processor-time.ts";

giveWay();

export interface JobRequest {
  /** Address of a module, and its export. */
  module: string;
  task: string;
  input: unknown;
  /** Where the thread notes that the task begins (processor-time.ts). */
  started: BigInt64Array;
}

export type JobReply = { ok: true; value: unknown } | { ok: false; message: string };

export default run;

async function run({ module, task, input, started }: JobRequest): Promise<JobReply> {
  try {
    const tasks: Record<string, unknown> = await import(module);
    const work = tasks[task];
    if (typeof work !== "function") throw new TypeError(`no task ${task}`);
    markStart(started);
    return { ok: true, value: await work(input) };
  } catch (error) {
    return { ok: false, message: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  }
}
