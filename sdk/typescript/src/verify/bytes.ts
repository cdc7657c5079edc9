/** Bytes, their text forms, and hashes: WebCrypto and nothing else. */

/** Bytes that WebCrypto takes: never of a shared buffer. */
export type Bytes = Uint8Array<ArrayBuffer>;

export const utf8 = (text: string): Bytes => new TextEncoder().encode(text);

/** Text of bytes that are UTF-8 and begin with no byte order mark; undefined for others. */
export function textOf(bytes: Bytes): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

export function concat(...parts: readonly Uint8Array[]): Bytes {
  const all = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

export const isSame = (a: Uint8Array, b: Uint8Array): boolean =>
  a.length === b.length && a.every((byte, i) => byte === b[i]);

export const hex = (bytes: Uint8Array): string =>
  Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");

/** Standard base64 with padding, read strictly: encoded again it gives the same text. */
export function fromBase64(text: unknown): Bytes | undefined {
  const bytes = typeof text === "string" ? decoded(text) : undefined;
  return bytes && encodeBase64(bytes) === text ? bytes : undefined;
}

function decoded(text: string): Bytes | undefined {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch {
    return undefined;
  }
}

export const encodeBase64 = (bytes: Uint8Array): string =>
  btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));

/** base64url without padding, read strictly. */
export function fromBase64Url(text: unknown): Bytes | undefined {
  if (typeof text !== "string" || text.includes("=")) return undefined;
  const bytes = decoded(text.replaceAll("-", "+").replaceAll("_", "/"));
  return bytes && encodeBase64Url(bytes) === text ? bytes : undefined;
}

export const encodeBase64Url = (bytes: Uint8Array): string =>
  encodeBase64(bytes).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");

export const sha256 = async (bytes: Bytes): Promise<Bytes> =>
  new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
