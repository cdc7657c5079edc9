/** Calls of a registry: one request, its retries, and the error that it ends in. */
import type { Problem } from "./api.ts";
import { type BridgeError, ConnectionError, errorOfReply } from "./errors.ts";

/** What an asked call may be given. */
export interface CallOptions {
  query?: object | undefined;
  /** Sent as JSON. */
  body?: unknown;
  bearer?: string | undefined;
  /** Names a write, so that it is done once however often it is sent. */
  idempotencyKey?: string | undefined;
  /** Beside the usual ones, or in their place. */
  headers?: Readonly<Record<string, string>> | undefined;
  /** Tells why a reply of status 200 is none, for protocols that answer so. A write that has this may be sent again. */
  failureIn?: ((reply: unknown) => SaidProblem | undefined) | undefined;
  signal?: AbortSignal | undefined;
}

/** A problem document within a reply, with what a header field would say. */
export interface SaidProblem extends Problem {
  retry_after_seconds?: number;
}

export interface HttpOptions {
  registry: string | URL;
  fetch?: typeof fetch | undefined;
  /** How long one try may take, in milliseconds. Default 35,000: an action has 30 s. */
  timeoutMs?: number | undefined;
  /** Tries after the first, at most 3. Default 3. */
  retries?: number | undefined;
  /** The longest wait before a try, in milliseconds; a longer Retry-After ends the call. Default 30,000. */
  maxWaitMs?: number | undefined;
  random?: (() => number) | undefined;
}

const MAX_RETRIES = 3;
const FIRST_WAIT_MS = 250;
/** Faults that pass: of the way, of the registry, of its limits. */
const PASSING = new Set([408, 429, 502, 503, 504]);
/** The first request of this key still runs. */
const IN_PROGRESS = "idempotency_in_progress";

/** One try's end; `passes`: another one may succeed. */
type Tried<Reply> = { ok: true; reply: Reply } | { ok: false; error: BridgeError; passes: boolean };

export class Http {
  readonly registry: URL;
  readonly #fetch: typeof fetch;
  readonly #timeoutMs: number;
  readonly #retries: number;
  readonly #maxWaitMs: number;
  readonly #random: () => number;

  constructor(options: HttpOptions) {
    this.registry = new URL(options.registry);
    // Called as a function of no object: browsers refuse it otherwise.
    const own = options.fetch ?? globalThis.fetch;
    this.#fetch = (input, init) => own(input, init);
    this.#timeoutMs = options.timeoutMs ?? 35_000;
    this.#retries = Math.min(MAX_RETRIES, Math.max(0, options.retries ?? MAX_RETRIES));
    this.#maxWaitMs = options.maxWaitMs ?? 30_000;
    this.#random = options.random ?? Math.random;
  }

  async get<Reply>(path: string, options: Omit<CallOptions, "body" | "idempotencyKey"> = {}): Promise<Reply> {
    return this.#call<Reply>("GET", path, options);
  }

  /** @param options with an `idempotencyKey` (or `failureIn`) it is sent again where that may help; else never */
  async post<Reply>(path: string, options: CallOptions): Promise<Reply> {
    return this.#call<Reply>("POST", path, options);
  }

  async text(path: string): Promise<string> {
    return this.#call<string>("GET", path, {}, "text");
  }

