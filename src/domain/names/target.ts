/** What may be asked for at all, and which of a name's addresses may be connected to: decisions without I/O. */
import { isIP } from "node:net";
import { type Allowance, isAllowedPort, isPublicAddress } from "./address.ts";
import { bareHost, parseWebAddress } from "./web-address.ts";

/** Why an address is not asked for at all. */
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
  /** Whether `host` is an address already, which is never looked up. */
  literal: boolean;
  port: number;
}

const refusal = (failure: TargetRefusal["failure"], detail: string): TargetRefusal => ({
  ok: false,
  failure,
  detail,
});

/** Parses a URL, against `base` for a Location field, and refuses what needs no look-up to be refused. */
export function parseTarget(text: string, allow: readonly Allowance[], base?: URL): Target | TargetRefusal {
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

/**
 * What is said of an address that is refused, by every door: nothing of where a name leads, which may be known inside
 * alone, and nothing of what is there.
 */
export const notPublic = (): TargetRefusal => refusal("refused_address", "the address is not public");

const refusedPort = (port: number): TargetRefusal =>
  refusal("refused_port", `port ${port} is neither 80 nor 443`);

/**
 * Undefined when every address may be connected to at the port. One refused address refuses the name: a name that
 * mixes public and private addresses is how a rebinding attack looks.
 */
export function checkAddresses(
  addresses: readonly string[],
  port: number,
  allow: readonly Allowance[],
): TargetRefusal | undefined {
  for (const address of addresses) {
    if (!isPublicAddress(address, allow, port)) return notPublic();
    if (!isAllowedPort(port, allow, address)) return refusedPort(port);
  }
  return undefined;
}
