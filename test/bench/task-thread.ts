/** A thread like the pool's, asked directly: for benches that measure the thread itself. */
import { parentPort } from "node:worker_threads";
import runJob, { type JobRequest } from "../../src/threads/run-job.ts";

const port = parentPort!;
port.on("message", async (request: JobRequest) => port.postMessage(await runJob(request)));
