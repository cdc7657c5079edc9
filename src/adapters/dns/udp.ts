/**
 * Queries over a few shared UDP sockets. Each is connected to its server, so the kernel drops what others send, and
 * rotates: after some queries or seconds it takes no new ones, and another with another port takes its place.
 */
import { createSocket, type RemoteInfo, type Socket } from "node:dgram";
import { isIPv6 } from "node:net";
import type { Clock } from "../../ports/clock.ts";
import type { Deadline, Deadlines } from "./deadlines.ts";
import { type Exchange, failed, type ServerAddress, unreachable } from "./exchange.ts";
import { decodeMessage } from "./message.ts";
import { matchQuestion, type Query, randomByte, randomUint16 } from "./query.ts";

const QUERIES_PER_SOCKET = 2048;
const SOCKET_AGE_MS = 30_000;
const DATAGRAMS_PER_TURN = 32;
const RECEIVE_BUFFER_BYTES = 1 << 20;

export interface UdpOptions {
  clock: Clock;
  deadlines: Deadlines;
  /** How many sockets share the load. */
  sockets: number;
}

/**
 * Spreads a burst over turns of the event loop: a few hundred datagrams at one instant overflow a receive buffer of the
 * usual 208 KiB, the server's on their way and ours on their way back.
 */
class Pacer {
  readonly #queue: { socket: QuerySocket; bytes: Buffer }[] = [];
  #sentThisTurn = 0;
  #isScheduled = false;

  send(socket: QuerySocket, bytes: Buffer): void {
    if (this.#sentThisTurn < DATAGRAMS_PER_TURN && this.#queue.length === 0) {
      this.#sentThisTurn++;
      socket.sendNow(bytes);
    } else {
      this.#queue.push({ socket, bytes });
    }
    if (!this.#isScheduled) this.#schedule();
  }

  #schedule(): void {
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      const batch = this.#queue.splice(0, DATAGRAMS_PER_TURN);
      this.#sentThisTurn = batch.length;
      for (const { socket, bytes } of batch) socket.sendNow(bytes);
      if (batch.length > 0) this.#schedule();
    });
  }
}

/** All UDP sockets to one server. */
export class UdpServer {
  readonly #pacer = new Pacer();
  readonly #server: ServerAddress;
  readonly #options: UdpOptions;
  readonly #current: (QuerySocket | undefined)[];
  readonly #retired = new Set<QuerySocket>();

  constructor(server: ServerAddress, options: UdpOptions) {
    this.#server = server;
    this.#options = options;
    this.#current = Array.from({ length: options.sockets });
  }

  /** Sends a query once and waits at most `timeoutMs` for its answer. Whatever else arrives is ignored. */
  exchange(query: Query, timeoutMs: number): Promise<Exchange> {
    return this.#pick().exchange(query, timeoutMs);
  }

  /** Closes every socket. Waits still open end by their deadlines, or when the owner expires them. */
  close(): void {
    for (const socket of this.#current) socket?.close();
    for (const socket of this.#retired) socket.close();
    this.#current.fill(undefined);
    this.#retired.clear();
  }

  /** A socket drawn at random, so that the port of the next query cannot be told from the last one's. */
  #pick(): QuerySocket {
    const slot = randomByte() % this.#current.length;
    const held = this.#current[slot];
    if (held?.mayTakeMore(this.#options.clock.monotonicMs())) return held;
    if (held?.isOpen) {
      this.#retired.add(held);
      held.retire();
    }
    const fresh = new QuerySocket(this.#server, this.#options, this.#pacer, () =>
      this.#retired.delete(fresh),
    );
    this.#current[slot] = fresh;
    return fresh;
  }
}

class Pending implements Deadline {
  readonly query: Query;
  readonly atMs: number;
  readonly #settle: (exchange: Exchange) => void;
  /** Something with our id came from the server that was no readable answer to our question. */
  sawDamage = false;

  constructor(query: Query, atMs: number, settle: (exchange: Exchange) => void) {
    this.query = query;
    this.atMs = atMs;
    this.#settle = settle;
  }

  settle(exchange: Exchange): void {
    this.#settle(exchange);
  }

  expire(): void {
    this.#settle(
      this.sawDamage
        ? failed("malformed", "only damaged or foreign answers came")
        : failed("timeout", "no answer in time"),
    );
  }
}

type SocketState = "connecting" | "connected" | "closed";

class QuerySocket {
  readonly #socket: Socket;
  readonly #options: UdpOptions;
  readonly #pacer: Pacer;
  readonly #retireAtMs: number;
  readonly #onClosed: () => void;
  readonly #pending = new Map<number, Pending>();
  /** Queries from before the socket was connected. */
  #unsent: Buffer[] = [];
  #state: SocketState = "connecting";
  #queriesLeft = QUERIES_PER_SOCKET;
  #retired = false;
  #remote: { address: string; port: number } = { address: "", port: 0 };

  constructor(server: ServerAddress, options: UdpOptions, pacer: Pacer, onClosed: () => void) {
    this.#options = options;
    this.#pacer = pacer;
    this.#onClosed = onClosed;
    this.#retireAtMs = options.clock.monotonicMs() + SOCKET_AGE_MS;
    this.#socket = createSocket({
      type: isIPv6(server.address) ? "udp6" : "udp4",
      recvBufferSize: RECEIVE_BUFFER_BYTES,
    });
    // The sweep of the deadlines holds the process while answers are due; an idle socket never does.
    this.#socket.unref();
    this.#socket.on("message", (data, from) => this.#receive(data, from));
    this.#socket.on("error", (error) => this.#fail(error));
    this.#socket.once("connect", () => this.#connected());
    this.#socket.connect(server.port, server.address);
  }

