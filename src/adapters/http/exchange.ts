/** One request and its reply over one connection, with every length bounded. */
import type { IncomingHttpHeaders } from "node:http";
import type { Dispatcher } from "undici";
import type { Connection } from "./connections.ts";
import { type Refusal, refusal } from "./refusal.ts";

export interface Request {
  method: "GET" | "HEAD" | "POST";
  /** Path and query. */
  path: string;
  headers: Record<string, string>;
  body: Uint8Array | null;
  /** Bytes of body kept, as they come over the wire. */
  maxBodyBytes: number;
  truncate: boolean;
}

export interface Reply {
  ok: true;
  status: number;
  headers: Record<string, string>;
  /** Each Set-Cookie field by itself: joined they cannot be told apart (RFC 9110 section 5.3). */
  setCookies: string[];
  /** As sent: Content-Encoding is not undone. */
  body: Uint8Array;
  /** The body was longer than `maxBodyBytes`. */
  cut: boolean;
}

export interface ExchangeFailed extends Refusal {
  /** The connection ended before anything of the reply came: a request on a kept connection may be sent again. */
  stale: boolean;
}

/** Interim replies (1xx) taken before a final one. */
const MAX_INTERIM = 8;
/** Framing (status line, header fields, chunk sizes and extensions) taken beside the body, in bytes. */
const MAX_FRAMING_BYTES = 256 * 1024;

/**
 * Sends the request and reads the reply to its end. Never rejects. When it fails, or cuts the body off, the connection
 * is spent (its socket destroyed); so it is when the signal aborts.
 */
export function exchange(
  { client, socket }: Connection,
  request: Request,
  signal: AbortSignal,
): Promise<Reply | ExchangeFailed> {
  return new Promise((resolve) => {
    const body = new Collected(request.maxBodyBytes);
    const bytesBefore = socket.bytesRead;
    const maxWireBytes = 2 * request.maxBodyBytes + MAX_FRAMING_BYTES;
    let begun = false;
    let interim = 0;
    let head: Pick<Reply, "status" | "headers" | "setCookies"> | undefined;

    const settle = (result: Reply | ExchangeFailed) => {
      signal.removeEventListener("abort", onAbort);
      socket.removeListener("readable", onReadable);
      resolve(result);
    };
    const give = (failed: Refusal) => {
      settle({ ...failed, stale: false });
      socket.destroy();
    };
    const onAbort = () => give(refusal("aborted", "stopped while waiting for the reply"));
    // Lengths that the parser passes over in silence (status text, blanks, chunk extensions) show here alone.
    const onReadable = () => {
      if (socket.bytesRead - bytesBefore <= maxWireBytes) return;
      give(refusal(head === undefined ? "headers_too_large" : "protocol_error", "too much framing"));
    };

    const handler: Dispatcher.DispatchHandler = {
      onRequestStart: () => undefined,
      onResponseStarted: () => {
        begun = true;
      },
      onResponseStart: (_controller, status, headers) => {
        if (status < 200) {
          if (++interim > MAX_INTERIM) give(refusal("protocol_error", "interim replies without end"));
          return;
        }
        head = { status, headers: plainHeaders(headers), setCookies: setCookiesOf(headers) };
        const announced = Number(head.headers["content-length"] ?? 0);
        if (announced > request.maxBodyBytes && !request.truncate && request.method !== "HEAD") {
          give(refusal("body_too_large", `announces ${announced} bytes, over ${request.maxBodyBytes}`));
        }
      },
      onResponseData: (_controller, chunk) => {
        if (body.add(chunk) || head === undefined) return;
        if (!request.truncate) {
          return give(refusal("body_too_large", `more than ${request.maxBodyBytes} bytes`));
        }
        settle({ ok: true, ...head, body: body.bytes(), cut: true });
        socket.destroy();
      },
      onResponseEnd: () => {
        if (head !== undefined) settle({ ok: true, ...head, body: body.bytes(), cut: false });
      },
      onResponseError: (_controller, error) => {
        settle({ ...failureOf(error), stale: !begun });
        socket.destroy();
      },
    };

    signal.addEventListener("abort", onAbort, { once: true });
    if (signal.aborted) return onAbort();
    socket.on("readable", onReadable);
    const { method, path, headers } = request;
    client.dispatch(
      { method, path, headers, body: request.body, headersTimeout: 0, bodyTimeout: 0 },
      handler,
    );
  });
}

/**
 * A body in one growing buffer: what a hostile peer sends as a million one-byte chunks must not become a million
 * objects here.
 */
class Collected {
  readonly #max: number;
  #buffer = new Uint8Array(0);
  #size = 0;

  constructor(max: number) {
    this.#max = max;
  }

  /** False when the chunk did not fit whole; what fits is kept. */
  add(chunk: Uint8Array): boolean {
    const fits = Math.min(chunk.length, this.#max - this.#size);
    this.#reserve(this.#size + fits);
    this.#buffer.set(fits === chunk.length ? chunk : chunk.subarray(0, fits), this.#size);
    this.#size += fits;
    return fits === chunk.length;
  }

  bytes(): Uint8Array {
    return this.#buffer.subarray(0, this.#size);
  }

  #reserve(size: number): void {
    if (size <= this.#buffer.length) return;
    const grown = new Uint8Array(Math.max(size, Math.min(this.#max, 2 * this.#buffer.length)));
    grown.set(this.bytes());
    this.#buffer = grown;
  }
}

function plainHeaders(headers: IncomingHttpHeaders): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.join(", ") : (value ?? ""),
    ]),
  );
}

function setCookiesOf(headers: IncomingHttpHeaders): string[] {
  const fields: string | string[] = headers["set-cookie"] ?? [];
  return typeof fields === "string" ? [fields] : fields;
}

function failureOf(error: Error): Refusal {
  const code = "code" in error ? String(error.code) : "";
  if (code === "UND_ERR_HEADERS_OVERFLOW") {
    return refusal("headers_too_large", "the reply's header fields are too large");
  }
  // The system's own errors are told by their codes alone (dial.ts).
  if ("syscall" in error) return refusal("protocol_error", code);
  return refusal("protocol_error", `${code} ${error.message}`.trim().slice(0, 300));
}
