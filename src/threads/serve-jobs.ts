/** The inside of a scan thread: a table of tasks, one at a time, each a pure function. */
import { parentPort } from "node:worker_threads";
import type { JobReply } from "./pool.ts";

export type Tasks = Record<string, (input: never) => unknown>;

/** Answers the pool's jobs with the functions of the table. */
export const serveJobs = (tasks: Tasks): void => {
  const port = parentPort!;
  port.on("message", ({ task, input }: { task: string; input: unknown }) => {
    let reply: JobReply;
    try {
      const run = tasks[task];
      if (!run) throw new TypeError(`no task ${task}`);
      reply = { ok: true, value: run(input as never) };
    } catch (error) {
      reply = { ok: false, message: error instanceof Error ? (error.stack ?? error.message) : String(error) };
    }
    port.postMessage(reply);
  });
};
