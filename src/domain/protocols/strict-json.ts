/** JSON with one meaning for every reader (I-JSON, RFC 7493): signed content must not parse differently elsewhere. */

export interface StrictJsonLimits {
  /** Longest document in UTF-8 bytes. Default 65,536. */
  maxBytes?: number;
  /** Deepest nesting of arrays and objects. Default 64. */
  maxDepth?: number;
}

export type StrictJsonReason =
  | "too_large"
  | "invalid_utf8"
  | "byte_order_mark"
  | "syntax"
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

/**
 * Parses one JSON text. Rejects, besides syntax errors: duplicate member names (compared after unescaping), numbers
 * beyond ±(2^53 − 1) in any notation (a double does not represent them exactly), lone surrogates, ill-formed UTF-8, a
 * byte order mark, nesting beyond `maxDepth`, and the name `__proto__` (copying such an object by assignment would
 * change the copy's prototype). Never throws.
 */
export function parseStrictJson(input: string | Uint8Array, limits: StrictJsonLimits = {}): StrictJson {
  const { maxBytes = 65_536, maxDepth = 64 } = limits;
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
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { ok: false, reason: "syntax" };
  }
  const defect = findDefect(text, maxDepth);
  return defect ? { ok: false, ...defect } : { ok: true, value };
}

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

/**
 * One pass over a text that JSON.parse has accepted, so the grammar is not checked again: a string is a member name
 * exactly when it is in an object and no colon follows the last brace or comma.
 */
function findDefect(text: string, maxDepth: number): Defect | undefined {
  /** One entry per open container: an object's names so far, or null for an array. */
  const open: (Set<string> | null)[] = [];
  let names: Set<string> | null = null;
  /** Meaningless in an array, where names is null. */
  let expectsName = false;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) {
      const end = endOfString(text, at);
      const content = text.slice(at + 1, end);
      const string = content.includes("\\") ? (JSON.parse(text.slice(at, end + 1)) as string) : content;
      // Raw surrogates are paired, as checked above: only an escape can produce a lone one.
      if (string !== content && !string.isWellFormed()) return { reason: "lone_surrogate", offset: at };
      if (names !== null && expectsName) {
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

/** Index of the quote that closes the string opened at `start`. */
function endOfString(text: string, start: number): number {
  let at = start + 1;
  for (let code = text.charCodeAt(at); code !== QUOTE; code = text.charCodeAt(at)) {
    at += code === BACKSLASH ? 2 : 1;
  }
  return at;
}

/** Index after the last character of the number that starts at `start`. */
function endOfNumber(text: string, start: number): number {
  let at = start + 1;
  // Digits, "." and the parts of an exponent; the grammar lets only a delimiter or white space follow.
  while (at < text.length && /[0-9.eE+-]/.test(text[at]!)) at++;
  return at;
}
