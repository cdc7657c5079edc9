/**
 * Removes credentials and mail addresses from text that leaves the process as a log line or as an attribute of a span.
 * What it is given may be a stranger's, so every step looks at each character a bounded number of times.
 */

/** Stands in place of what was removed. */
export const REDACTED = "[redacted]";

/**
 * Names whose value is a secret, as in queries (`api_key=`), JSON (`"token":`) and header fields (`Authorization:`),
 * percent-encoded too.
 */
const NAMED =
  /(api[_-]?key|bridge[_-]key|token|secret|password|passwd|licen[cs]e|licen[cs]e[_-]key|confirm|authorization|set-cookie|cookie|credential|trust-signature)(?:[\\"']|%2[27]){0,4}\s{0,2}(?:[:=]|%3[AD])\s{0,2}(?:[\\"']|%2[27]){0,4}/gi;
/** Of these the whole field is the secret, spaces and separators included. */
const WHOLE_FIELD = /^(?:authorization|set-cookie|cookie)/i;
const SCHEME = /\b(?:bearer|basic)\s{1,3}/gi;
/** White space, quotes, `&`, `,`, `;`, `)`, `}`, `<`, `>`, `#`, backslash. */
const VALUE_ENDS = new Set([..." \t\n\r\"'&,;)}<>#\\"].map((each) => each.charCodeAt(0)));

const MAX_LOCAL = 64;
const MAX_USER_INFO = 1_024;
const AT_SIGN = /@|%40/g;
/** What ends the authority of an address (RFC 3986 section 3.2), or cannot stand in one. */
const NOT_USER_INFO = /[\s/?#"]/;

const OPAQUE_LENGTH = 24;

/**
 * The text without credentials and mail addresses. Idempotent; linear in the length of the text.
 * @param text a log line, or one value
 */
export function redact(text: string): string {
  const named = withoutValues(text, NAMED, (name, from) =>
    endOf(text, from, WHOLE_FIELD.test(name) ? isFieldEnd : isValueEnd),
  );
  const bearers = withoutValues(named, SCHEME, (_, from) => endOf(named, from, isValueEnd));
  return withoutOpaqueRuns(withoutAtSigns(bearers));
}

/** Replaces what follows each match of `head` by a mark. */
function withoutValues(
  text: string,
  head: RegExp,
  endAfter: (match: string, from: number) => number,
): string {
  let kept = "";
  let from = 0;
  for (const match of text.matchAll(head)) {
    const begin = match.index + match[0].length;
    // Within a value that is gone already.
    if (begin <= from || match.index < from) continue;
    const end = endAfter(match[0], begin);
    if (end === begin) continue;
    kept += text.slice(from, begin) + REDACTED;
    from = end;
  }
  return from === 0 ? text : kept + text.slice(from);
}

function endOf(text: string, from: number, isEnd: (code: number) => boolean): number {
  let at = from;
  while (at < text.length && !isEnd(text.charCodeAt(at))) at++;
  return at;
}

const isFieldEnd = (code: number): boolean => code === 34 || code === 10 || code === 13;
const isValueEnd = (code: number): boolean => VALUE_ENDS.has(code);

/**
 * Runs of base64url of 24 characters and more that mix digits and both cases: keys, tokens and the parts of a JWS, wherever
 * they stand. Identifiers of ours (UUID, digests in hexadecimal, trace ids) are lower case alone and stay.
 */
function withoutOpaqueRuns(text: string): string {
  let kept = "";
  let from = 0;
  let start = 0;
  for (let at = 0; at <= text.length; at++) {
    const code = at < text.length ? text.charCodeAt(at) : 0;
    if (isAlphanumeric(code) || code === 45 || code === 95) continue;
    if (at - start >= OPAQUE_LENGTH && isOpaque(text.slice(start, at))) {
      kept += text.slice(from, start) + REDACTED;
      from = at;
    }
    start = at + 1;
  }
  return from === 0 ? text : kept + text.slice(from);
}

const isAlphanumeric = (code: number): boolean =>
  (code >= 48 && code <= 57) || (code >= 65 && code <= 90) || (code >= 97 && code <= 122);

const isOpaque = (run: string): boolean => /\d/.test(run) && /[a-z]/.test(run) && /[A-Z]/.test(run);

/** `user:password@` of addresses, and mail addresses; `%40` is an at sign too. */
function withoutAtSigns(text: string): string {
  let kept = "";
  let from = 0;
  const authorityOf = authorities(text);
  for (const { index: sign, 0: at } of text.matchAll(AT_SIGN)) {
    if (sign < from) continue;
    const after = sign + at.length;
    const authority = authorityOf(sign, from);
    let start = authority ?? sign;
    while (
      authority === undefined &&
      start > from &&
      sign - start < MAX_LOCAL &&
      isLocalPart(text.charCodeAt(start - 1))
    )
      start--;
    const end = authority === undefined ? endOf(text, after, (code) => !isDomainPart(code)) : sign;
    if (start === sign || end === after) continue;
    kept += text.slice(from, start) + REDACTED;
    from = end;
  }
  return from === 0 ? text : kept + text.slice(from);
}

/** Where the authority begins that a place is in, if that can be user information. Asked from left to right. */
function authorities(text: string): (sign: number, from: number) => number | undefined {
  let scheme = text.indexOf("://");
  let next = scheme;
  return (sign, from) => {
    while (next >= 0 && next < sign) {
      scheme = next;
      next = text.indexOf("://", next + 3);
    }
    const begin = scheme + 3;
    if (scheme < 0 || scheme > sign || begin < from || sign - begin > MAX_USER_INFO) return undefined;
    if (!NOT_USER_INFO.test(text.slice(begin, sign))) return begin;
    // Nor is what follows in this authority: it is not looked at again.
    scheme = -1;
    return undefined;
  };
}

/** Characters of the local part of a mail address, percent-encoded ones included (RFC 5322 atoms that occur). */
const isLocalPart = (code: number): boolean =>
  isAlphanumeric(code) || code > 127 || ".!$%*+-_~".includes(String.fromCharCode(code));
const isDomainPart = (code: number): boolean =>
  isAlphanumeric(code) || code === 46 || code === 45 || code > 127;
