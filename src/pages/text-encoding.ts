/** How bytes are read as text that names no encoding within itself. Nothing of a page is parsed here. */
import { mediaTypeOf } from "../domain/protocols/header-fields.ts";

export const MAX_LABEL_CHARS = 64;

/** A body that names nothing within itself, as robots.txt: by its mark or `contentType`, else UTF-8. */
export function decodeText(bytes: Uint8Array, contentType: string): string {
  const label = byteOrderMark(bytes) ?? decoderLabel(mediaTypeOf(contentType)?.charset);
  return new TextDecoder(label).decode(bytes);
}

/** The encoding that a byte order mark names. */
export function byteOrderMark([a, b, c]: Uint8Array): string | undefined {
  if (a === 0xef && b === 0xbb && c === 0xbf) return "utf-8";
  if (a === 0xfe && b === 0xff) return "utf-16be";
  return a === 0xff && b === 0xfe ? "utf-16le" : undefined;
}

/** The encoding that a label names (Encoding standard section 4.2), or undefined when TextDecoder does not know it. */
export function decoderLabel(label: string | undefined): string | undefined {
  if (label === undefined || label.length > MAX_LABEL_CHARS) return undefined;
  try {
    return new TextDecoder(label).encoding;
  } catch {
    return undefined;
  }
}
