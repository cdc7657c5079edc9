/** How the bytes of a fetched body are read as text. */
import { charsetOf } from "../domain/protocols/header-fields.ts";

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
    decoderLabel(charsetOf(type)) ??
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
  const label = decoderLabel(metaCharset(start));
  // Whoever can be read byte by byte this far does not write UTF-16.
  return label?.startsWith("utf-16") ? "utf-8" : label;
}

/** A meta element begins, any tag ends, or a charset is named. */
const META_CHARSET = /<meta\s|>|charset\s*=\s*(?:["']\s*)?([^\s"'/>;]+)/g;
/** Characters between the name of a meta element and its charset. */
const MAX_META_CHARS = 512;

/** The first charset that is named inside a meta element's tag. @param html lower case */
function metaCharset(html: string): string | undefined {
  let inside: number | undefined;
  META_CHARSET.lastIndex = 0;
  for (let found = META_CHARSET.exec(html); found; found = META_CHARSET.exec(html)) {
    const [text, label] = found;
    if (label === undefined) inside = text === ">" ? undefined : META_CHARSET.lastIndex;
    else if (inside !== undefined && found.index - inside <= MAX_META_CHARS) return label;
    // A label may hold the beginning of a meta element.
    else META_CHARSET.lastIndex = found.index + "charset".length;
  }
  return undefined;
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
