/** The encoder in a process of its own: queries before sites, one text at a time, ended and started anew when it is stuck. */
import { type ChildProcess, fork } from "node:child_process";
import { availableParallelism, loadavg } from "node:os";
import { fileURLToPath } from "node:url";
import { LRUCache } from "lru-cache";
import type { EncodeOptions, Encoder, EncoderState } from "../../ports/encoder.ts";
import type { EncoderReply, EncoderRequest } from "./messages.ts";

/** Texts that wait; of more, the caller goes without. */
const MAX_WAITING = { query: 32, site: 64 } as const;
/** Characters that can matter of a text: more pieces than are read, however long. */
const MAX_CHARACTERS = 4_000;
/** A text takes milliseconds: a process that takes so long is stuck, or starved beyond use. */
const STUCK_AFTER_MS = 10_000;
const START_TIMEOUT_MS = 60_000;
/** Pauses before a process that ended is started again: doubled each time until one answers. */
const [FIRST_REST_MS, LONGEST_REST_MS] = [1_000, 60_000];
/** After a site so many times its own time passes before the next: more where the machine has much else to do. */
const REST = { quiet: 0.25, busy: 1 } as const;
/** Queries whose vectors are kept: the same ones come again. 1 KiB each. */
const KEPT_QUERIES = 2_000;

/** Its memory is the model's: what texts take is given back (glibc), and JavaScript has little to keep. 40 MB less after long texts. */
const HEAP = ["--max-old-space-size=32", "--max-semi-space-size=1"];
const MALLOC = {
  MALLOC_ARENA_MAX: "1",
  MALLOC_TRIM_THRESHOLD_: "8388608",
  MALLOC_MMAP_THRESHOLD_: "8388608",
};

interface Job {
  text: string;
  foreign: boolean;
  resolve: (vector: Float32Array | undefined) => void;
  /** Performance time after which nobody waits for it. */
  until: number;
}

export interface EncoderProcessOptions {
  /** What deploy/encoder.ts installed. */
  folder: string;
  name: string;
  /** Told why a process ended that was not asked to. */
  onFailure: (why: string) => void;
  /** The program of the process; default: the encoder's own. Tests pass one that hangs. */
  program?: string;
  stuckAfterMs?: number;
}

const keyOf = (text: string, foreign: boolean): string => `${foreign ? "f" : "e"}${text}`;

