/** The official client with our bounds, and which of its errors mean that the engine is away, busy or full. */
import { X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import { Client, errors } from "@elastic/elasticsearch";
import { IndexUnavailable } from "../../ports/index.ts";

/** A search that takes longer is given up; a write may take a busy engine longer. */
const READ_TIMEOUT_MS = 5_000;
const WRITE_TIMEOUT_MS = 60_000;

export interface ElasticsearchSettings {
  /** Origins of one or more nodes, separated by commas, such as https://search.example:9200; may hold user:password. */
  url: string;
  /** Base64, as Elasticsearch gives it ("encoded"). */
  apiKey?: string;
  /** File of PEM certificates trusted in place of the system's. */
  caFile?: string;
  /** Of indices that are made from now on; default 1. */
  shards?: number;
}

/**
 * A client for what reads, and one for what writes: the transport heeds no longer timeout of a request than its own.
 */
export interface Clients {
  reading: Client;
  writing: Client;
  pulse: EngineProbe;
}

/** Nothing for so long while something is asked: the engine stands still. One that has too much to do answers some of it. */
const STANDS_AFTER_MS = 4_000;
const LOOK_EVERY_MS = 250;

/** Whether an engine answers anything at all. */
export class EngineProbe {
  #asked = 0;
  /** When it last answered, or was first asked after a pause. */
  #aliveMs = performance.now();

  watch(client: Client): void {
    client.diagnostic.on("request", () => {
      if (this.#asked++ === 0) this.#aliveMs = performance.now();
    });
    client.diagnostic.on("response", (error) => {
      this.#asked = Math.max(0, this.#asked - 1);
      if (!error || error instanceof errors.ResponseError) this.#aliveMs = performance.now();
    });
  }

  get stands(): boolean {
    return this.#asked > 0 && performance.now() - this.#aliveMs > STANDS_AFTER_MS;
  }

  /** The work's result. @throws IndexUnavailable as soon as the engine stands still */
  async unlessStill<T>(work: () => Promise<T>): Promise<T> {
    const { promise: still, reject } = Promise.withResolvers<never>();
    const look = (): void => {
      if (this.stands) reject(new IndexUnavailable("Elasticsearch: it stands still: nothing is answered"));
    };
    look();
    const timer = setInterval(look, LOOK_EVERY_MS);
    try {
      if (this.stands) return await still;
      return await Promise.race([work(), still]);
    } finally {
      clearInterval(timer);
      still.catch(() => undefined);
    }
  }
}

/** What the engine says of one search of several. */
export class SearchError extends Error {
  override name = "SearchError";
  readonly type: string;
  readonly status: number;

  constructor(type: string, status: number, reason: string) {
    super(`${type}: ${reason}`);
    this.type = type;
    this.status = status;
  }
}

const AWAY_STATUSES = new Set([429, 502, 503, 504]);

/** Whose signature is trusted, in Node's words. @throws Error when the file cannot be read, or holds no certificate */
export function certificatesOf({ caFile }: ElasticsearchSettings): { ca?: Buffer } {
  if (caFile === undefined) return {};
  const ca = readFileSync(caFile);
  // OpenSSL takes a file without certificates for one that trusts nobody.
  new X509Certificate(ca);
  return { ca };
}

/** @throws Error when the file of certificates cannot be read */
export function connect(settings: ElasticsearchSettings): Clients {
  const pulse = new EngineProbe();
  // What cannot be read at one node is read at the next; otherwise ours decide what is worth another try: a search answers 503
  // at once, a write waits.
  const reading = clientOf(settings, READ_TIMEOUT_MS, engineNodes(settings).length - 1);
  pulse.watch(reading);
  return { reading, writing: clientOf(settings, WRITE_TIMEOUT_MS, 0), pulse };
}

const clientOf = (settings: ElasticsearchSettings, requestTimeout: number, maxRetries: number): Client =>
  new Client({
    nodes: engineNodes(settings),
    ...(settings.apiKey && { auth: { apiKey: settings.apiKey } }),
    tls: certificatesOf(settings),
    requestTimeout,
    maxRetries,
  });

/** The nodes' addresses. */
export const engineNodes = ({ url }: ElasticsearchSettings): string[] =>
  url.split(",").map((node) => node.trim());

export async function disconnect({ reading, writing }: Clients): Promise<void> {
  await Promise.all([reading.close(), writing.close()]);
}

/** The type of the engine's error, such as "index_not_found_exception"; undefined for others. */
export function errorType(error: unknown): string | undefined {
  if (error instanceof SearchError) return error.type;
  if (!(error instanceof errors.ResponseError)) return undefined;
  const body = error.body as { error?: { type?: unknown; root_cause?: { type?: unknown }[] } } | undefined;
  const type = body?.error?.root_cause?.[0]?.type ?? body?.error?.type;
  return typeof type === "string" ? type : undefined;
}

/** An error of the client as ours: IndexUnavailable for a passing state, the error itself for a bug or a wrong setting. */
export function asOurs(error: unknown): unknown {
  const reason = reasonOf(error);
  if (reason === undefined) return error;
  return new IndexUnavailable(`Elasticsearch: ${reason}`, { cause: error, isBusy: isBusy(error) });
}

function reasonOf(error: unknown): string | undefined {
  if (error instanceof errors.ResponseError || error instanceof SearchError) {
    const type = errorType(error);
    const status = error instanceof SearchError ? error.status : error.statusCode;
    // A disk past its flood stage makes indices read-only; an index or alias that is gone is made anew (generations.ts).
    const passing = type === "cluster_block_exception" || type === "index_not_found_exception";
    return passing || AWAY_STATUSES.has(status ?? 0)
      ? `it answers ${status} ${type ?? ""}`.trimEnd()
      : undefined;
  }
  if (error instanceof errors.TimeoutError) return "it does not answer in time";
  if (error instanceof errors.ConnectionError || error instanceof errors.NoLivingConnectionsError)
    return "it cannot be reached";
  return undefined;
}

/** Whether the engine is there and has too much to do: its queues are full, or its memory is (a circuit breaker). */
function isBusy(error: unknown): boolean {
  if (error instanceof errors.TimeoutError) return true;
  const status = error instanceof SearchError ? error.status : (error as { statusCode?: unknown }).statusCode;
  return status === 429 && errorType(error) !== "cluster_block_exception";
}
