/** How a form's entries are sent: the three encodings of HTML section 4.10.21.8, in the page's own character encoding. */
import { decoderLabel } from "../pages/text-encoding.ts";

/** One name and value of an entry list; `file` marks the empty file of a file input that was left alone. */
export interface FormEntry {
  name: string;
  value: string;
  file?: true;
}

export type Enctype = "application/x-www-form-urlencoded" | "multipart/form-data" | "text/plain";

const MAX_TABLES = 8;
const tables = new Map<string, ReadonlyMap<string, Uint8Array>>();

const UNESCAPED = /[A-Za-z0-9*._-]/;

/** An encoding's name as forms say it in `_charset_` (Encoding standard section 4.2). */
export function encodingName(encoding: string): string {
  if (encoding === "shift_jis") return "Shift_JIS";
  if (encoding === "big5") return "Big5";
  return /^(?:utf-8|iso-|koi8-|euc-|gbk|ibm)/.test(encoding) ? encoding.toUpperCase() : encoding;
}

/** The first encoding that `accept-charset` names and that is known, else the page's (HTML section 4.10.21.5). */
export function pickEncoding(acceptCharset: string | undefined, pageEncoding: string): string {
  for (const label of acceptCharset?.trim().split(/\s+/) ?? []) {
    const encoding = decoderLabel(label);
    if (encoding) return outputEncoding(encoding);
  }
  // The attribute's presence with nothing known in it means UTF-8.
  return acceptCharset?.trim() ? "utf-8" : outputEncoding(pageEncoding);
}

/** Encoding standard section 4.3: forms never go out as UTF-16 or in an encoding that has no encoder. */
export const outputEncoding = (encoding: string): string =>
  /^(?:utf-16|replacement|x-user-defined|iso-2022)/.test(encoding) ? "utf-8" : encoding;

/**
 * A body with its Content-Type.
 * @param boundary of a multipart body: random, so that no value can hold it
 */
export function encodeBody(
  entries: readonly FormEntry[],
  enctype: Enctype,
  encoding: string,
  boundary: string,
): { contentType: string; body: Uint8Array } {
  if (enctype === "multipart/form-data")
    return {
      contentType: `multipart/form-data; boundary=${boundary}`,
      body: multipart(entries, encoding, boundary),
    };
  if (enctype === "text/plain") {
    const text = entries.map(({ name, value }) => `${crlf(name)}=${crlf(value)}\r\n`).join("");
    return { contentType: "text/plain", body: encodeText(text, encoding) };
  }
  return { contentType: enctype, body: Buffer.from(urlencode(entries, encoding)) };
}

/** RFC 7578 with the escapes of HTML section 4.10.21.8: no name or value can end a field early. */
function multipart(entries: readonly FormEntry[], encoding: string, boundary: string): Uint8Array {
  const fieldName = (name: string) =>
    crlf(name).replace(/[\r\n"]/g, (found) => ({ "\r": "%0D", "\n": "%0A", '"': "%22" })[found]!);
  const parts = entries.flatMap(({ name, value, file }) => {
    const head = `--${boundary}\r\nContent-Disposition: form-data; name="`;
    const rest = file ? '"; filename=""\r\nContent-Type: application/octet-stream\r\n\r\n' : '"\r\n\r\n';
    return [
      Buffer.from(head),
      encodeText(fieldName(name), encoding),
      Buffer.from(rest),
      encodeText(file ? "" : crlf(value), encoding),
      Buffer.from("\r\n"),
    ];
  });
  return Buffer.concat([...parts, Buffer.from(`--${boundary}--\r\n`)]);
}

/** Line breaks go out as CRLF (HTML section 4.10.21.4). */
const crlf = (text: string): string => text.replace(/\r\n|\r|\n/g, "\r\n");

/** Text in an encoding; what it does not have is a numeric character reference, as browsers write it. */
export function encodeText(text: string, encoding: string): Uint8Array {
  if (encoding === "utf-8") return new TextEncoder().encode(text);
  const table = tableOf(encoding);
  return Buffer.concat(
    [...text].map((character) => table.get(character) ?? Buffer.from(`&#${character.codePointAt(0)};`)),
  );
}

/** The inverse of a decoder, for encodings of one or two bytes: what TextEncoder, which knows UTF-8 alone, does not give. */
function tableOf(encoding: string): ReadonlyMap<string, Uint8Array> {
  const known = tables.get(encoding);
  if (known) return known;
  const table = new Map<string, Uint8Array>();
  const decoder = new TextDecoder(encoding);
  const note = (bytes: Uint8Array) => {
    const text = decoder.decode(bytes);
    if ([...text].length === 1 && text !== "\ufffd" && !table.has(text)) table.set(text, bytes);
  };
  for (let byte = 0; byte < 256; byte++) note(Uint8Array.of(byte));
  // In single-byte encodings every pair is two characters, and nothing is noted.
  if (/^(?:gbk|gb18030|big5|euc-|shift_jis)/.test(encoding))
    for (let lead = 0x81; lead < 0xff; lead++)
      for (let trail = 0x40; trail < 0xff; trail++) note(Uint8Array.of(lead, trail));
  if (tables.size >= MAX_TABLES) tables.delete(tables.keys().next().value!);
  tables.set(encoding, table);
  return table;
}

/** URL standard section 5.2. */
export const urlencode = (entries: readonly FormEntry[], encoding: string): string =>
  entries
    .map(
      ({ name, value }) => `${percentEncoded(crlf(name), encoding)}=${percentEncoded(crlf(value), encoding)}`,
    )
    .join("&");

function percentEncoded(text: string, encoding: string): string {
  let out = "";
  for (const byte of encodeText(text, encoding)) {
    const character = String.fromCharCode(byte);
    if (byte === 0x20) out += "+";
    else if (UNESCAPED.test(character)) out += character;
    else out += `%${byte.toString(16).toUpperCase().padStart(2, "0")}`;
  }
  return out;
}
