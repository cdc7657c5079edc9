/** Strict decoders for base64url without padding (RFC 4648 section 5, RFC 7515 section 2) and base64 with padding. */

export const encodeBase64Url = (data: Uint8Array | string): string =>
  (typeof data === "string" ? Buffer.from(data, "utf8") : view(data)).toString("base64url");

const view = (bytes: Uint8Array): Buffer => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);

/**
 * The bytes of `text`, or undefined if it is not their canonical encoding: padding, white space, the other alphabet and
 * stray trailing bits would make signatures malleable.
 */
export function decodeBase64Url(text: string): Uint8Array | undefined {
  const bytes = Buffer.from(text, "base64url");
  return bytes.toString("base64url") === text ? bytes : undefined;
}

/** Strict standard base64 with padding (RFC 4648 section 4), as in signed notes and proofs. */
export function decodeBase64(text: string): Uint8Array | undefined {
  const bytes = Buffer.from(text, "base64");
  return bytes.toString("base64") === text ? bytes : undefined;
}

/** A text without trailing `=`. */
export function withoutPadding(text: string): string {
  let end = text.length;
  while (text[end - 1] === "=") end--;
  return text.slice(0, end);
}
