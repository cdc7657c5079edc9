/**
 * Requests at a steady rate, whether or not those before them were answered, over raw sockets that read into one
 * buffer: a client that allocates what it receives pauses for its own collector, and would time that.
 */
import { once } from "node:events";
import { connect, type Socket } from "node:net";

interface Load {
  url: string;
  /** Requests a second. */
  rate: number;
  connections: number;
  seconds: number;
  /** Requests of this time are not counted: connections and code are new. */
  warmUpSeconds: number;
}

const READ_BYTES = 256 * 1024;

/** One kept connection; one request at a time. */
class Connection {
  readonly #socket: Socket;
  readonly #request: string;
  /** Bytes of the reply that are to come; undefined before its header fields were read. */
  #missing: number | undefined;
  #answered: (() => void) | undefined;

  constructor(socket: Socket, request: string) {
    this.#socket = socket;
    this.#request = request;
  }

  static async open(url: URL): Promise<Connection> {
    const request = `GET ${url.pathname}${url.search} HTTP/1.1\r\nHost: ${url.host}\r\n\r\n`;
    let connection: Connection | undefined;
    const socket = connect({
      host: url.hostname,
      port: Number(url.port),
      noDelay: true,
      onread: {
        buffer: Buffer.allocUnsafe(READ_BYTES),
        callback: (size, buffer) => connection!.#read(size, buffer as Buffer),
      },
    });
    await once(socket, "connect");
    connection = new Connection(socket, request);
    return connection;
  }

  #read(size: number, buffer: Buffer): boolean {
    if (this.#missing === undefined) {
      const end = buffer.indexOf("\r\n\r\n", 0, "latin1");
      const head = buffer.toString("latin1", 0, end);
      const length = /^content-length: (\d+)/im.exec(head)?.[1];
      if (!head.startsWith("HTTP/1.1 200 ") || length === undefined) throw new Error(`not a reply: ${head}`);
      this.#missing = end + 4 + Number(length);
    }
    this.#missing -= size;
    if (this.#missing > 0) return true;
    this.#missing = undefined;
    this.#answered?.();
    return true;
  }

  ask(answered: () => void): void {
    this.#answered = answered;
    this.#socket.write(this.#request, "latin1");
  }

  close(): void {
    this.#socket.destroy();
  }
}

/**
 * @returns milliseconds of each counted request, from when it was due
 * @throws when a reply is anything but 200 with a Content-Length
 */
export async function steadyLoad({
  url,
  rate,
  connections,
  seconds,
  warmUpSeconds,
}: Load): Promise<Float64Array> {
  const all = await Promise.all(Array.from({ length: connections }, () => Connection.open(new URL(url))));
  const idle = [...all];
  const uncounted = rate * warmUpSeconds;
  const total = uncounted + rate * seconds;
  const took = new Float64Array(rate * seconds);
  const startedMs = performance.now();
  const dueMs = (request: number): number => startedMs + (request * 1_000) / rate;
  let [asked, answered] = [0, 0];
  while (answered < total) {
    while (asked < total && dueMs(asked) <= performance.now() && idle.length > 0) {
      const [request, connection] = [asked++, idle.pop()!];
      connection.ask(() => {
        answered++;
        if (request >= uncounted) took[request - uncounted] = performance.now() - dueMs(request);
        idle.push(connection);
      });
    }
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  for (const connection of all) connection.close();
  return took.sort();
}
