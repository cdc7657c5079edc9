/** Which URLs may be requested, and which of a name's addresses the client may connect to: decisions without I/O. */
import { isIP } from "node:net";
import { type AddressException, isAllowedPort, isPublicAddress } from "./address.ts";
import { bareHost, parseWebAddress } from "./web-address.ts";

/** Why a URL is refused. */
export interface TargetRefusal {
  ok: false;
  failure: "invalid_url" | "refused_scheme" | "refused_credentials" | "refused_port" | "refused_address";
  detail: string;
}

export interface Target {
  ok: true;
  url: URL;
  secure: boolean;
  /** For the Host header, SNI and certificate check. No brackets, no final dot. */
  host: string;
  /** Whether `host` is an IP address, which needs no look-up. */
  literal: boolean;
  port: number;
}

/** Parses a URL, against `base` for a Location field, and applies all checks that need no look-up. */
export function parseTarget(
  text: string,
  allow: readonly AddressException[],
  base?: URL,
): Target | TargetRefusal {
  const parsed = parseWebAddress(text, base);
  if (!parsed.ok)
    return refusal(parsed.reason === "not_http" ? "refused_scheme" : "invalid_url", parsed.detail);
  const { url } = parsed;
  if (url.username !== "" || url.password !== "") {
    return refusal("refused_credentials", "the URL carries a user name or a password");
  }
  url.hash = "";
  const host = bareHost(url.hostname);
  const literal = isIP(host) !== 0;

  const secure = url.protocol === "https:";
  const port = url.port === "" ? (secure ? 443 : 80) : Number(url.port);
  if (!isAllowedPort(port, allow)) return refusedPort(port);
  return { ok: true, url, secure, host, literal, port };
}

const refusal = (failure: TargetRefusal["failure"], detail: string): TargetRefusal => ({
  ok: false,
  failure,
  detail,
});

const refusedPort = (port: number): TargetRefusal =>
  refusal("refused_port", `port ${port} is neither 80 nor 443`);

/**
 * Undefined if the client may connect to every address at the port. One refused address refuses the name: a mix of
 * public and private addresses suggests a rebinding attack.
 */
export function checkAddresses(
  addresses: readonly string[],
  port: number,
  allow: readonly AddressException[],
): TargetRefusal | undefined {
  for (const address of addresses) {
    if (!isPublicAddress(address, allow, port)) return notPublic();
    if (!isAllowedPort(port, allow, address)) return refusedPort(port);
  }
  return undefined;
}

/**
 * The message for a refused address, the same for every interface. It reveals neither the name's addresses, which may
 * be internal, nor what is there.
 */
export const notPublic = (): TargetRefusal => refusal("refused_address", "the address is not public");