export class EncoderProcess implements Encoder {
  readonly name: string;
  readonly #options: EncoderProcessOptions;
  readonly #waiting: Record<EncodeOptions["for"], Job[]> = { query: [], site: [] };
  readonly #known = new LRUCache<string, Float32Array>({ max: KEPT_QUERIES });
  #state: EncoderState = "starting";
  #child: ChildProcess | undefined;
  #running: (Job & { call: number; isQuery: boolean }) | undefined;
  #calls = 0;
  #startedMs = 0;
  #sitesRestUntil = 0;
  #siteTimer: NodeJS.Timeout | undefined;
  #restMs = FIRST_REST_MS;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: EncoderProcessOptions) {
    this.name = options.name;
    this.#options = options;
    this.#start();
  }

  get state(): EncoderState {
    return this.#state;
  }

  /** Of the process that runs now. */
  get pid(): number | undefined {
    return this.#child?.pid;
  }

  async encode(
    text: string,
    { for: whom, waitMs, foreign = false }: EncodeOptions,
  ): Promise<Float32Array | undefined> {
    const read = text.slice(0, MAX_CHARACTERS);
    const known = whom === "query" ? this.#known.get(keyOf(read, foreign)) : undefined;
    if (known) return known;
    const queue = this.#waiting[whom];
    if (this.#state !== "running" || queue.length >= MAX_WAITING[whom]) return undefined;
    const { promise, resolve } = Promise.withResolvers<Float32Array | undefined>();
    queue.push({ text: read, foreign, resolve, until: performance.now() + waitMs });
    this.#next();
    const timer = setTimeout(() => resolve(undefined), waitMs).unref();
    return promise.finally(() => clearTimeout(timer));
  }

  async close(): Promise<void> {
    this.#state = "closed";
    clearTimeout(this.#timer);
    clearTimeout(this.#siteTimer);
    this.#refuseAll();
    const child = this.#child;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    child.once("exit", () => resolve());
    child.ref();
    child.kill("SIGKILL");
    await promise;
  }

  #start(): void {
    this.#state = "starting";
    const program = this.#options.program ?? fileURLToPath(new URL("child.ts", import.meta.url));
    const child = fork(program, [this.#options.folder], {
      serialization: "advanced",
      execArgv: HEAP,
      stdio: ["ignore", "ignore", "ignore", "ipc"],
      // Its launcher's channel and settings are not its own.
      env: { ...MALLOC, PATH: process.env.PATH, NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE },
    });
    this.#child = child;
    child.unref();
    child.channel?.unref();
    child.on("message", (message: EncoderReply) => this.#take(message));
    child.once("error", (error) => this.#ended(child, error.message));
    child.once("exit", (code, signal) => this.#ended(child, `it ended (${signal ?? code})`));
    this.#endAfter(START_TIMEOUT_MS);
  }

  /** Ends the process unless it says something before. */
  #endAfter(ms: number): void {
    clearTimeout(this.#timer);
    const child = this.#child;
    this.#timer = setTimeout(() => {
      this.#ended(child, `it said nothing for ${ms} ms`);
      child?.kill("SIGKILL");
    }, ms).unref();
  }

  #take(message: EncoderReply): void {
    clearTimeout(this.#timer);
    if ("ready" in message) {
      this.#state = "running";
      this.#next();
      return;
    }
    const job = this.#running;
    if (job?.call !== message.call) return;
    this.#running = undefined;
    this.#restMs = FIRST_REST_MS;
    if (!job.isQuery) this.#restFromSites();
    if ("failed" in message) {
      this.#options.onFailure(message.failed);
      job.resolve(undefined);
    } else {
      // Also where nobody waits for it any more: the same query comes again.
      if (job.isQuery) this.#known.set(keyOf(job.text, job.foreign), message.vector);
      job.resolve(message.vector);
    }
    this.#next();
  }

  #next(): void {
    if (this.#running || this.#state !== "running") return;
    for (const whom of ["query", "site"] as const) {
      if (whom === "site" && performance.now() < this.#sitesRestUntil) return;
      for (let job = this.#waiting[whom].shift(); job; job = this.#waiting[whom].shift()) {
        if (job.until < performance.now()) continue;
        const call = ++this.#calls;
        this.#running = { ...job, call, isQuery: whom === "query" };
        this.#startedMs = performance.now();
        this.#endAfter(this.#options.stuckAfterMs ?? STUCK_AFTER_MS);
        const { text, foreign } = job;
        this.#child!.send({ call, text, foreign } satisfies EncoderRequest, () => undefined);
        return;
      }
    }
  }

  /** Sites have time: what is crawled and searched meanwhile goes before them. */
  #restFromSites(): void {
    const isBusy = loadavg()[0]! > availableParallelism();
    const restMs = (performance.now() - this.#startedMs) * (isBusy ? REST.busy : REST.quiet);
    this.#sitesRestUntil = performance.now() + restMs;
    clearTimeout(this.#siteTimer);
    this.#siteTimer = setTimeout(() => this.#next(), Math.ceil(restMs) + 1).unref();
  }

  #refuseAll(): void {
    const jobs = [this.#running, ...this.#waiting.query.splice(0), ...this.#waiting.site.splice(0)];
    this.#running = undefined;
    for (const job of jobs) job?.resolve(undefined);
  }

  /** A process that ended is replaced after a rest; meanwhile callers go without. */
  #ended(child: ChildProcess | undefined, why: string): void {
    if (this.#state === "closed" || child !== this.#child || this.#child === undefined) return;
    this.#child = undefined;
    this.#state = "resting after a failure";
    clearTimeout(this.#timer);
    this.#refuseAll();
    this.#options.onFailure(why);
    this.#timer = setTimeout(() => this.#start(), this.#restMs).unref();
    this.#restMs = Math.min(LONGEST_REST_MS, 2 * this.#restMs);
  }
}
