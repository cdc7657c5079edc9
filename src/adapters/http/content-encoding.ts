/** Undoes Content-Encoding (RFC 9110 section 8.4) with a bound on what comes out. */
import type { Transform } from "node:stream";
import { constants, createBrotliDecompress, createGunzip, createInflateRaw } from "node:zlib";
import { type Refusal, refusal } from "./stop.ts";

/** What requests offer. */
export const ACCEPT_ENCODING = "gzip, br";
/** Codings around a body that are undone: proxies code once more what came coded. */
const MAX_CODINGS = 3;

export interface DecodedBody {
  ok: true;
  bytes: Uint8Array;
  truncated: boolean;
}

interface DecodeOptions {
  maxBytes: number;
  truncate: boolean;
  /** The body was cut off. */
  partial: boolean;
  signal: AbortSignal;
}

const [FHCRC, FEXTRA, FNAME, FCOMMENT] = [2, 4, 8, 16];

/**
 * Decodes a body that was received whole, or, with `partial`, one that was cut off. Stops as soon as more than
 * `maxBytes` came out of one coding: "body_too_large", or the first `maxBytes` when `truncate` is set.
 * @param field Content-Encoding, its lines joined by commas
 */
export async function decode(
  body: Uint8Array,
  field: string,
  options: DecodeOptions,
): Promise<DecodedBody | Refusal> {
  let decoded: DecodedBody = { ok: true, bytes: body, truncated: options.partial };
  const codings = codingsOf(field.slice(0, 1_024));
  if (body.length === 0 || codings.length === 0) return decoded;
  if (codings.length > MAX_CODINGS)
    return refusal("protocol_error", `the body is coded ${codings.length} times (Content-Encoding)`);
  for (const coding of codings.reverse()) {
    const undone = await undo(decoded.bytes, coding, { ...options, partial: decoded.truncated });
    if (!undone.ok) return undone;
    decoded = undone;
  }
  return decoded;
}

/** No content codings, though servers write them beside bodies without one (charsets, transfer encodings): browsers read on. */
const UNCODED = new Set(["", "identity", "none", "utf-8", "utf8", "iso-8859-1", "binary", "7bit", "8bit"]);

/** Codings in the order in which they were applied; identity is none (RFC 9110 section 8.4.1). */
const codingsOf = (field: string): string[] =>
  field
    .split(",")
    .map((name) => name.trim().toLowerCase())
    .filter((name) => !UNCODED.has(name));

async function undo(
  body: Uint8Array,
  coding: string,
  options: DecodeOptions,
): Promise<DecodedBody | Refusal> {
  const { partial } = options;
  if (coding === "br") {
    const flush = partial ? { finishFlush: constants.BROTLI_OPERATION_FLUSH } : {};
    return through(createBrotliDecompress(flush), body, coding, options);
  }
  if (coding !== "gzip" && coding !== "x-gzip") {
    const what = coding.slice(0, 40).replace(/[^\w.+-]/g, "?");
    return refusal(
      "protocol_error",
      `the body has the content coding ${what}, which was not asked for: send ${ACCEPT_ENCODING} or none`,
    );
  }
  const flush = partial ? { finishFlush: constants.Z_SYNC_FLUSH } : {};
  const unzipped = await through(createGunzip(flush), body, coding, options);
  if (unzipped.ok || !unzipped.endsEarly) return unzipped;
  // Without its trailer (a length and a checksum) the data may be whole all the same: browsers and curl read it.
  const start = endOfGzipHeader(body);
  if (start === undefined) return unzipped;
  const inflated = await through(createInflateRaw(), body.subarray(start), coding, options);
  return inflated.ok || inflated.failure === "body_too_large" ? inflated : unzipped;
}

function through(
  decoder: Transform,
  body: Uint8Array,
  coding: string,
  { maxBytes, truncate, partial, signal }: DecodeOptions,
): Promise<DecodedBody | (Refusal & { endsEarly?: boolean })> {
  return new Promise((resolve) => {
    const chunks: Uint8Array[] = [];
    let size = 0;
    const settle = (result: DecodedBody | (Refusal & { endsEarly?: boolean })) => {
      signal.removeEventListener("abort", onAbort);
      decoder.destroy();
      resolve(result);
    };
    const onAbort = () => settle(refusal("aborted", "stopped while decoding"));
    const finish = (truncated: boolean) =>
      settle({ ok: true, bytes: Buffer.concat(chunks).subarray(0, maxBytes), truncated });
    decoder.on("data", (chunk: Buffer) => {
      chunks.push(chunk);
      size += chunk.length;
      if (size <= maxBytes) return;
      if (truncate) finish(true);
      else settle(refusal("body_too_large", `decodes to more than ${maxBytes} bytes`));
    });
    decoder.on("end", () => finish(partial));
    decoder.on("error", (error: NodeJS.ErrnoException) => {
      const detail = `the body is not what its content coding ${coding} says: ${error.message}`;
      settle({ ...refusal("protocol_error", detail), endsEarly: error.code === "Z_BUF_ERROR" });
    });
    signal.addEventListener("abort", onAbort, { once: true });
    if (signal.aborted) return onAbort();
    decoder.end(body);
  });
}

/** Where the data of a gzip member begins (RFC 1952 section 2.3), or undefined when this is none. */
function endOfGzipHeader(bytes: Uint8Array): number | undefined {
  if (bytes[0] !== 0x1f || bytes[1] !== 0x8b || bytes[2] !== 8) return undefined;
  const flags = bytes[3] ?? 0;
  let at = 10;
  if (flags & FEXTRA) at += 2 + (bytes[at] ?? 0) + 256 * (bytes[at + 1] ?? 0);
  for (const field of [FNAME, FCOMMENT]) {
    if (!(flags & field)) continue;
    const end = bytes.indexOf(0, at);
    if (end === -1) return undefined;
    at = end + 1;
  }
  if (flags & FHCRC) at += 2;
  return at < bytes.length ? at : undefined;
}
