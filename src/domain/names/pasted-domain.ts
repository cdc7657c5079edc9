/** A domain in any pasted form: an address, upper case, a final dot, Unicode, the TXT record's name. */
import { type HostFault, parseHost } from "./domain-name.ts";

export type PastedFault = HostFault | "credentials" | "wildcard" | "not_http";
export type PastedDomain = { ok: true; host: string } | { ok: false; reason: PastedFault; detail: string };

const DETAILS: Record<PastedFault, string> = {
  empty: "the input is empty",
  too_long: "is longer than a domain name can be",
  ip_address: "is an IP address; a TXT record needs a name",
  single_label: "is one label; a public domain has at least two, such as shop.example",
  invalid: "contains characters that a domain name cannot contain",
  public_suffix: "is a public suffix, under which others register their domains",
  credentials: "is an e-mail address or contains a user name",
  wildcard: "contains a wildcard; name one domain",
  not_http: "is an address with a scheme other than http or https",
};
const MAX_INPUT = 4_096;

/**
 * The canonical host that a pasted text names, or why it names none. Accepts what parseHost accepts, and also
 * surrounding blanks, an http(s) address or its remainder (path, query, port), and a leading `_bridge.`.
 */
export function parsePastedDomain(text: string): PastedDomain {
  if (text.length > MAX_INPUT) return refuse("too_long");
  const trimmed = text.trim();
  if (trimmed === "") return refuse("empty");
  const scheme = /^([a-z][a-z0-9+.-]*):\/\//i.exec(trimmed);
  if (scheme && !/^https?$/i.test(scheme[1]!)) return refuse("not_http");
  const rest = trimmed.slice(scheme?.[0].length ?? 0).replace(/^\/\//, "");
  const authority = rest.split(/[/?#\\]/, 1)[0]!;
  if (authority.includes("@")) return refuse("credentials");
  if (authority.includes("*")) return refuse("wildcard");
  const name = authority.replace(/:\d{0,5}$/, "").replace(/^_bridge\./i, "");
  const parsed = parseHost(name);
  return parsed.ok ? parsed : refuse(parsed.reason);
}

const refuse = (reason: PastedFault): PastedDomain => ({ ok: false, reason, detail: DETAILS[reason] });
