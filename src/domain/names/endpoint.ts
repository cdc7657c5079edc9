/** Where a site says that it is: the origin of its record. */

const MAX_ENDPOINT_LENGTH = 512;

/** A valid endpoint of a record: https, any port, no credentials, query or fragment. */
export function parseEndpoint(text: string): { ok: true; url: URL } | { ok: false; reason: string } {
  if (text.length > MAX_ENDPOINT_LENGTH) {
    return { ok: false, reason: `is longer than ${MAX_ENDPOINT_LENGTH} characters` };
  }
  const url = URL.parse(text);
  if (url === null) return { ok: false, reason: "is not an absolute address" };
  if (url.protocol !== "https:") return { ok: false, reason: "is not https" };
  // The URL parser drops tabs and reads "\\" as "/", so two parsers could see two hosts.
  if (!/^https:\/\/[^\s\\]+$/i.test(text)) return { ok: false, reason: "is not written https://host" };
  if (url.username !== "" || url.password !== "") return { ok: false, reason: "contains credentials" };
  // Not url.search, which is empty for "?" alone.
  if (/[?#]/.test(text)) return { ok: false, reason: "contains a query or fragment" };
  return { ok: true, url };
}
