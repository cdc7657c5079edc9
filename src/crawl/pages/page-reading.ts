/**
 * Strangers' pages are read in threads alone, whatever their size: one that hangs or takes all memory ends its thread, and
 * not the process that holds leases and answers requests. Small pages share a message.
 */
import type { PresenceReading } from "../../agent-web/reading.ts";
import type * as readingThread from "../../agent-web/reading-thread.ts";
import { ThreadPool } from "../../threads/pool.ts";
import { type Task, tasksOf } from "../../threads/task.ts";
import type * as frontPageThread from "./front-page-thread.ts";
import { packPages } from "./page-batch.ts";
import type { PageFacts } from "./page-facts.ts";
import type * as pageThread from "./page-thread.ts";
import type { PageAnswer, SeenPage } from "./seen-page.ts";

/** Of one message. A larger page goes alone. */
const BATCH_BYTES = 65_536;
const BATCH_PAGES = 16;
/** A page waits this long for others: little against a host's pause, and a quarter of the messages. */
const GATHER_MS = 20;
/** Twice what the worst page of 2 MiB takes that is known; by the clock, on a machine that is busy besides. */
const PAGE_CPU_MS = 2_000;
const PAGE_TIMEOUT_MS = 20_000;

/** What reading a page did to its thread: it was ended for it. */
export interface HungPage {
  hung: string;
}

export interface PageReading extends PresenceReading {
  /**
   * @returns undefined for a page that nobody read: too many wait, or the process is being stopped
   * @throws what is a bug of ours
   */
  read(answer: PageAnswer): Promise<SeenPage | HungPage | undefined>;
  /** What a front page says to machines; otherwise as `read`. */
  facts(answer: PageAnswer): Promise<PageFacts | HungPage | undefined>;
  close(): Promise<void>;
}

interface Waiting {
  answer: PageAnswer;
  /** Its batch ended a thread: tried again by itself, so that only the page at fault suffers. */
  alone: boolean;
  resolve(page: SeenPage | HungPage | undefined): void;
  reject(bug: Error): void;
}

const FACTS = tasksOf<typeof frontPageThread>(new URL("./front-page-thread.ts", import.meta.url))("facts");

const readingTask = tasksOf<typeof readingThread>(
  new URL("../../agent-web/reading-thread.ts", import.meta.url),
);
const READ_DESCRIPTOR = readingTask("descriptor");
const READ_FRONT_PAGE = readingTask("frontPage");
const SCREEN_TEXTS = readingTask("screened");
const READ_ANSWER = readingTask("mcpAnswer");
const READ_TOOLS = readingTask("mcpTools");

const pagesTask = (thread: URL) => tasksOf<typeof pageThread>(thread)("pages");

class Reading implements Pick<PageReading, "read" | "close"> {
  readonly #pool: ThreadPool;
  readonly #pages: ReturnType<typeof pagesTask>;
  readonly #maxWaiting: number;
  readonly #waiting: Waiting[] = [];
  #timer: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(thread: URL, maxWaiting: number) {
    this.#pool = new ThreadPool({
      name: "crawl_pages",
      jobTimeoutMs: PAGE_TIMEOUT_MS,
      jobCpuMs: PAGE_CPU_MS,
    });
    this.#pages = pagesTask(thread);
    this.#maxWaiting = maxWaiting;
  }

  read(answer: PageAnswer): Promise<SeenPage | HungPage | undefined> {
    if (this.#closed || this.#waiting.length >= this.#maxWaiting) return Promise.resolve(undefined);
    return new Promise((resolve, reject) => {
      this.#waiting.push({ answer, alone: false, resolve, reject });
      if (this.#isFull()) this.#send();
      else this.#timer ??= setTimeout(() => this.#send(), GATHER_MS);
    });
  }

  async run<Input, Output>(task: Task<Input, Output>, input: Input): Promise<Output | HungPage | undefined> {
    const result = await this.#pool.run(task, input);
    this.#goOn();
    if (result.ok) return result.value;
    if (result.fault === "threw") throw new Error(result.detail);
    return result.fault === "timeout" || result.fault === "crashed" ? { hung: result.detail } : undefined;
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#timer);
    await this.#pool.close();
    for (const { resolve } of this.#waiting.splice(0)) resolve(undefined);
  }

  #isFull(): boolean {
    if (this.#waiting.length >= BATCH_PAGES) return true;
    return this.#waiting.reduce((sum, { answer }) => sum + answer.body.length, 0) >= BATCH_BYTES;
  }

  /** Sends what waits, as many batches as threads are free; the rest goes when one is, in batches as large as may be. */
  #send(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    while (!this.#closed && this.#waiting.length > 0 && this.#pool.free > 0) void this.#work(this.#take());
  }

  /** A thread is free: what came while all worked goes to it, unless it is being gathered still. */
  #goOn(): void {
    if (this.#timer === undefined) this.#send();
  }

  #take(): Waiting[] {
    const batch: Waiting[] = [];
    let bytes = 0;
    for (const next of this.#waiting) {
      bytes += next.answer.body.length;
      const fits = batch.length < BATCH_PAGES && bytes <= BATCH_BYTES && !next.alone && !batch[0]?.alone;
      if (batch.length > 0 && !fits) break;
      batch.push(next);
    }
    this.#waiting.splice(0, batch.length);
    return batch;
  }

  async #work(batch: Waiting[]): Promise<void> {
    const input = packPages(batch.map(({ answer }) => answer));
    const result = await this.#pool.run(this.#pages, input, [input.bodies.buffer]);
    if (result.ok) {
      for (const [i, { resolve, reject }] of batch.entries()) {
        const reply = result.value[i]!;
        if (reply.ok) resolve(reply.page);
        else reject(new Error(reply.message));
      }
    } else if (result.fault === "threw") {
      for (const { reject } of batch) reject(new Error(result.detail));
    } else if (result.fault === "timeout" || result.fault === "crashed") {
      if (batch.length > 1) this.#waiting.unshift(...batch.map((each) => ({ ...each, alone: true })));
      else batch[0]!.resolve({ hung: result.detail });
    } else {
      for (const { resolve } of batch) resolve(undefined);
    }
    this.#goOn();
  }
}

/**
 * @param maxWaiting pages that may wait for a thread: as many as there are visits at once
 * @param thread address of the module that reads them
 */
export function openPageReading(
  maxWaiting: number,
  thread = new URL("./page-thread.ts", import.meta.url).href,
): PageReading {
  const reading = new Reading(new URL(thread), maxWaiting);
  return {
    read: (answer) => reading.read(answer),
    facts: (answer) => reading.run(FACTS, answer),
    descriptor: async (input) => unlessHung(await reading.run(READ_DESCRIPTOR, input)),
    frontPage: async (input) => unlessHung(await reading.run(READ_FRONT_PAGE, input)),
    screened: async (input) => unlessHung(await reading.run(SCREEN_TEXTS, input)),
    mcpAnswer: async (input) => unlessHung(await reading.run(READ_ANSWER, input)),
    mcpTools: async (input) => unlessHung(await reading.run(READ_TOOLS, input)),
    close: () => reading.close(),
  };
}

const unlessHung = <Output extends object>(output: Output | HungPage | undefined): Output | undefined =>
  output === undefined || "hung" in output ? undefined : output;
