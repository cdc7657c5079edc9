/** How the bytes of a fetched body are read as text. */

/** Bytes in which an HTML page must name its encoding (HTML section 13.2.3.2). */
const PRESCAN_BYTES = 1_024;

/**
 * The encoding of a body: that of its byte order mark, else the charset of `contentType`, else (for HTML, or a body of
 * unknown type) the one that a meta element near its start names, else UTF-8. Unknown encodings count as not named.
 * @returns a name that TextDecoder knows
 */
export function encodingOf(bytes: Uint8Array, contentType: string): string {
  const type = contentType.toLowerCase();
  return (
    markOf(bytes) ??
    decoderLabel(/;\s*charset\s*=\s*"?\s*([^\s";,]+)/.exec(type)?.[1]) ??
    (type.trim() === "" || type.includes("html") ? prescan(bytes) : undefined) ??
    "utf-8"
  );
}

/** A body as text, in its encoding; bytes that do not fit become U+FFFD. */
export function decodeBody(bytes: Uint8Array, contentType: string): string {
  return new TextDecoder(encodingOf(bytes, contentType)).decode(bytes);
}

function markOf(bytes: Uint8Array): string | undefined {
  const [a, b, c] = bytes;
  if (a === 0xef && b === 0xbb && c === 0xbf) return "utf-8";
  if (a === 0xfe && b === 0xff) return "utf-16be";
  return a === 0xff && b === 0xfe ? "utf-16le" : undefined;
}

function prescan(bytes: Uint8Array): string | undefined {
  const start = Buffer.from(bytes.subarray(0, PRESCAN_BYTES)).toString("latin1").toLowerCase();
  const label = decoderLabel(/<meta\s[^>]{0,512}?charset\s*=\s*["']?\s*([^\s"'/>;]+)/.exec(start)?.[1]);
  // Whoever can be read byte by byte this far does not write UTF-16.
  return label?.startsWith("utf-16") ? "utf-8" : label;
}

/** The encoding that a label names, or undefined when TextDecoder does not know it. */
export function decoderLabel(label: string | undefined): string | undefined {
  if (label === undefined) return undefined;
  try {
    return new TextDecoder(label).encoding;
  } catch {
    return undefined;
  }
}
