/**
 * Untrusted web addresses: from requests, pages, records and redirects. The WHATWG URL parser accepts hosts that cannot
 * be DNS names (`http://a*b/`, `http://a..b/`); a host accepted here can be resolved, and serves as a key.
 */
import { isIP } from "node:net";

/** Longest accepted address, in characters after serialization. RFC 9110 section 4.1 asks for at least 8,000. */
export const MAX_ADDRESS = 8_192;

export type WebAddress =
  | { ok: true; url: URL }
  | { ok: false; reason: "too_long" | "not_a_url" | "not_http" | "not_a_host"; detail: string };

/**
 * An absolute http or https address, or one relative to `base`. Its host is an IP address or a resolvable name, without
 * a final dot, so that a host has one key. Never throws.
 */
export function parseWebAddress(text: string, base?: URL): WebAddress {
  const refuse = (reason: (WebAddress & { ok: false })["reason"], detail: string): WebAddress => ({
    ok: false,
    reason,
    detail,
  });
  if (text.length > MAX_ADDRESS) return refuse("too_long", `longer than ${MAX_ADDRESS} characters`);
  const url = URL.parse(text, base?.href);
  if (url === null) return refuse("not_a_url", "not a URL");
  if (url.protocol !== "http:" && url.protocol !== "https:")
    return refuse("not_http", `${url.protocol} is not http: or https:`);
  if (url.href.length > MAX_ADDRESS) return refuse("too_long", `longer than ${MAX_ADDRESS} characters`);
  // One final dot makes a name absolute in DNS; certificates and SNI are written without it (RFC 6066 section 3).
  if (url.hostname.endsWith(".")) url.hostname = url.hostname.slice(0, -1);
  const host = bareHost(url.hostname);
  if (isIP(host) === 0 && !isLookupName(host)) return refuse("not_a_host", "the host is not a DNS name");
  return { ok: true, url };
}

/** A URL's host without brackets: an IP address or a name. */
export const bareHost = (hostname: string): string =>
  hostname.startsWith("[") ? hostname.slice(1, -1) : hostname;

/** Letters, digits, hyphens, and underscores, which occur in practice; lengths of RFC 1035 section 2.3.4. */
const isLookupName = (host: string): boolean =>
  host.length <= 253 && /^[a-z0-9_-]{1,63}(?:\.[a-z0-9_-]{1,63})*$/.test(host);
