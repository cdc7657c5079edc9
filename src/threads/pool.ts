/**
 * A bounded pool of threads for what takes long: a hostile page may take seconds, and must not take them from requests
 * and leases. Piscina starts, feeds and ends the threads; the queue is a semaphore of ours, because Piscina counts tasks that can be
 * aborted against no limit, and their time would run while they wait.
 */
import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import type { ResourceLimits } from "node:worker_threads";
import { Piscina } from "piscina";
import { acquire, Semaphore } from "../concurrency/semaphore.ts";
import { poolFaults, watchPool } from "../telemetry/instruments.ts";
import { usedMs } from "./processor-time.ts";
import type { JobReply, JobRequest } from "./run-job.ts";
import type { Task } from "./task.ts";

export interface PoolOptions {
  /** In metrics. Default "other". */
  name?: string;
  threads?: number;
  /** Jobs that may wait; more are refused. */
  maxWaiting?: number;
  /** Longest one job may take by the clock, the thread's start included, before its thread is ended. Default 4,000. */
  jobTimeoutMs?: number;
  /**
   * Longest by the processor time of its thread, where the system tells it (Linux): a job that is only starved by other
   * programs is not ended. Default: no such limit.
   */
  jobCpuMs?: number;
  /** Memory of each thread; a job that wants more ends its thread. Default THREAD_LIMITS. */
  memory?: ResourceLimits;
}

/** "threw": a bug in the task; "crashed": its thread ended, most likely for want of memory. */
export type PoolFault = "full" | "timeout" | "threw" | "crashed" | "closed";

export type PoolResult<T> = { ok: true; value: T } | { ok: false; fault: PoolFault; detail: string };

/** 200 MB of heap in all: what the worst page of 2 MiB needs (test/bench/gateway.ts). A job that wants more ends its thread. */
export const THREAD_LIMITS: ResourceLimits = {
  maxOldGenerationSizeMb: 152,
  maxYoungGenerationSizeMb: 48,
  stackSizeMb: 4,
};

const LOOK_EVERY_MS = 100;

const CLOSED = { ok: false, fault: "closed", detail: "The pool is closed" } as const;

/** Starts no thread before the first job, and as many as are needed up to `threads`; idle ones keep no process alive. */
export class ThreadPool {
  readonly #options: Required<PoolOptions>;
  readonly #threads: Piscina;
  /** A permit for each thread. */
  readonly #free: Semaphore;
  /** Jobs that wait in queues before this one (thread-tasks.ts). */
  readonly #queues: (() => number)[] = [];
  readonly #unwatch: () => void;
  #closed = false;

  constructor(options: PoolOptions = {}) {
    this.#options = {
      name: "other",
      threads: Math.max(1, availableParallelism() - 1),
      maxWaiting: 64,
      jobTimeoutMs: 4_000,
      jobCpuMs: Number.POSITIVE_INFINITY,
      memory: THREAD_LIMITS,
      ...options,
    };
    this.#free = new Semaphore(this.#options.threads, this.#options.maxWaiting);
    this.#threads = new Piscina({
      minThreads: 0,
      maxThreads: this.#options.threads,
      idleTimeout: Number.POSITIVE_INFINITY,
      resourceLimits: this.#options.memory,
      recordTiming: false,
    });
    // A thread that ends without a job concerns nobody: the next job starts another.
    this.#threads.on("error", () => undefined);
    const free = this.#free;
    const queues = this.#queues;
    const { name, threads } = this.#options;
    this.#unwatch = watchPool({
      name,
      get running() {
        return threads - free.available;
      },
      get waiting() {
        return queues.reduce((sum, queue) => sum + queue(), free.waiting);
      },
    });
  }

  /**
   * Runs a task on a structured-cloneable input. Never rejects.
   * @param transfer memory of the input that goes to the thread instead of a copy, and is empty afterwards
   */
  async run<Input, Output>(
    task: Task<Input, Output>,
    input: Input,
    transfer: ArrayBuffer[] = [],
  ): Promise<PoolResult<Output>> {
    const result = await this.#runQueued(task, input, transfer);
    if (!result.ok) poolFaults.inc({ pool: this.#options.name, fault: result.fault });
    return result;
  }

  async #runQueued<Input, Output>(
    task: Task<Input, Output>,
    input: Input,
    transfer: ArrayBuffer[],
  ): Promise<PoolResult<Output>> {
    if (this.#closed) return CLOSED;
    if ((await acquire(this.#free)) === "full")
      return { ok: false, fault: "full", detail: "Too many scans wait" };
    try {
      return this.#closed ? CLOSED : await this.#runNow(task, input, transfer);
    } finally {
      this.#free.release();
    }
  }

  /** Counts what waits in a queue before the pool's own among its waiting jobs. */
  countsQueue(waiting: () => number): void {
    this.#queues.push(waiting);
  }

  /** Jobs that could begin at once. */
  get free(): number {
    return this.#free.available;
  }

  /** Ends the threads and the jobs in them; those that wait come to nothing. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#unwatch();
    await this.#threads.destroy();
  }

  async #runNow<Input, Output>(
    { module, name: task }: Task<Input, Output>,
    input: Input,
    transfer: ArrayBuffer[],
  ): Promise<PoolResult<Output>> {
    const limit = this.#limit();
    const request: JobRequest = { module, task, input, started: limit.started };
    try {
      const reply = (await this.#threads.run(request, {
        filename: RUN_JOB,
        signal: limit.signal,
        transferList: transfer,
      })) as JobReply;
      if (reply.ok) return { ok: true, value: reply.value as Output };
      return { ok: false, fault: "threw", detail: reply.message };
    } catch (error) {
      if (this.#closed) return CLOSED;
      if (limit.signal.aborted) return { ok: false, fault: "timeout", detail: String(limit.signal.reason) };
      return { ok: false, fault: "crashed", detail: String(error) };
    } finally {
      limit.end();
    }
  }

  /** Aborts when a job has had its time. */
  #limit(): { signal: AbortSignal; started: BigInt64Array; end(): void } {
    const { jobTimeoutMs, jobCpuMs } = this.#options;
    const started = new BigInt64Array(new SharedArrayBuffer(16));
    const over = new AbortController();
    const timer = setTimeout(() => over.abort(`Longer than ${jobTimeoutMs} ms`), jobTimeoutMs);
    const look = (): void => {
      if (usedMs(started) > jobCpuMs) over.abort(`Longer than ${jobCpuMs} ms of processor time`);
    };
    const looking = Number.isFinite(jobCpuMs) ? setInterval(look, LOOK_EVERY_MS) : undefined;
    return {
      signal: over.signal,
      started,
      end: () => {
        clearTimeout(timer);
        clearInterval(looking);
      },
    };
  }
}

const RUN_JOB = fileURLToPath(new URL("run-job.ts", import.meta.url));
