/** One request and its reply over one connection, with every length bounded. */
import type { IncomingHttpHeaders } from "node:http";
import type { Dispatcher } from "undici";
import type { HostConnection } from "./connections.ts";
import { withCode } from "./dial.ts";
import { type Refusal, refusal } from "./stop.ts";

export interface HttpRequest {
  method: "GET" | "HEAD" | "POST";
  /** Path and query. */
  path: string;
  headers: Record<string, string>;
  body: Uint8Array | null;
  /** Bytes of body kept, as they come over the wire. */
  maxBodyBytes: number;
  truncate: boolean;
  /** True for the piece behind which nothing more is awaited. */
  until: ((piece: Uint8Array) => boolean) | undefined;
  /** Whatever becomes of the body, the reply counts once its head has come; no body is kept. */
  statusOnly: boolean;
}

export interface HttpReply {
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

/** Takes one reply as the client hands it over. */
class ReplyReader implements Dispatcher.DispatchHandler {
  readonly #request: HttpRequest;
  readonly #end: (result: HttpReply | ExchangeFailed, spent: boolean) => void;
  readonly #body: Collected;
  #begun = false;
  #interim = 0;
  head: Pick<HttpReply, "status" | "headers" | "setCookies"> | undefined;

  /** @param end is told the result, and whether the connection is spent */
  constructor(request: HttpRequest, end: (result: HttpReply | ExchangeFailed, spent: boolean) => void) {
    this.#request = request;
    this.#end = end;
    this.#body = new Collected(request.maxBodyBytes);
  }

  refuse(...why: Parameters<typeof refusal>): void {
    this.#fail({ ...refusal(...why), stale: false });
  }

  #fail(failed: ExchangeFailed): void {
    if (this.head === undefined || !this.#request.statusOnly) this.#end(failed, true);
    else this.#end({ ok: true, ...this.head, body: new Uint8Array(0), cut: true }, true);
  }

  onRequestStart(): void {}

  onResponseStarted(): void {
    this.#begun = true;
  }

