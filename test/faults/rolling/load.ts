/** Requests through a balancer while parts are replaced, and the account of them: what failed, how long each took, what was made. */
import { Agent } from "undici";
import { type Random, randomFrom } from "../../../world/random.ts";

export interface LoadOptions {
  /** Of the balancer. */
  url: string;
  /** Listed domains. */
  domains: readonly string[];
  /** Requests at once, each on a connection of its own. */
  connections: number;
  /** One request in so many makes something. */
  writeEvery: number;
  /** One write in so many is a registration with a log-in after it, which hash a password each; 0: none. */
  registerEvery: number;
  /** Pause after each answer on a connection, in milliseconds. */
  pauseMs: number;
  seed: number;
}

export interface Failed {
  what: string;
  why: string;
  /** When it was sent, milliseconds since the load began. */
  atMs: number;
  /** Whether it meant to make something. */
  writes: boolean;
}

export interface Answered {
  atMs: number;
  tookMs: number;
}

export interface Load {
  readonly sent: number;
  readonly failed: readonly Failed[];
  readonly answered: readonly Answered[];
  /** Names of what was made according to the answers: owners of keys. */
  readonly made: readonly string[];
  /** Answers from another request's reply, since none could be had. */
  readonly stale: number;
  /** Milliseconds since it began. */
  nowMs(): number;
  /** Sends no more; resolves when all is answered. */
  stop(): Promise<void>;
}

/** More than any deadline. */
const GIVE_UP_MS = 200_000;
const PASSWORD = "correct horse battery";

interface Request {
  path: string;
  /** With it, a POST with an Idempotency-Key. */
  body?: object;
  name?: string;
}

function readOf(random: Random, domains: readonly string[]): Request {
  const domain = domains[random.below(domains.length)]!;
  const word = domain.split(".")[0]!.split("-")[0]!;
  const paths = [
    `/api/bridge/search?q=${encodeURIComponent(word)}&limit=5`,
    `/api/registry/sites/${domain}`,
    `/api/discovery/registry?limit=10`,
    "/.bridge",
    "/.well-known/bridge.json",
    "/api/bridge/ping",
  ];
  return { path: paths[random.below(paths.length)]! };
}

class Requests implements Load {
  sent = 0;
  stale = 0;
  readonly failed: Failed[] = [];
  readonly answered: Answered[] = [];
  readonly made: string[] = [];
  readonly #options: LoadOptions;
  readonly #random: Random;
  readonly #agent: Agent;
  readonly #startedMs = performance.now();
  readonly #senders: Promise<void>[];
  #stopped = false;
  #writes = 0;

  constructor(options: LoadOptions) {
    this.#options = options;
    this.#random = randomFrom(options.seed, "load");
    this.#agent = new Agent({ connections: options.connections, pipelining: 1 });
    this.#senders = Array.from({ length: options.connections }, () => this.#sendOn());
  }

  nowMs(): number {
    return performance.now() - this.#startedMs;
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await Promise.all(this.#senders);
    await this.#agent.close();
  }

  async #sendOn(): Promise<void> {
    const { domains, writeEvery, registerEvery, pauseMs } = this.#options;
    while (!this.#stopped) {
      if (this.sent % writeEvery !== writeEvery - 1) await this.#send(readOf(this.#random, domains));
      else if (registerEvery > 0 && ++this.#writes % registerEvery === 0) await this.#register();
      else {
        const name = `load-${this.#options.seed}-${this.sent}`;
        const body = { plan: "FREE", owner: name, email: `${name}@load.example` };
        await this.#send({ path: "/api/v1/keys/generate", body, name });
      }
      if (pauseMs > 0) await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
  }

  async #register(): Promise<void> {
    const email = `load-${this.#options.seed}-${this.sent}@people.example`;
    const answer = await this.#send({
      path: "/api/auth/register",
      body: { email, password: PASSWORD, name: "Ada" },
    });
    if (answer) await this.#send({ path: "/api/auth/login", body: { email, password: PASSWORD } });
  }

  /** @returns whether it was answered well */
  async #send({ path, body, name }: Request): Promise<boolean> {
    this.sent++;
    const key = `"${this.#options.seed}-${this.sent}"`;
    const startedMs = performance.now();
    const atMs = this.nowMs();
    try {
      const answer = await this.#agent.request({
        origin: this.#options.url,
        path,
        method: body ? "POST" : "GET",
        ...(body && {
          body: JSON.stringify(body),
          headers: { "content-type": "application/json", "idempotency-key": key },
        }),
        headersTimeout: GIVE_UP_MS,
        bodyTimeout: GIVE_UP_MS,
      });
      const text = await answer.body.text();
      if (answer.statusCode >= 300) throw new Error(`${answer.statusCode} ${text.slice(0, 300)}`);
      if (/stale/i.test(String(answer.headers["cache-status"] ?? ""))) this.stale++;
      if (name) this.made.push(name);
      this.answered.push({ atMs: this.nowMs(), tookMs: performance.now() - startedMs });
      return true;
    } catch (error) {
      const why =
        error instanceof Error
          ? `${(error as NodeJS.ErrnoException).code ?? ""} ${error.message}`.trim()
          : String(error);
      this.failed.push({ what: path, why, atMs, writes: body !== undefined });
      return false;
    }
  }
}

export const startLoad = (options: LoadOptions): Load => new Requests(options);

/** A quantile of what was answered between two times, in milliseconds; 0 of nothing. */
export function quantileOf(load: Load, share: number, fromMs = 0, toMs = Number.POSITIVE_INFINITY): number {
  const times = load.answered
    .filter(({ atMs }) => atMs >= fromMs && atMs <= toMs)
    .map(({ tookMs }) => tookMs)
    .sort((a, b) => a - b);
  return Math.round(times[Math.min(times.length - 1, Math.floor(share * times.length))] ?? 0);
}
