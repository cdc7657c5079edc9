/** Threads for what takes long: a hostile page may take a second, and must not take it from requests and leases. */
import { availableParallelism } from "node:os";
import { type ResourceLimits, Worker } from "node:worker_threads";

export interface PoolOptions {
  /** The module each thread runs: it calls `serveJobs` (serve-jobs.ts). */
  thread: URL;
  threads?: number;
  /** Jobs that may wait; more are refused. */
  maxWaiting?: number;
  /** Longest one job may take before its thread is ended and replaced. */
  jobTimeoutMs?: number;
}

/** "threw": a bug in the task; "crashed": its thread ended, most likely for want of memory. */
export type PoolFault = "full" | "timeout" | "threw" | "crashed" | "closed";

export type PoolResult<T> = { ok: true; value: T } | { ok: false; fault: PoolFault; detail: string };

interface Job {
  task: string;
  input: unknown;
  settle: (result: PoolResult<never>) => void;
}

interface Thread {
  worker: Worker;
  job: Job | undefined;
  timer: NodeJS.Timeout | undefined;
}

export type JobReply = { ok: true; value: unknown } | { ok: false; message: string };

/** 200 MB of heap in all: what the worst page of 2 MiB needs (test/bench/gateway.ts). A job that wants more ends its thread. */
export const THREAD_LIMITS: ResourceLimits = {
  maxOldGenerationSizeMb: 152,
  maxYoungGenerationSizeMb: 48,
  stackSizeMb: 4,
};

/** Starts no thread before the first job, and as many as are needed up to `threads`. */
export class Pool {
  readonly #options: Required<PoolOptions>;
  readonly #threads = new Set<Thread>();
  readonly #waiting: Job[] = [];
  #closed = false;

  constructor(options: PoolOptions) {
    this.#options = {
      threads: Math.max(1, availableParallelism() - 1),
      maxWaiting: 64,
      jobTimeoutMs: 4_000,
      ...options,
    };
  }

  /** Runs a task of the thread's table on a structured-cloneable input. Never rejects. */
  run<T>(task: string, input: unknown): Promise<PoolResult<T>> {
    return new Promise((resolve) => {
      if (this.#closed) return resolve({ ok: false, fault: "closed", detail: "The pool is closed" });
      if (this.#waiting.length >= this.#options.maxWaiting)
        return resolve({ ok: false, fault: "full", detail: "Too many scans wait" });
      this.#waiting.push({ task, input, settle: resolve as Job["settle"] });
      this.#next();
    });
  }

  async close(): Promise<void> {
    this.#closed = true;
    for (const job of this.#waiting.splice(0))
      job.settle({ ok: false, fault: "closed", detail: "The pool is closed" });
    await Promise.all([...this.#threads].map((thread) => this.#end(thread, "closed", "The pool is closed")));
  }

  #next(): void {
    if (this.#waiting.length === 0 || this.#closed) return;
    const idle = [...this.#threads].find(({ job }) => job === undefined) ?? this.#start();
    const job = idle && this.#waiting.shift();
    if (!idle || !job) return;
    idle.job = job;
    idle.timer = setTimeout(
      () => void this.#end(idle, "timeout", `Longer than ${this.#options.jobTimeoutMs} ms`),
      this.#options.jobTimeoutMs,
    );
    idle.worker.ref();
    idle.worker.postMessage({ task: job.task, input: job.input });
  }

  #start(): Thread | undefined {
    if (this.#threads.size >= this.#options.threads) return undefined;
    const worker = new Worker(this.#options.thread, {
      name: "scan",
      resourceLimits: THREAD_LIMITS,
    });
    const thread: Thread = { worker, job: undefined, timer: undefined };
    this.#threads.add(thread);
    worker.unref();
    worker.on("message", (reply: JobReply) => this.#done(thread, reply));
    worker.on("error", (error) => void this.#end(thread, "crashed", String(error)));
    worker.on("exit", () => void this.#end(thread, "crashed", "The thread ended"));
    return thread;
  }

  #done(thread: Thread, reply: JobReply): void {
    const { job } = thread;
    clearTimeout(thread.timer);
    thread.job = undefined;
    thread.worker.unref();
    job?.settle(
      reply.ok
        ? { ok: true, value: reply.value as never }
        : { ok: false, fault: "threw", detail: reply.message },
    );
    this.#next();
  }

  async #end(thread: Thread, fault: PoolFault, detail: string): Promise<void> {
    if (!this.#threads.delete(thread)) return;
    clearTimeout(thread.timer);
    thread.job?.settle({ ok: false, fault, detail });
    thread.job = undefined;
    await thread.worker.terminate();
    this.#next();
  }
}