  onResponseStart(_: Dispatcher.DispatchController, status: number, headers: IncomingHttpHeaders): void {
    if (status < 200) {
      if (++this.#interim > MAX_INTERIM) this.refuse("protocol_error", "interim replies without end");
      return;
    }
    this.head = { status, headers: plainHeaders(headers), setCookies: setCookiesOf(headers).map(unfolded) };
    const odd = Object.entries(this.head.headers).find(
      ([name, value]) => name.endsWith(" ") || CONTROLS.test(value),
    );
    if (odd) this.refuse("protocol_error", invalid(`a blank or control character in the field ${odd[0]}`));
    const { maxBodyBytes, truncate, method } = this.#request;
    const announced = Number(this.head.headers["content-length"] ?? 0);
    if (announced > maxBodyBytes && !truncate && method !== "HEAD")
      this.refuse("body_too_large", `announces ${announced} bytes, over ${maxBodyBytes}`);
  }

  onResponseData(_: Dispatcher.DispatchController, chunk: Uint8Array): void {
    const isWhole = this.#body.add(chunk);
    if (this.head === undefined) return;
    const { maxBodyBytes, truncate, until } = this.#request;
    if (isWhole) {
      if (until?.(chunk)) this.#end({ ok: true, ...this.head, body: this.#body.bytes(), cut: false }, true);
      return;
    }
    if (truncate) this.#end({ ok: true, ...this.head, body: this.#body.bytes(), cut: true }, true);
    else this.refuse("body_too_large", `more than ${maxBodyBytes} bytes`);
  }

  onResponseEnd(): void {
    if (this.head !== undefined)
      this.#end({ ok: true, ...this.head, body: this.#body.bytes(), cut: false }, false);
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    this.#fail({ ...failureOf(error), stale: !this.#begun });
  }
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

/** Line feeds, NULs and the like in a value, which are refused (RFC 9110 section 5.5); tabs are not among them. So is a blank after a name. */
const CONTROLS = /[\0-\x08\x0a-\x1f\x7f]/;

/** Where a field is folded, blanks stand for the line's end (RFC 9112 section 5.2); the parser keeps tabs among them. */
const unfolded = (value: string): string => value.replaceAll("\t", " ").trim();

/** Bytes beyond ASCII are percent-encoded one by one, as browsers do, whatever encoding they are in. */
const percentEncoded = (latin1: string): string =>
  latin1.replace(/[\x80-\xff]/g, (byte) => `%${byte.charCodeAt(0).toString(16).toUpperCase()}`);

/** A reply that breaks HTTP, in a sentence that says whose it is to mend. @param what as the parser names it */
const invalid = (what: string): string =>
  `the server's reply is not valid HTTP/1.1 (${what}): correct what the server, or a proxy in front of it, sends before the body`;

const REASONS = new Map([
  ["UND_ERR_HEADERS_OVERFLOW", "the reply's header fields are too large"],
  [
    "UND_ERR_RES_CONTENT_LENGTH_MISMATCH",
    "the reply's Content-Length is not the length of its body, or stands there more than once",
  ],
  ["UND_ERR_SOCKET", "the server closed the connection before its reply was complete"],
]);

/**
 * Sends the request and reads the reply to its end. Never rejects. When it fails, or cuts the body off, the connection
 * is spent (its socket destroyed); so it is when the signal aborts.
 */
export function exchange(
  { client, socket }: HostConnection,
  request: HttpRequest,
  signal: AbortSignal,
): Promise<HttpReply | ExchangeFailed> {
  return new Promise((resolve) => {
    const bytesBefore = socket.bytesRead;
    const maxWireBytes = 2 * request.maxBodyBytes + MAX_FRAMING_BYTES;
    const reader = new ReplyReader(request, (result, spent) => {
      signal.removeEventListener("abort", onAbort);
      socket.removeListener("readable", onReadable);
      resolve(result);
      if (spent) socket.destroy();
    });
    const onAbort = () => reader.refuse("aborted", "stopped while waiting for the reply");
    // Lengths that the parser passes over in silence (status text, blanks, chunk extensions) show here alone.
    const onReadable = () => {
      if (socket.bytesRead - bytesBefore <= maxWireBytes) return;
      reader.refuse(reader.head === undefined ? "headers_too_large" : "protocol_error", "too much framing");
    };
    signal.addEventListener("abort", onAbort, { once: true });
    if (signal.aborted) return onAbort();
    socket.on("readable", onReadable);
    const { method, path, headers, body } = request;
    client.dispatch({ method, path, headers, body, headersTimeout: 0, bodyTimeout: 0 }, reader);
  });
}

function plainHeaders(headers: IncomingHttpHeaders): Record<string, string> {
  const plain: Record<string, string> = {};
  for (const [name, value = ""] of Object.entries(headers))
    plain[name] = unfolded(Array.isArray(value) ? value.join(", ") : value);
  if (plain.location !== undefined) plain.location = percentEncoded(plain.location);
  return plain;
}

function setCookiesOf(headers: IncomingHttpHeaders): string[] {
  const fields: string | string[] = headers["set-cookie"] ?? [];
  return typeof fields === "string" ? [fields] : fields;
}

function failureOf(error: Error): Refusal {
  const code = "code" in error && error.code !== undefined ? String(error.code) : "";
  // The system's own errors are told by their codes alone (dial.ts).
  if ("syscall" in error) return refusal("protocol_error", code);
  if (error.name === "HTTPParserError") {
    const { message } = error;
    const reason = message.slice(message.indexOf("(") + 1, message.lastIndexOf(")"));
    return refusal("protocol_error", invalid(reason || "it ends too early"));
  }
  if (code.startsWith("ERR_SSL_")) return refusal("protocol_error", withCode(code, error.message));
  const detail = REASONS.get(code) ?? `${code} ${error.message}`.trim().slice(0, 300);
  return refusal(code === "UND_ERR_HEADERS_OVERFLOW" ? "headers_too_large" : "protocol_error", detail);
}
