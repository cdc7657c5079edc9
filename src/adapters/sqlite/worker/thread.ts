/** Connections to the index as they are asked: in threads of their own, where calls become messages, or in place. */
import { Worker } from "node:worker_threads";
import { forgetThread, INDEX_LOOP_LIMITS, watchThread } from "../../../threads/watchdog.ts";
import type { IndexThreadReply, IndexThreadRequest, ThreadData } from "./messages.ts";
import {
  type Argument,
  type IndexConnection,
  type IndexOperation,
  openReading,
  openWriting,
  type Result,
} from "./operations.ts";

/** Calls that may wait in one thread; more are refused at once, so that a stall shows and memory holds. */
const MAX_WAITING = 1_024;

interface Waiting {
  resolve: (result: never) => void;
  reject: (error: Error) => void;
}

/** A connection to the index, wherever it is. */
export interface IndexThread {
  /** Resolves to the index's id (empty for readers) once the file is open; rejects when it cannot be. */
  ready(): Promise<string>;
  /** Calls that are not answered yet. */
  readonly waiting: number;
  /**
   * Rejects with SQLite's message, or when it is closed or too many calls wait.
   * @param handedOver memory of the argument that goes to another thread instead of a copy, and is empty afterwards
   */
  call<O extends IndexOperation>(
    operation: O,
    argument: Argument<O>,
    handedOver?: ArrayBuffer[],
  ): Promise<Result<O>>;
  /** Lets waiting calls finish and closes the connection. Never rejects; may be called again. */
  close(): Promise<void>;
}

/** A connection in this very thread: for one that has nothing else to do. */
export class InPlace implements IndexThread {
  readonly waiting = 0;
  readonly #connection: IndexConnection;
  #isClosed = false;

  constructor({ path, role }: ThreadData) {
    this.#connection = role === "writer" ? openWriting(path) : openReading(path);
  }

  async ready(): Promise<string> {
    return this.#connection.id;
  }

  async call<O extends IndexOperation>(operation: O, argument: Argument<O>): Promise<Result<O>> {
    if (this.#isClosed) throw new Error("The index is closed");
    return this.#connection.call(operation, argument);
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    try {
      this.#connection.close();
    } catch {
      // It is gone either way.
    }
  }
}

/** A connection in a thread of its own. */
export class SqliteThread implements IndexThread {
  readonly #worker: Worker;
  readonly #waiting = new Map<number, Waiting>();
  readonly #ready = Promise.withResolvers<string>();
  readonly #ended = Promise.withResolvers<void>();
  #failure: Error | undefined;
  #closed: Promise<void> | undefined;
  #calls = 0;

  constructor(data: ThreadData) {
    const name = `index ${data.role}`;
    const pulse = watchThread(name, INDEX_LOOP_LIMITS);
    this.#worker = new Worker(new URL("./worker.ts", import.meta.url), {
      workerData: { ...data, pulse } satisfies ThreadData,
      name,
    });
    this.#ready.promise.catch(() => undefined);
    this.#worker.on("message", (reply: IndexThreadReply) => this.#receive(reply));
    this.#worker.on("error", (error) =>
      this.#fail(error instanceof Error ? error : new Error(String(error))),
    );
    this.#worker.on("exit", () => {
      forgetThread(pulse);
      this.#fail(new Error("The index is closed"));
      this.#ended.resolve();
    });
  }

  ready(): Promise<string> {
    return this.#ready.promise;
  }

  get waiting(): number {
    return this.#waiting.size;
  }

  call<O extends IndexOperation>(
    operation: O,
    argument: Argument<O>,
    handedOver: ArrayBuffer[] = [],
  ): Promise<Result<O>> {
    if (this.#failure !== undefined) return Promise.reject(this.#failure);
    if (this.#waiting.size >= MAX_WAITING)
      return Promise.reject(new Error("Too many calls wait for the index"));
    return this.#send({ call: ++this.#calls, operation, argument }, handedOver);
  }

  #send<T>(request: IndexThreadRequest, handedOver: ArrayBuffer[]): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#waiting.set(request.call, { resolve, reject });
      try {
        this.#worker.postMessage(request, handedOver);
      } catch (error) {
        this.#waiting.delete(request.call);
        reject(error);
      }
    });
  }

  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async #close(): Promise<void> {
    if (this.#failure === undefined) {
      const closing = this.#send({ call: ++this.#calls, operation: "close" }, []).catch(() => undefined);
      this.#failure ??= new Error("The index is closed");
      await closing;
    }
    await this.#worker.terminate();
    await this.#ended.promise;
  }

  #receive(reply: IndexThreadReply): void {
    if (reply.kind === "ready") {
      this.#ready.resolve(reply.id);
      return;
    }
    const waiting = this.#waiting.get(reply.call);
    this.#waiting.delete(reply.call);
    if (reply.kind === "done") waiting?.resolve(reply.result as never);
    else waiting?.reject(new Error(`Index: ${reply.message}`));
  }

  #fail(error: Error): void {
    this.#failure ??= error;
    this.#ready.reject(error);
    for (const { reject } of this.#waiting.values()) reject(error);
    this.#waiting.clear();
  }
}
