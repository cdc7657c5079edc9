/**
 * Requests to a role that the same process runs, handed over without the broker, which `bridge up` would ask for each call of its own roles: the same bytes and
 * header fields, read by the same code, under the same deadline. The broker stays the way to all others, and the way for what is more than
 * this process should have to itself.
 */
import { type MsgHdrs, TimeoutError } from "@nats-io/nats-core";

/** A request as a worker reads it: a message of the broker, or one of the same process. */
export interface RequestMessage {
  readonly subject: string;
  readonly headers?: MsgHdrs | undefined;
  /** The payload as text. */
  string(): string;
  respond(payload?: string | Uint8Array, options?: { headers?: MsgHdrs }): unknown;
}

/** A reply as a front reads it. */
export interface ReplyMessage {
  readonly data: Uint8Array;
  readonly headers?: MsgHdrs | undefined;
}

/** What takes the requests of one subject, and says how many of its service are under way here. */
export interface LocalServer {
  take(request: RequestMessage): void;
  underWay(): number;
}

/**
 * Requests of one service beyond which others may have more room: those go to the broker, whose queue group shares them among all
 * processes, this one included.
 */
export const MOST_LOCAL = 16;

/** By the connection that the front and the role of one process share: it says which broker, which user and which process. */
const servers = new WeakMap<object, Map<string, LocalServer>>();

const encoder = new TextEncoder();
const decoder = new TextDecoder();
const NO_BYTES = new Uint8Array();

/** Takes a connection's own requests of a subject from now on. @returns what ends that */
export function serveLocally(connection: object, subject: string, server: LocalServer): () => void {
  const known = servers.get(connection) ?? new Map<string, LocalServer>();
  servers.set(connection, known.set(subject, server));
  return () => {
    if (known.get(subject) === server) known.delete(subject);
  };
}

/**
 * Asks the role of this process, where there is one with room.
 * @returns undefined: the broker is to be asked
 */
export function requestLocally(
  connection: object,
  subject: string,
  payload: string | Uint8Array,
  { timeout, headers }: { timeout: number; headers: MsgHdrs },
): Promise<ReplyMessage> | undefined {
  const server = servers.get(connection)?.get(subject);
  if (!server || server.underWay() >= MOST_LOCAL) return undefined;
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new TimeoutError()), timeout);
    server.take({
      subject,
      headers,
      string: () => (typeof payload === "string" ? payload : decoder.decode(payload)),
      respond: (reply, options) => {
        clearTimeout(timer);
        resolve({ data: bytesOf(reply), headers: options?.headers });
      },
    });
  });
}

const bytesOf = (payload: string | Uint8Array | undefined): Uint8Array =>
  payload === undefined ? NO_BYTES : typeof payload === "string" ? encoder.encode(payload) : payload;
