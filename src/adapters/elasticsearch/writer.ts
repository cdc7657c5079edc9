/** The writing side: bulk requests whose size follows what the engine takes, and the refresh that shows them. */
import type { Client, estypes } from "@elastic/elasticsearch";
import { IndexUnavailable, type IndexWrite } from "../../ports/index.ts";
import { bulkLines } from "./schema.ts";

/** Tens of megabytes bring an engine nothing more; its own limit is 100 MB. */
const MAX_BULK_BYTES = 8 * 2 ** 20;
const LEAST_WRITES = 16;
const MOST_WRITES = 4_096;
const FIRST_WRITES = 512;
/** Pauses before what was refused is sent again: 100 ms, doubled to 5 s; 12 of them are about 40 s. */
const MAX_ATTEMPTS = 12;
const FIRST_PAUSE_MS = 100;
const LAST_PAUSE_MS = 5_000;

/** A look at the engine's searches holds for this long. */
const LOOK_EVERY_MS = 500;
/** While searches wait, a write is followed by so many times its own time without one, and holds at most so many. */
const REST_SHARE = 3;
const MOST_WHILE_SEARCHES_WAIT = 64;
const LONGEST_REST_MS = 10_000;

interface Line {
  action: string;
  body: string;
}

const CONFLICT = 409;
/** Refused for now: queues full, a shard not yet allocated. */
const BUSY = new Set([429, 503]);

export class ElasticsearchWriter {
  readonly #client: Client;
  readonly #alias: string;
  readonly #stop: AbortSignal;
  /** Most writes in one request: halved when the engine is busy, and grown while it is not. */
  #most = FIRST_WRITES;
  #searchesWait = false;
  #lookedAtMs = Number.NEGATIVE_INFINITY;

  /** @param alias that only this index has: the engine makes no index for a missing alias, as it would for a name */
  constructor(client: Client, alias: string, stop: AbortSignal) {
    this.#client = client;
    this.#alias = alias;
    this.#stop = stop;
  }

  /**
   * Writes all and shows them at once. A failure halfway leaves what was written unseen until a later batch; the same
   * batch again is idempotent by revision.
   * @throws IndexUnavailable or the client's error
   */
  async apply(writes: IndexWrite[]): Promise<void> {
    let lines = writes.map((write) => {
      const [action, body] = bulkLines(write);
      return { action, body };
    });
    for (let attempt = 1; lines.length > 0; ) {
      await this.#look();
      const batch = this.#next(lines);
      const startedMs = performance.now();
      const refused = await this.#send(batch);
      await this.#yield(performance.now() - startedMs);
      lines = [...refused, ...lines.slice(batch.length)];
      if (refused.length === 0) {
        attempt = 1;
        this.#most = Math.min(MOST_WRITES, Math.ceil(this.#most * 1.25));
        continue;
      }
      this.#most = Math.max(LEAST_WRITES, Math.floor(this.#most / 2));
      if (attempt === MAX_ATTEMPTS || this.#stop.aborted)
        throw new IndexUnavailable("Elasticsearch: it takes no writes");
      await this.#pause(Math.min(LAST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (attempt - 1)));
      attempt++;
    }
    await this.#client.indices.refresh({ index: this.#alias });
  }

  /** The first lines that one request takes: at least one. */
  #next(lines: Line[]): Line[] {
    let bytes = 0;
    let count = 0;
    const most = this.#searchesWait ? Math.min(this.#most, MOST_WHILE_SEARCHES_WAIT) : this.#most;
    for (const { action, body } of lines.slice(0, most)) {
      bytes += Buffer.byteLength(action) + Buffer.byteLength(body) + 2;
      if (count > 0 && bytes > MAX_BULK_BYTES) break;
      count++;
    }
    return lines.slice(0, count);
  }

  /**
   * Whether searches wait in the engine's queue, whoever asked for them: then writes take a quarter of the time. What
   * cannot be looked at does not wait.
   */
  async #look(): Promise<void> {
    if (performance.now() - this.#lookedAtMs < LOOK_EVERY_MS) return;
    this.#lookedAtMs = performance.now();
    try {
      const { nodes } = await this.#client.nodes.stats({
        metric: "thread_pool",
        filter_path: "nodes.*.thread_pool.search.queue",
      });
      this.#searchesWait = Object.values(nodes).some((node) => (node.thread_pool?.search?.queue ?? 0) > 0);
    } catch {
      this.#searchesWait = false;
    }
  }

  async #yield(tookMs: number): Promise<void> {
    if (this.#searchesWait) await this.#pause(Math.min(LONGEST_REST_MS, tookMs * REST_SHARE));
  }

  /** Sends one request. @returns the lines to send again, in order */
  async #send(batch: Line[]): Promise<Line[]> {
    let reply: estypes.BulkResponse;
    try {
      reply = await this.#client.bulk({
        index: this.#alias,
        require_alias: true,
        operations: batch.flatMap(({ action, body }) => [action, body]),
      });
    } catch (error) {
      if ((error as { statusCode?: unknown }).statusCode === 429) return batch;
      throw error;
    }
    if (!reply.errors) return [];
    return batch.filter((_, i) => {
      const { status, error } = reply.items[i]!.index!;
      if (status < 300 || status === CONFLICT) return false;
      const reason = `${error?.type ?? status}: ${error?.reason ?? ""}`;
      // A full disk (a 429 too) is not waited for here: the caller is told, and tries as long as it likes.
      if (error?.type === "cluster_block_exception" || error?.type === "index_not_found_exception")
        throw new IndexUnavailable(`Elasticsearch: ${reason}`);
      if (BUSY.has(status)) return true;
      throw new Error(
        `Elasticsearch refuses ${batch[i]!.action}: ${reason} ${error?.caused_by?.reason ?? ""}`,
      );
    });
  }

  #pause(ms: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, ms);
    this.#stop.addEventListener("abort", () => resolve(), { once: true });
    return promise.finally(() => clearTimeout(timer));
  }
}
