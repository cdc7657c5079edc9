/**
 * One parser in a thread with a deadline: what takes longer is ended with its thread, and known for it. Expressions are
 * watched in a second thread: one whose RegExp.prototype was ever changed keeps to V8's slow path for every expression,
 * several times slower than what strangers meet, even when the change was undone.
 */
import { Worker } from "node:worker_threads";
import type { SeenExpression } from "./expressions.ts";
import type { Answer, Order } from "./thread.ts";

const THREAD = new URL("./thread.ts", import.meta.url);
const START_TIMEOUT_MS = 60_000;
const LOOK_EVERY_MS = 50;

export interface Cost {
  cpuMs: number;
  /** The deadline passed, or the thread ended by itself: `cpuMs` is then the deadline. */
  ended?: "deadline" | "crashed";
  expressions?: SeenExpression[];
  threw?: string;
}

export class Subject {
  readonly #name: string;
  readonly #natsUrl: string | undefined;
  readonly #deadlineMs: number;
  readonly #workers = new Map<"timed" | "watched", Worker>();

  /**
   * @param natsUrl of a broker, for the parsers that are a whole front
   * @param deadlineMs processor time that one input may take
   */
  constructor(name: string, natsUrl: string | undefined, deadlineMs: number) {
    this.#name = name;
    this.#natsUrl = natsUrl;
    this.#deadlineMs = deadlineMs;
  }

  /** @throws when the parser cannot be loaded */
  async #start(): Promise<Worker> {
    const worker = new Worker(THREAD, {
      workerData: { name: this.#name, natsUrl: this.#natsUrl },
      resourceLimits: { maxOldGenerationSizeMb: 512 },
      // What a parser warns of is no part of the report.
      stderr: true,
    });
    // One that fails when nobody waits for it is seen by the next order: it ends.
    worker.on("error", () => undefined);
    const answer = await this.#answerOf(worker, START_TIMEOUT_MS);
    if (answer === "deadline" || answer === "crashed" || !("ready" in answer) || !answer.ready) {
      await worker.terminate();
      const why = typeof answer === "object" && "error" in answer ? answer.error : String(answer);
      throw new Error(`${this.#name} cannot be loaded: ${why}`);
    }
    return worker;
  }

  /** @param timeoutMs of processor time */
  #answerOf(worker: Worker, timeoutMs: number): Promise<Answer | "deadline" | "crashed"> {
    const spentMs = (since?: NodeJS.CpuUsage): number => process.cpuUsage(since).user / 1_000;
    const before = process.cpuUsage();
    return new Promise((resolve) => {
      const settle = (answer: Answer | "deadline" | "crashed"): void => {
        clearInterval(timer);
        worker.off("message", settle).off("error", crashed).off("exit", crashed);
        resolve(answer);
      };
      const crashed = (): void => settle("crashed");
      // This thread only waits: what the process spends is the parser's, however little of a busy machine it gets.
      const timer = setInterval(() => {
        if (spentMs(before) > timeoutMs) settle("deadline");
      }, LOOK_EVERY_MS);
      worker.once("message", settle).once("error", crashed).once("exit", crashed);
    });
  }

  async cost(order: Order): Promise<Cost> {
    const purpose = order.watch ? "watched" : "timed";
    const worker = this.#workers.get(purpose) ?? (await this.#start());
    this.#workers.set(purpose, worker);
    worker.postMessage(order);
    const answer = await this.#answerOf(worker, this.#deadlineMs);
    if (answer === "deadline" || answer === "crashed") {
      await this.close();
      return { cpuMs: this.#deadlineMs, ended: answer };
    }
    if ("ready" in answer) throw new Error("a thread answers out of turn");
    return answer;
  }

  async close(): Promise<void> {
    const workers = [...this.#workers.values()];
    this.#workers.clear();
    await Promise.all(workers.map((worker) => worker.terminate()));
  }
}
