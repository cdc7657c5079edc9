/** JSON with one meaning for every reader (I-JSON, RFC 7493): signed content must not parse differently elsewhere. */

export interface StrictJsonLimits {
  /** Longest document in UTF-8 bytes. Default 65,536. */
  maxBytes?: number;
  /** Deepest nesting of arrays and objects. Default 64. */
  maxDepth?: number;
  /** Most values, those of members and elements; counted before any is made. Default: as many as the bytes hold. */
  maxValues?: number;
}

export type StrictJsonReason =
  | "too_large"
  | "invalid_utf8"
  | "byte_order_mark"
  | "syntax"
  | "too_many_values"
  | "too_deep"
  | "doubled_key"
  | "forbidden_key"
  | "unsafe_number"
  | "lone_surrogate";

/** `offset` counts UTF-16 code units from the start of the text. */
export type StrictJson =
  | { ok: true; value: unknown }
  | { ok: false; reason: StrictJsonReason; offset?: number };

type Defect = { reason: StrictJsonReason; offset: number };

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** The last of the white space, and of the control characters, which the grammar does not let stand elsewhere. */
const SPACE = 0x20;
const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const BACKSLASH = 0x5c;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const MINUS = 0x2d;
const DIGIT_0 = 0x30;
const DIGIT_9 = 0x39;
const PLUS = 0x2b;
const DOT = 0x2e;
const SMALL_E = 0x65;
const CAPITAL_E = 0x45;
/** An escape of half a pair. Over-cautious: `\\ud800` is a backslash and letters. */
const SURROGATE_ESCAPE = /\\u[dD][89a-fA-F]/;

/**
 * Parses one JSON text. Rejects, besides syntax errors: duplicate member names (compared after unescaping), numbers
 * beyond ±(2^53 − 1) in any notation (a double does not represent them exactly), lone surrogates, ill-formed UTF-8, a
 * byte order mark, nesting beyond `maxDepth`, and the name `__proto__` (copying such an object by assignment would
 * change the copy's prototype). Never throws.
 */
export function parseStrictJson(input: string | Uint8Array, limits: StrictJsonLimits = {}): StrictJson {
  const { maxBytes = 65_536, maxDepth = 64, maxValues } = limits;
  const bytes = typeof input === "string" ? Buffer.byteLength(input) : input.length;
  if (bytes > maxBytes) return { ok: false, reason: "too_large" };
  let text: string;
  try {
    text = typeof input === "string" ? input : decoder.decode(input);
  } catch {
    return { ok: false, reason: "invalid_utf8" };
  }
  if (text.startsWith("\uFEFF")) return { ok: false, reason: "byte_order_mark", offset: 0 };
  if (!text.isWellFormed()) return { ok: false, reason: "lone_surrogate" };
  const ends: number[] = [];
  if (maxValues !== undefined && hasMoreValues(text, maxValues, ends))
    return { ok: false, reason: "too_many_values" };
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { ok: false, reason: "syntax" };
  }
  const defect = findDefect(text, maxDepth, ends);
  return defect ? { ok: false, ...defect } : { ok: true, value };
}

/**
 * Whether a text, well-formed or not, has more values than so many: each follows an opening bracket or a comma.
 * @param ends takes where each string ends
 */
function hasMoreValues(text: string, most: number, ends: number[]): boolean {
  let left = most;
  // Of a JSON text: a name and a value each, and the value that the text is.
  const mostStrings = 2 * most + 1;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code <= SPACE) continue;
    if (code === QUOTE) {
      at = endOfString(text, at);
      if (ends.push(at) > mostStrings) return true;
    } else if ((code === COMMA || code === OPEN_ARRAY || code === OPEN_OBJECT) && --left < 0) return true;
  }
  return false;
}

/** Index of the quote that closes the string opened at `start`; the text's length, or more, where none does. */
function endOfString(text: string, start: number): number {
  const end = text.indexOf('"', start + 1);
  if (end < 0) return text.length;
  if (text.charCodeAt(end - 1) !== BACKSLASH) return end;
  // Escapes are passed one by one, and a string that has them is full of them.
  let at = start + 1;
  while (at < text.length) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) return at;
    at += code === BACKSLASH ? 2 : 1;
  }
  return at;
}

/**
 * One pass over a text that JSON.parse has accepted, so the grammar is not checked again: a string is a member name
 * exactly when it is in an object and no colon follows the last brace or comma.
 * @param ends where each string ends, as far as it is known
 */
function findDefect(text: string, maxDepth: number, ends: readonly number[]): Defect | undefined {
  /** One entry per open container: an object's names so far, or null for an array. */
  const open: (Set<string> | null)[] = [];
  let names: Set<string> | null = null;
  /** Meaningless in an array, where names is null. */
  let expectsName = false;
  let strings = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code <= SPACE) continue;
    if (code === QUOTE) {
      const end = ends[strings++] ?? endOfString(text, at);
      const content = text.slice(at + 1, end);
      const isName = names !== null && expectsName;
      // Raw surrogates are paired, as checked above: only an escape can produce a lone one.
      const mayBeLone = SURROGATE_ESCAPE.test(content);
      const isRead = mayBeLone || (isName && content.includes("\\"));
      const string = isRead ? (JSON.parse(text.slice(at, end + 1)) as string) : content;
      if (mayBeLone && !string.isWellFormed()) return { reason: "lone_surrogate", offset: at };
      if (names !== null && isName) {
        if (string === "__proto__") return { reason: "forbidden_key", offset: at };
        if (names.has(string)) return { reason: "doubled_key", offset: at };
        names.add(string);
      }
      at = end;
    } else if (code === COMMA) {
      expectsName = true;
    } else if (code === COLON) {
      expectsName = false;
    } else if (code === OPEN_OBJECT || code === OPEN_ARRAY) {
      if (open.length >= maxDepth) return { reason: "too_deep", offset: at };
      names = code === OPEN_OBJECT ? new Set() : null;
      open.push(names);
      expectsName = true;
    } else if (code === CLOSE_OBJECT || code === CLOSE_ARRAY) {
      open.pop();
      names = open.at(-1) ?? null;
      expectsName = false;
    } else if (code === MINUS || (code >= DIGIT_0 && code <= DIGIT_9)) {
      const end = endOfNumber(text, at);
      if (!(Math.abs(Number(text.slice(at, end))) <= Number.MAX_SAFE_INTEGER)) {
        return { reason: "unsafe_number", offset: at };
      }
      at = end - 1;
    }
  }
  return undefined;
}

/** Index after the last character of the number that starts at `start`. */
function endOfNumber(text: string, start: number): number {
  let at = start + 1;
  // Digits, "." and the parts of an exponent; the grammar lets only a delimiter or white space follow.
  while (at < text.length && isNumeral(text.charCodeAt(at))) at++;
  return at;
}

const isNumeral = (code: number): boolean =>
  (code >= DIGIT_0 && code <= DIGIT_9) ||
  code === MINUS ||
  code === PLUS ||
  code === DOT ||
  code === SMALL_E ||
  code === CAPITAL_E;
