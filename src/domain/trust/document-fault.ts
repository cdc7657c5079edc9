/** Why bytes cannot be read as a discovery document, in words for who publishes it. Pure. */
import type { StrictJsonReason } from "../protocols/strict-json.ts";

/** How much of the beginning is looked at. */
const BEGINNING_BYTES = 1_024;

const SAYS: Record<StrictJsonReason, string> = {
  syntax: "the text is not JSON",
  invalid_utf8: "the document is not UTF-8: save it as UTF-8",
  too_large: "the document is longer than is read",
  byte_order_mark:
    "the document begins with a byte order mark (U+FEFF): save it as UTF-8 without one (RFC 8259 section 8.1)",
  too_many_values: "it has too many values",
  too_deep: "its objects and lists are nested too deep",
  doubled_key: "a member stands there twice",
  forbidden_key: "no member may be called __proto__",
  unsafe_number: "a number is beyond 2^53 - 1, which not every reader keeps exactly: write it as a string",
  lone_surrogate: "an escape \\uD800 to \\uDFFF is half a character",
};

/**
 * The code of the fault, and a sentence that says what to mend. No word of it is the site's.
 * @param offset UTF-16 units from the start of the text
 */
export function documentFault(bytes: Uint8Array, reason: StrictJsonReason, offset?: number): string {
  const at = offset === undefined || reason === "byte_order_mark" ? "" : ` (at character ${offset})`;
  const says =
    insteadOf(bytes) ?? (isUtf16(bytes) ? "the document is UTF-16: save it as UTF-8" : SAYS[reason]);
  return `${reason}: ${says}${at}`;
}

/** What stands there instead of a JSON object, by how it begins; undefined when nothing tells. */
function insteadOf(bytes: Uint8Array): string | undefined {
  const beginning = Buffer.from(bytes.subarray(0, BEGINNING_BYTES)).toString("latin1");
  const text = beginning.replace(/^\xef\xbb\xbf/, "").trimStart();
  if (text === "") return "the server answers with an empty body";
  if (/^-----BEGIN [A-Z ]*PRIVATE KEY-----/.test(text))
    return "the server publishes a private key: take it down, make a new key, and publish the signed document in its place";
  if (text.startsWith("-----BEGIN "))
    return "the server answers with a key or certificate, not with the document";
  if (/^v\s*=\s*BRIDGE1/i.test(text)) return "the server answers with the TXT record, which belongs into DNS";
  if (text.startsWith("<?php")) return "the server answers with a program's text: PHP does not run there";
  if (/^<\?xml(?!.*<html)/is.test(text)) return "the server answers with XML, not with the JSON document";
  if (text.startsWith("<"))
    return "the server answers with a web page (HTML), as it may for every path that it does not know: publish the JSON document at this path";
  return undefined;
}

/** UTF-16 shows by its mark, or by zeros beside the first brace. */
const isUtf16 = ([a, b]: Uint8Array): boolean =>
  (a === 0xff && b === 0xfe) ||
  (a === 0xfe && b === 0xff) ||
  (a === 0 && b === 0x7b) ||
  (a === 0x7b && b === 0);
