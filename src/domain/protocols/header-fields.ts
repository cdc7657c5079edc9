/** Single-pass parsers for header fields with lists or parameters. */

const isBlank = (char: string | undefined): boolean => char === " " || char === "\t";

/** White space as in `\s`. */
const isSpace = (char: string | undefined): boolean => char !== undefined && char.trim() === "";

/** Index of the first character from `from` on that is not a space or tab. */
const skipBlanks = (field: string, from: number): number => {
  let at = from;
  while (isBlank(field[at])) at++;
  return at;
};

/** The same for any white space. */
const skipSpaces = (field: string, from: number): number => {
  let at = from;
  while (isSpace(field[at])) at++;
  return at;
};

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
 * Index of the closing quote of a quoted string (RFC 9110 section 5.6.4), or -1. @param open index of the opening quote
 */
const closingQuote = (field: string, open: number): number => {
  let at = open + 1;
  while (at < field.length && field[at] !== '"') at += field[at] === "\\" ? 2 : 1;
  return at < field.length ? at : -1;
};

/** Index of the semicolon after a parameter, or of the field's end. @param value index of its value */
const endOfParameter = (field: string, value: number): number => {
  // At most one quote of a field is unclosed, so no search repeats.
  const close = field[value] === '"' ? closingQuote(field, value) : -1;
  const end = field.indexOf(";", close === -1 ? value : close);
  return end === -1 ? field.length : end;
};

/** What ends a cookie's name, or cannot be in it. */
const endsName = (char: string): boolean => char === ";" || char === "," || char === "=" || isSpace(char);

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

/**
 * The charset that a Content-Type field names (RFC 9110 sections 5.6.6 and 8.3.2), as written: the first non-empty one.
 * Tolerates spaces around `=` and inside the quotes, and an unclosed quote: servers send them.
 */
export function charsetOf(contentType: string): string | undefined {
  let semicolon = contentType.indexOf(";");
  while (semicolon !== -1 && semicolon < contentType.length) {
    let at = semicolon + 1;
    while (at < contentType.length && contentType[at] !== "=" && contentType[at] !== ";") at++;
    if (contentType[at] !== "=") {
      semicolon = at;
      continue;
    }
    const value = skipSpaces(contentType, at + 1);
    const end = endOfParameter(contentType, value);
    if (
      contentType
        .slice(semicolon + 1, at)
        .trim()
        .toLowerCase() === "charset"
    ) {
      const label = firstToken(contentType, value, end);
      if (label !== "") return label;
    }
    semicolon = end;
  }
  return undefined;
}

/** The text up to white space, a quote or a delimiter, after an optional opening quote. */
const firstToken = (field: string, from: number, to: number): string => {
  const start = field[from] === '"' ? skipSpaces(field, from + 1) : from;
  let end = start;
  while (end < to && !isSpace(field[end]!) && field[end] !== '"' && field[end] !== ",") end++;
  return field.slice(start, end);
};
