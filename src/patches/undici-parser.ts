/** undici's HTTP/1.1 parser, as tolerant of one server's replies as RFC 9110 and 9112 ask of a user agent. */
import type { Socket } from "node:net";

type Leniency = "headers" | "optional_cr_before_lf" | "spaces_after_chunk_size";

/** What is used of the parser of a connection (undici's lib/dispatcher/client-h1.js). */
interface Parser {
  readonly llhttp: Record<`llhttp_set_lenient_${Leniency}`, (pointer: number, enabled: 0 | 1) => void>;
  readonly ptr: number;
  onHeadersComplete(status: number, upgrade: boolean, keepAlive: boolean): number;
}

const CONTINUE = 100;
/** An interim status that undici passes over, as it must every one. */
const EARLY_HINTS = 103;

/**
 * - A 100 Continue that was not asked for is an interim reply like others (RFC 9110 section 15.2: a client MUST be able to
 *   parse them); undici ends the connection.
 * - A field folded over lines is one field (RFC 9112 section 5.2: a user agent MUST). The parser's flag for it lets control
 *   characters into values, too: who reads the reply refuses those (src/adapters/http/exchange.ts).
 * - An LF alone ends a line (section 2.2: MAY), and blanks may follow a chunk's size, as browsers have it.
 *
 * Called once, when undici has taken the socket and before it writes a request. The parser serves this connection alone.
 */
export function readTolerantly(socket: Socket): void {
  const parser = parserOf(socket);
  parser.llhttp.llhttp_set_lenient_headers(parser.ptr, 1);
  parser.llhttp.llhttp_set_lenient_optional_cr_before_lf(parser.ptr, 1);
  parser.llhttp.llhttp_set_lenient_spaces_after_chunk_size(parser.ptr, 1);
  const { onHeadersComplete } = parser;
  parser.onHeadersComplete = function (this: Parser, status, upgrade, keepAlive) {
    return onHeadersComplete.call(this, status === CONTINUE ? EARLY_HINTS : status, upgrade, keepAlive);
  };
}

/** undici keeps a connection's parser at its socket, under a symbol of its own. */
function parserOf(socket: Socket): Parser {
  const key = Object.getOwnPropertySymbols(socket).find(({ description }) => description === "parser");
  const parser = key === undefined ? undefined : (socket as unknown as Record<symbol, unknown>)[key];
  if (typeof parser !== "object" || parser === null || !("onHeadersComplete" in parser))
    throw new TypeError("undici keeps no parser where this patch looks for it");
  return parser as Parser;
}
