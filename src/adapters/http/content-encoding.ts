/** Undoes Content-Encoding (RFC 9110 section 8.4) with a bound on what comes out. */
import { constants, createBrotliDecompress, createGunzip } from "node:zlib";
import { type Refusal, refusal } from "./stop.ts";

/** What requests offer. */
export const ACCEPT_ENCODING = "gzip, br";

export interface Decoded {
  ok: true;
  bytes: Uint8Array;
  truncated: boolean;
}

/**
 * Decodes a body that was received whole, or, with `partial`, one that was cut off. Stops as soon as more than
 * `maxBytes` came out: "body_too_large", or the first `maxBytes` when `truncate` is set.
 */
export function decode(
  body: Uint8Array,
  encoding: string,
  options: { maxBytes: number; truncate: boolean; partial: boolean; signal: AbortSignal },
): Promise<Decoded | Refusal> {
  const name = encoding.trim().toLowerCase();
  if (body.length === 0 || name === "" || name === "identity") {
    return Promise.resolve({ ok: true, bytes: body, truncated: options.partial });
  }
  const decoder =
    name === "gzip" || name === "x-gzip"
      ? createGunzip(options.partial ? { finishFlush: constants.Z_SYNC_FLUSH } : {})
      : name === "br"
        ? createBrotliDecompress(options.partial ? { finishFlush: constants.BROTLI_OPERATION_FLUSH } : {})
        : undefined;
  if (decoder === undefined) {
    return Promise.resolve(refusal("protocol_error", "a content coding that was not asked for"));
  }
  return new Promise((resolve) => {
    const chunks: Uint8Array[] = [];
    let size = 0;
    const settle = (result: Decoded | Refusal) => {
      options.signal.removeEventListener("abort", onAbort);
      decoder.destroy();
      resolve(result);
    };
    const onAbort = () => settle(refusal("aborted", "stopped while decoding"));
    const finish = (truncated: boolean) =>
      settle({ ok: true, bytes: Buffer.concat(chunks).subarray(0, options.maxBytes), truncated });
    decoder.on("data", (chunk: Buffer) => {
      chunks.push(chunk);
      size += chunk.length;
      if (size <= options.maxBytes) return;
      if (options.truncate) finish(true);
      else settle(refusal("body_too_large", `decodes to more than ${options.maxBytes} bytes`));
    });
    decoder.on("end", () => finish(options.partial));
    decoder.on("error", (error) =>
      settle(refusal("protocol_error", `cannot decode ${name}: ${error.message}`)),
    );
    options.signal.addEventListener("abort", onAbort, { once: true });
    if (options.signal.aborted) return onAbort();
    decoder.end(body);
  });
}
