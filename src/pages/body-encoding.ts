/** How the bytes of a fetched body are read as text. */
import { mediaTypeOf } from "../domain/protocols/header-fields.ts";
import { metaEncoding, xmlEncoding } from "./meta-charset.ts";
import { byteOrderMark, decoderLabel } from "./text-encoding.ts";

/** A body as text, in its encoding; bytes that do not fit become U+FFFD. */
export function decodeBody(bytes: Uint8Array, contentType: string): string {
  return new TextDecoder(encodingOf(bytes, contentType)).decode(bytes);
}

/**
 * The encoding of a body, as browsers have it (HTML section 13.2.3.2): that of its byte order mark, else the charset of `contentType`,
 * else, for HTML or a body of unknown type, the one that it names itself, else UTF-8. Unknown encodings count as not named.
 * @returns a name that TextDecoder knows
 */
export function encodingOf(bytes: Uint8Array, contentType: string): string {
  const type = mediaTypeOf(contentType);
  return (
    byteOrderMark(bytes) ??
    decoderLabel(type?.charset) ??
    namedWithin(bytes, type?.essence ?? "text/html") ??
    "utf-8"
  );
}

function namedWithin(bytes: Uint8Array, essence: string): string | undefined {
  const isXml = /[+/]xml$/.test(essence);
  if (!isXml && essence !== "text/html") return undefined;
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("latin1");
  return (isXml ? undefined : metaEncoding(text)) ?? xmlEncoding(text);
}
