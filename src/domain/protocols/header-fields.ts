/** Single-pass parsers for header fields with lists or parameters. */

/** A media type without its parameters, lower case, and the label that it names as charset. */
export interface MediaType {
  readonly essence: string;
  readonly charset: string | undefined;
}

const TYPE = /^[\w!#$%&'*+.^`|~-]+\/[\w!#$%&'*+.^`|~-]+$/;

/**
 * Whether an If-None-Match field matches this tag by weak comparison (RFC 9110 sections 8.8.3.2 and 13.1.2). @param tag
 * strong
 */
export function matchesEntityTag(field: string, tag: string): boolean {
  if (field.trim() === "*") return true;
  for (const one of entityTags(field)) if (one === tag) return true;
  return false;
}

/**
 * The entity tags of an If-None-Match or If-Match field (RFC 9110 section 13.1), without the weakness prefix, with
 * quotes. A comma inside quotes is part of a tag (section 8.8.3). An invalid tag is skipped up to the next comma.
 */
export function* entityTags(field: string): Generator<string> {
  let at = 0;
  while (at < field.length) {
    at = skipBlanks(field, at);
    if (field[at] === ",") {
      at++;
      continue;
    }
    const start = field.startsWith("W/", at) ? at + 2 : at;
    const close = field[start] === '"' ? field.indexOf('"', start + 1) : -1;
    const after = close === -1 ? -1 : skipBlanks(field, close + 1);
    if (after !== -1 && (after === field.length || field[after] === ",")) {
      yield field.slice(start, close + 1);
      at = after;
    } else {
      const comma = field.indexOf(",", close === -1 ? at : close + 1);
      at = comma === -1 ? field.length : comma;
    }
  }
}

/** Index of the first character from `from` on that is not a space or tab. */
function skipBlanks(field: string, from: number): number {
  let at = from;
  while (isBlank(field[at])) at++;
  return at;
}

const isBlank = (char: string | undefined): boolean => char === " " || char === "\t";

/**
 * Set-Cookie field values that were joined with commas: a comma before a name and "=" separates two cookies, one in a
 * date does not. Only for senders that join them; the guarded client gives each field by itself.
 */
export function setCookieFields(joined: string): string[] {
  const fields: string[] = [];
  let start = 0;
  for (let comma = joined.indexOf(","); comma !== -1; comma = joined.indexOf(",", comma + 1)) {
    const name = skipSpaces(joined, comma + 1);
    let end = name;
    while (end < joined.length && !endsName(joined[end]!)) end++;
    if (end === name || joined[end] !== "=") continue;
    fields.push(joined.slice(start, comma));
    start = name;
  }
  fields.push(joined.slice(start));
  return fields;
}

/** The same for any white space. */
function skipSpaces(field: string, from: number): number {
  let at = from;
  while (isSpace(field[at])) at++;
  return at;
}

/** White space as in `\s`. */
const isSpace = (char: string | undefined): boolean => char !== undefined && char.trim() === "";

/** What ends a cookie's name, or cannot be in it. */
const endsName = (char: string): boolean => char === ";" || char === "," || char === "=" || isSpace(char);

/** The charset that a Content-Type field names, as written. */
export const charsetOf = (contentType: string): string | undefined => mediaTypeOf(contentType)?.charset;

/**
 * The media type of a Content-Type field, its lines joined by commas, as browsers read it (Fetch section 2.2.2, "extract a MIME type"; MIME
 * Sniffing section 4.4): the last valid one, which keeps the charset of one before it of the same kind. Undefined without any.
 */
export function mediaTypeOf(contentType: string): MediaType | undefined {
  let last: MediaType | undefined;
  for (let at = 0; at < contentType.length; ) {
    const end = endOfPart(contentType, at, ",");
    const type = oneMediaType(contentType.slice(at, end));
    const kept = type?.essence === last?.essence ? last?.charset : undefined;
    if (type) last = { essence: type.essence, charset: type.charset ?? kept };
    at = end + 1;
  }
  return last;
}

/** Index of the mark that ends a part of a field, marks in quotes left out, or the field's length. */
function endOfPart(field: string, from: number, mark: "," | ";"): number {
  let at = from;
  while (at < field.length && field[at] !== mark) {
    // A quote that nothing closes holds the rest.
    const close = field[at] === '"' ? closingQuote(field, at) : at;
    at = close === -1 ? field.length : close + 1;
  }
  return at;
}

/**
 * Index of the closing quote of a quoted string (RFC 9110 section 5.6.4), or -1. @param open index of the opening quote
 */
function closingQuote(field: string, open: number): number {
  let at = open + 1;
  while (at < field.length && field[at] !== '"') at += field[at] === "\\" ? 2 : 1;
  return at < field.length ? at : -1;
}

function oneMediaType(text: string): MediaType | undefined {
  let end = endOfPart(text, 0, ";");
  const essence = text.slice(0, end).trim().toLowerCase();
  if (!TYPE.test(essence) || essence === "*/*") return undefined;
  while (end < text.length) {
    const from = skipSpaces(text, end + 1);
    end = endOfPart(text, from, ";");
    const equals = text.indexOf("=", from);
    if (equals === -1) break;
    if (equals - from !== "charset".length || text.slice(from, equals).toLowerCase() !== "charset") continue;
    const value = text.slice(equals + 1, end);
    const isQuoted = value.startsWith('"');
    // The first counts, an empty one in quotes too; one without quotes that is empty is none.
    if (isQuoted || value.trim() !== "")
      return { essence, charset: isQuoted ? unquoted(value) : value.trim() };
  }
  return { essence, charset: undefined };
}

/** What a quoted string says, its end or its closing quote missing or not. */
function unquoted(value: string): string {
  const close = closingQuote(value, 0);
  return value.slice(1, close === -1 ? value.length : close).replace(/\\(.)/g, "$1");
}