  get isOpen(): boolean {
    return this.#state !== "closed";
  }

  mayTakeMore(nowMs: number): boolean {
    return this.isOpen && this.#queriesLeft > 0 && nowMs < this.#retireAtMs;
  }

  /** Takes no more queries and closes when the last one ends. */
  retire(): void {
    this.#retired = true;
    if (this.#pending.size === 0) this.close();
  }

  close(): void {
    if (this.#state === "closed") return;
    this.#state = "closed";
    this.#unsent = [];
    this.#socket.close();
    this.#onClosed();
  }

  exchange(query: Query, timeoutMs: number): Promise<Exchange> {
    return new Promise((resolve) => {
      const id = this.#freeId();
      const atMs = this.#options.clock.monotonicMs() + timeoutMs;
      const pending = new Pending(query, atMs, (exchange) => {
        this.#pending.delete(id);
        resolve(exchange);
        if (this.#retired && this.#pending.size === 0) this.close();
      });
      this.#queriesLeft--;
      this.#pending.set(id, pending);
      this.#options.deadlines.add(pending);
      query.bytes.writeUInt16BE(id, 0);
      if (this.#state === "connected") this.#pacer.send(this, query.bytes);
      else this.#unsent.push(query.bytes);
    });
  }

  /** Only the pacer calls this, when it is this query's turn. */
  sendNow(bytes: Buffer): void {
    if (this.#state === "connected") this.#socket.send(bytes, this.#sent);
  }

  /** Free among those in flight here, which are far fewer than 65,536: at most QUERIES_PER_SOCKET. */
  #freeId(): number {
    let id = randomUint16();
    while (this.#pending.has(id)) id = randomUint16();
    return id;
  }

  #connected(): void {
    if (this.#state === "closed") return;
    this.#state = "connected";
    // The kernel's own spelling of the address, to compare senders with.
    this.#remote = this.#socket.remoteAddress();
    for (const bytes of this.#unsent) this.#pacer.send(this, bytes);
    this.#unsent = [];
  }

  readonly #sent = (error: Error | null): void => {
    if (error) this.#fail(error);
  };

  #receive(data: Buffer, from: RemoteInfo): void {
    // The kernel filters only since the socket was connected, a moment after it was bound.
    if (from.port !== this.#remote.port || from.address !== this.#remote.address) return;
    if (data.length < 2) return;
    const pending = this.#pending.get((data[0]! << 8) | data[1]!);
    if (!pending) return;
    const { query } = pending;
    const match = matchQuestion(query, data);
    if (match === "same") {
      const message = decodeMessage(data, query.name, query.questionEnd);
      if (message) {
        this.#end(pending, { kind: "message", message });
        return;
      }
    } else if (match === "case_differs") {
      this.#end(pending, { kind: "case_differs" });
      return;
    }
    // A forger can send this too, so it ends nothing: the right answer may still come.
    pending.sawDamage = true;
  }

  #end(pending: Pending, exchange: Exchange): void {
    this.#options.deadlines.delete(pending);
    pending.settle(exchange);
  }

  /** ECONNREFUSED (an ICMP report), no route, no descriptors left: none of this socket's queries will be answered. */
  #fail(error: Error): void {
    if (this.#state === "closed") return;
    this.close();
    for (const pending of this.#pending.values()) this.#end(pending, unreachable(error));
  }
}
