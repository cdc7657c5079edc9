/** What may be asked for at all, and which of a name's addresses may be connected to: decisions without I/O. */
import { isIP } from "node:net";
import { type Allowance, isAllowedPort, isPublicAddress } from "../../domain/address.ts";
import type { FetchFailure } from "../../ports.ts";

/** Longest URL taken, characters after serialisation. RFC 9110 section 4.1 asks for at least 8,000. */
const MAX_URL = 8_192;

export interface Refusal {
  ok: false;
  failure: FetchFailure;
  detail: string;
}

export interface Target {
  ok: true;
  url: URL;
  secure: boolean;
  /** For the Host header, SNI and certificate check. No brackets, no final dot. */
  host: string;
  /** Whether `host` is an address already, which is never looked up. */
  literal: boolean;
  port: number;
}

export const refusal = (failure: FetchFailure, detail: string): Refusal => ({ ok: false, failure, detail });

/** Parses a URL, against `base` for a Location field, and refuses what needs no look-up to be refused. */
export function parseTarget(text: string, allow: readonly Allowance[], base?: URL): Target | Refusal {
  if (text.length > MAX_URL) return refusal("invalid_url", `longer than ${MAX_URL} characters`);
  const url = URL.parse(text, base?.href);
  if (url === null) return refusal("invalid_url", "not a URL");
  if (url.protocol !== "http:" && url.protocol !== "https:") {
    return refusal("refused_scheme", `${url.protocol} is not http: or https:`);
  }
  if (url.username !== "" || url.password !== "") {
    return refusal("refused_credentials", "the URL carries a user name or a password");
  }
  url.hash = "";
  if (url.href.length > MAX_URL) return refusal("invalid_url", `longer than ${MAX_URL} characters`);
  // One final dot makes a name absolute in DNS; certificates and SNI are written without it (RFC 6066 section 3).
  if (url.hostname.endsWith(".")) url.hostname = url.hostname.slice(0, -1);

  const host = url.hostname.startsWith("[") ? url.hostname.slice(1, -1) : url.hostname;
  const literal = isIP(host) !== 0;
  if (!literal && !isLookupName(host)) return refusal("invalid_url", "the host is not a DNS name");

  const secure = url.protocol === "https:";
  const port = url.port === "" ? (secure ? 443 : 80) : Number(url.port);
  if (!isAllowedPort(port, allow)) return refusal("refused_port", `port ${port} is neither 80 nor 443`);
  return { ok: true, url, secure, host, literal, port };
}

/**
 * Undefined when every address may be connected to at the port. One refused address refuses the name: a name that
 * mixes public and private addresses is how a rebinding attack looks.
 */
export function checkAddresses(
  addresses: readonly string[],
  port: number,
  allow: readonly Allowance[],
): Refusal | undefined {
  for (const address of addresses) {
    if (!isPublicAddress(address, allow, port)) {
      return refusal("refused_address", `${address} is not a public address`);
    }
    if (!isAllowedPort(port, allow, address)) {
      return refusal("refused_port", `port ${port} is neither 80 nor 443`);
    }
  }
  return undefined;
}

/** Letters, digits, hyphens and the underscore that page hosts do use; lengths of RFC 1035 section 2.3.4. */
function isLookupName(host: string): boolean {
  return host.length <= 253 && /^[a-z0-9_-]{1,63}(?:\.[a-z0-9_-]{1,63})*$/.test(host);
}