  async #call<Reply>(
    method: "GET" | "POST",
    path: string,
    options: CallOptions,
    as: "json" | "text" = "json",
  ): Promise<Reply> {
    const { idempotencyKey, failureIn } = options;
    const mayRepeat = method === "GET" || idempotencyKey !== undefined || failureIn !== undefined;
    for (let tries = 0; ; tries++) {
      const tried = await this.#try<Reply>(method, path, options, as);
      if (tried.ok) return tried.reply;
      const { error } = tried;
      const waitMs = this.#waitMs(tries, error.retryAfter);
      if (!mayRepeat || !tried.passes || tries >= this.#retries || waitMs > this.#maxWaitMs) throw error;
      await sleep(waitMs, options.signal);
    }
  }

  /** Full jitter over 250 ms doubled with each try; never sooner than the registry asks. */
  #waitMs(tries: number, retryAfter: number | null): number {
    const jitterMs = this.#random() * FIRST_WAIT_MS * 2 ** tries;
    return retryAfter === null ? jitterMs : retryAfter * 1_000 + jitterMs;
  }

  async #try<Reply>(
    method: string,
    path: string,
    options: CallOptions,
    as: "json" | "text",
  ): Promise<Tried<Reply>> {
    const { signal } = options;
    const limit = AbortSignal.timeout(this.#timeoutMs);
    try {
      const response = await this.#fetch(this.#address(path, options.query), {
        method,
        headers: headersOf(options),
        // A redirect would carry the credential elsewhere; workers of the edge know "manual" alone.
        redirect: "manual",
        signal: signal ? AbortSignal.any([limit, signal]) : limit,
        ...(options.body !== undefined && { body: JSON.stringify(options.body) }),
      });
      if (response.ok) {
        const reply = (await response[as]()) as Reply;
        const problem = options.failureIn?.(reply);
        if (!problem) return { ok: true, reply };
        return failed(problem.status, problem, response, problem.retry_after_seconds ?? null);
      }
      const body: unknown = await response.json().catch(() => undefined);
      return failed(response.status, body, response, secondsOf(response.headers.get("retry-after")));
    } catch (cause) {
      // The caller's own end of the call is no failure of it.
      if (signal?.aborted) throw signal.reason;
      const why = cause instanceof Error ? cause.message : String(cause);
      const error = new ConnectionError(`${this.registry.origin} did not answer: ${why}`, {
        code: "connection_failed",
        next: `Check the registry's address and the network. ${method === "GET" ? "Nothing was changed." : "Whether a write was done is not known."}`,
        cause,
      });
      return { ok: false, error, passes: true };
    }
  }

  #address(path: string, query: object | undefined): URL {
    const address = new URL(path, this.registry);
    for (const [name, value] of Object.entries(query ?? {}))
      if (value !== undefined && value !== null) address.searchParams.set(name, String(value));
    return address;
  }
}

const headersOf = ({ body, bearer, idempotencyKey, headers }: CallOptions): Record<string, string> => ({
  accept: "application/json",
  ...(body !== undefined && { "content-type": "application/json" }),
  ...(bearer !== undefined && { authorization: `Bearer ${bearer}` }),
  // A structured field's string, as the IETF's draft has it.
  ...(idempotencyKey !== undefined && { "idempotency-key": JSON.stringify(idempotencyKey) }),
  ...headers,
});

const sleep = (ms: number, signal: AbortSignal | undefined): Promise<void> =>
  new Promise((resolve, reject) => {
    const timer = setTimeout(done, ms);
    function done(): void {
      signal?.removeEventListener("abort", abort);
      resolve();
    }
    function abort(): void {
      clearTimeout(timer);
      reject(signal!.reason);
    }
    if (signal?.aborted) abort();
    else signal?.addEventListener("abort", abort, { once: true });
  });

/** Seconds of a Retry-After (RFC 9110 section 10.2.3): a number or a date. */
export function secondsOf(text: string | null, nowMs = Date.now()): number | null {
  if (text === null) return null;
  if (/^\d{1,9}$/.test(text)) return Number(text);
  const atMs = Date.parse(text);
  return Number.isNaN(atMs) ? null : Math.max(0, Math.ceil((atMs - nowMs) / 1_000));
}

function failed(
  status: number,
  body: unknown,
  { headers }: Response,
  retryAfter: number | null,
): { ok: false; error: BridgeError; passes: boolean } {
  const error = errorOfReply(status, body, headers, retryAfter);
  return { ok: false, error, passes: PASSING.has(status) || error.code === IN_PROGRESS };
}
