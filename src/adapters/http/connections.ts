/**
 * The client's connections: at most so many open, each used by one exchange at a time, kept for a few seconds after it
 * for the next request of the same visit. A connection belongs to one origin *and* one address, and never reconnects:
 * where it leads was decided, and checked, when it was dialed.
 */
import type { Socket } from "node:net";
import { Client } from "undici";
import { acquire, Semaphore } from "../../concurrency/semaphore.ts";
import { readTolerantly } from "../../patches/undici-parser.ts";
import { type Refusal, refusal } from "./stop.ts";

export interface HostConnection {
  readonly key: string;
  readonly client: Client;
  readonly socket: Socket;
  /** Exchanges begun on it before this one. */
  uses: number;
}

export interface ConnectionPoolOptions {
  maxConnections: number;
  /** How long an unused connection is kept. */
  idleMs: number;
  maxHeaderBytes: number;
}

type Dial = () => Promise<{ ok: true; socket: Socket } | Refusal>;
type Acquired = { ok: true; connection: HostConnection } | Refusal;

/** Callers waiting for a free connection beyond this many per connection are turned away. */
const WAITERS_PER_CONNECTION = 16;

export class Connections {
  readonly #options: ConnectionPoolOptions;
  /** At most one a key, the longest unused first. */
  readonly #idle = new Map<string, HostConnection>();
  readonly #all = new Set<HostConnection>();
  /** A permit for each connection that is open or being dialed. */
  readonly #permits: Semaphore;

  constructor(options: ConnectionPoolOptions) {
    this.#options = options;
    const { maxConnections } = options;
    this.#permits = new Semaphore(maxConnections, maxConnections * WAITERS_PER_CONNECTION);
  }

  /** Whether a connection for the key is waiting to be used. */
  hasIdle(key: string): boolean {
    return this.#idle.get(key)?.socket.destroyed === false;
  }

  /** How many are open, used or not. */
  get size(): number {
    return this.#all.size;
  }

  /** An unused connection for the key (unless `fresh`), or a dialed one. Waits for a permit until the signal aborts. */
  async acquire(
    key: string,
    origin: string,
    dial: Dial,
    options: { signal: AbortSignal; fresh: boolean },
  ): Promise<Acquired> {
    const kept = options.fresh ? undefined : this.#takeIdle(key);
    if (kept !== undefined) return { ok: true, connection: kept };
    const refused = await this.#acquirePermit(options.signal);
    if (refused !== undefined) return refused;
    const dialed = await dial();
    if (!dialed.ok) {
      this.#permits.release();
      return dialed;
    }
    return { ok: true, connection: this.#adopt(key, origin, dialed.socket) };
  }

  /** Keeps the connection for the next request, unless it is spent or its permit is wanted. */
  release(connection: HostConnection): void {
    const { key, socket } = connection;
    if (socket.destroyed || this.#permits.waiting > 0 || this.#idle.has(key)) this.discard(connection);
    else this.#idle.set(key, connection);
  }

  /** Closes the connection at once and releases its permit. */
  discard(connection: HostConnection): void {
    if (!this.#all.delete(connection)) return;
    if (this.#idle.get(connection.key) === connection) this.#idle.delete(connection.key);
    void connection.client.destroy();
    connection.socket.destroy();
    this.#permits.release();
  }

  /** Closes every connection; resolves when their sockets are closed. */
  async close(): Promise<void> {
    const open = [...this.#all].filter(({ socket }) => !socket.closed);
    const closed = open.map(
      ({ socket }) => new Promise<void>((resolve) => void socket.once("close", () => resolve())),
    );
    for (const connection of this.#all) this.discard(connection);
    await Promise.all(closed);
  }

  #takeIdle(key: string): HostConnection | undefined {
    const connection = this.#idle.get(key);
    if (connection === undefined) return undefined;
    this.#idle.delete(key);
    if (connection.socket.destroyed) {
      this.discard(connection);
      return undefined;
    }
    connection.uses++;
    return connection;
  }

  #adopt(key: string, origin: string, socket: Socket): HostConnection {
    const { idleMs, maxHeaderBytes } = this.#options;
    let given = false;
    const client = new Client(origin, {
      // The exchange has its own deadline; the parser's timers would only cost.
      headersTimeout: 0,
      bodyTimeout: 0,
      maxHeaderSize: maxHeaderBytes,
      keepAliveTimeout: idleMs,
      keepAliveMaxTimeout: idleMs,
      keepAliveTimeoutThreshold: 0,
      allowH2: false,
      connect: (_options, done) => {
        // Asked a second time only when the socket has gone: this connection is over.
        const first = !given;
        given = true;
        queueMicrotask(() =>
          first ? done(null, socket) : done(new Error("the connection has ended"), null),
        );
      },
    });
    client.once("connect", () => readTolerantly(socket));
    const connection: HostConnection = { key, client, socket, uses: 0 };
    this.#all.add(connection);
    socket.once("close", () => this.discard(connection));
    return connection;
  }

  /** Undefined when a permit was acquired for the caller. */
  async #acquirePermit(signal: AbortSignal): Promise<Refusal | undefined> {
    if (this.#permits.available === 0) this.#evictOldest();
    const outcome = await acquire(this.#permits, signal);
    if (outcome === "acquired") return undefined;
    return outcome === "full"
      ? refusal("connect_failed", "too many requests wait for a connection")
      : refusal("aborted", "stopped while waiting for a connection");
  }

  #evictOldest(): void {
    const [oldest] = this.#idle.values();
    if (oldest !== undefined) this.discard(oldest);
  }
}
