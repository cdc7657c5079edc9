/**
 * The callers of the overload bench, in a process of its own that `taskset` keeps on one processor: requests at a steady
 * rate, whether or not those before them were answered (open loop). Asked by messages, one load at a time.
 */
import { Pool } from "undici";

export interface Request {
  method: "GET" | "POST";
  path: string;
  headers?: Record<string, string>;
  body?: string;
}

export interface Load {
  origin: string;
  /** Asked in turn. */
  requests: Request[];
  /** Requests a second. */
  rate: number;
  seconds: number;
  /** A reply that comes later than this after the request was due is late. */
  deadlineMs: number;
  /** `X-Forwarded-For` of the requests, in turn; none: the generator's own address. */
  addresses: string[];
}

export interface Outcome {
  asked: number;
  /** From the first request to the last good answer, and no less than the load. */
  tookSeconds: number;
  /** Answered within the deadline, and not by an earlier reply. */
  good: number;
  /** Answered by an earlier reply, marked so. */
  stale: number;
  refused: number;
  /** Of the refused, those without a usable Retry-After. */
  withoutRetryAfter: number;
  late: number;
  failed: number;
  goodMs: Percentiles;
  refusedMs: Percentiles;
  /** Seconds of the Retry-After fields. */
  retryAfter: Percentiles;
  /** By status, or the error's code. */
  endings: Record<string, number>;
  /** Good answers to the requests of each half second. */
  goodByHalfSecond: number[];
}

interface Percentiles {
  p50: number;
  p99: number;
}

const MAX_CONNECTIONS = 4_000;

function percentiles(values: number[]): Percentiles {
  values.sort((a, b) => a - b);
  const at = (share: number): number =>
    Math.round((values[Math.floor(values.length * share)] ?? 0) * 10) / 10;
  return { p50: at(0.5), p99: at(0.99) };
}

/** One load from its first request to its last reply. */
class Run {
  readonly #load: Load;
  readonly #pool: Pool;
  readonly #outcome: Outcome;
  readonly #goodMs: number[] = [];
  readonly #refusedMs: number[] = [];
  readonly #retryAfter: number[] = [];
  readonly #name = Math.floor(Math.random() * 36 ** 4).toString(36);
  #startedMs = 0;

  constructor(load: Load) {
    const { origin, deadlineMs, seconds } = load;
    this.#load = load;
    this.#pool = new Pool(origin, {
      connections: MAX_CONNECTIONS,
      headersTimeout: deadlineMs,
      bodyTimeout: deadlineMs,
    });
    const none = { p50: 0, p99: 0 };
    this.#outcome = {
      asked: 0,
      tookSeconds: seconds,
      good: 0,
      stale: 0,
      refused: 0,
      withoutRetryAfter: 0,
      late: 0,
      failed: 0,
      goodMs: none,
      refusedMs: none,
      retryAfter: none,
      endings: {},
      goodByHalfSecond: new Array<number>(Math.ceil(seconds * 2)).fill(0),
    };
  }

  async end(): Promise<Outcome> {
    const { rate, seconds } = this.#load;
    const total = Math.round(rate * seconds);
    const startedMs = performance.now();
    this.#startedMs = startedMs;
    const underWay: Promise<void>[] = [];
    for (let i = 0; i < total; ) {
      const now = performance.now();
      for (; i < total && startedMs + (i * 1_000) / rate <= now; i++)
        underWay.push(this.#ask(i, startedMs + (i * 1_000) / rate));
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
    await Promise.all(underWay);
    await this.#pool.destroy();
    return {
      ...this.#outcome,
      goodMs: percentiles(this.#goodMs),
      refusedMs: percentiles(this.#refusedMs),
      retryAfter: percentiles(this.#retryAfter),
    };
  }

  async #ask(i: number, dueMs: number): Promise<void> {
    const { requests, addresses } = this.#load;
    const { method, path, headers, body } = requests[i % requests.length]!;
    const from = addresses[i % addresses.length];
    this.#outcome.asked++;
    try {
      const reply = await this.#pool.request({
        method,
        // Each differs from those before it: no answer is from a cache.
        path: method === "GET" ? `${path}+${this.#name}${i.toString(36)}` : path,
        headers: { ...headers, ...(from !== undefined && { "x-forwarded-for": from }) },
        body: body ?? null,
      });
      await reply.body.dump({ limit: Number.MAX_SAFE_INTEGER });
      this.#note(i, reply.statusCode, reply.headers, performance.now() - dueMs);
    } catch (error) {
      const { code = "error" } = error as { code?: string };
      this.#ended(code);
      if (code === "UND_ERR_HEADERS_TIMEOUT" || code === "UND_ERR_BODY_TIMEOUT") this.#outcome.late++;
      else this.#outcome.failed++;
    }
  }

  #ended(how: string): void {
    this.#outcome.endings[how] = (this.#outcome.endings[how] ?? 0) + 1;
  }

  #note(i: number, status: number, headers: Record<string, unknown>, tookMs: number): void {
    const { rate, deadlineMs } = this.#load;
    const outcome = this.#outcome;
    this.#ended(String(status));
    if (status === 503 || status === 429) {
      outcome.refused++;
      this.#refusedMs.push(tookMs);
      const seconds = Number(headers["retry-after"]);
      if (seconds > 0) this.#retryAfter.push(seconds);
      else outcome.withoutRetryAfter++;
    } else if (status >= 400) outcome.failed++;
    else if (headers["cache-status"] !== undefined) outcome.stale++;
    else if (tookMs > deadlineMs) outcome.late++;
    else {
      outcome.good++;
      const sinceSeconds = (performance.now() - this.#startedMs) / 1_000;
      outcome.tookSeconds = Math.max(outcome.tookSeconds, Math.round(sinceSeconds * 100) / 100);
      this.#goodMs.push(tookMs);
      const half = Math.floor((i / rate) * 2);
      outcome.goodByHalfSecond[half] = (outcome.goodByHalfSecond[half] ?? 0) + 1;
    }
  }
}

process.on("message", (load: Load) => {
  void new Run(load).end().then((outcome) => process.send!(outcome));
});
process.on("disconnect", () => process.exit(0));
process.send!("ready");
