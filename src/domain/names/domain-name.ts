/**
 * Canonical host names, the registry's keys. A canonical host has A-labels in lower case, no final dot and no port. It
 * has letters, digits and hyphens only (RFC 1123 section 2.1), at least two labels, and lies below a public suffix.
 */
import { isIP } from "node:net";
import { domainToASCII, domainToUnicode } from "node:url";
import { getDomain, getPublicSuffix } from "tldts";

export type HostFault = "empty" | "too_long" | "ip_address" | "single_label" | "invalid" | "public_suffix";

export type ParsedHost = { ok: true; host: string } | { ok: false; reason: HostFault };

/** Longest accepted input in UTF-16 code units: no name of 253 octets has a longer Unicode form worth converting. */
const MAX_INPUT = 1_024;
/** RFC 1035 section 2.3.4, in presentation form without the final dot. */
const MAX_HOST = 253;

const LABEL = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;
const PLAIN = /^[A-Za-z0-9.-]+$/;
/**
 * Characters that domainToASCII would read as something other than a name, or drop. IDNA handles soft hyphens and the
 * like.
 */
const NEVER_IN_A_NAME = /[\u0000-\u0020\u007f-\u00a0\s!"#$%&'()*+,/:;<=>?@[\\\]^_`{|}~\ufffd]/u;

/** Includes the list's private part: alice.github.io and bob.github.io have different owners. */
const SUFFIXES = { allowPrivateDomains: true, extractHostname: false, validateHostname: false };

/**
 * Top-level domains that nobody registers and no public name server answers for: RFC 6761, 6762 (with its appendix G), 7686, 8375 and
 * 9476, and ICANN's reservation of .internal. Those for tests and documentation (.test, .example) are left to who tests.
 */
const NEVER_PUBLIC = [
  ...["alt", "corp", "home", "internal", "intranet", "invalid", "lan", "local", "localdomain", "localhost"],
  ...["mail", "onion", "private"],
];
const NEVER_PUBLIC_NAMES = new Set([...NEVER_PUBLIC, "home.arpa"]);

/**
 * The canonical host that `input` names, or why it names none. Accepts upper case, one final dot and Unicode (UTS 46,
 * non-transitional); rejects ports, blanks, underscores and IP addresses in every notation that a URL parser accepts.
 * Never throws; time is bounded by the input's first 1,024 characters.
 */
export function parseHost(input: string): ParsedHost {
  if (input.length === 0) return fault("empty");
  if (input.length > MAX_INPUT) return fault("too_long");
  if (looksLikeIpv6(input)) return fault("ip_address");
  if (NEVER_IN_A_NAME.test(input)) return fault("invalid");

  // RFC 3490 section 3.1 has three other label separators. domainToASCII maps them, so the final dot is removed after
  // it.
  const ascii = PLAIN.test(input) ? input.toLowerCase() : domainToASCII(input);
  const host = ascii.endsWith(".") ? ascii.slice(0, -1) : ascii;
  if (host === "") return fault("invalid");
  if (host.length > MAX_HOST) return fault("too_long");

  const labels = host.split(".");
  if (endsInNumber(labels)) return fault("ip_address");
  if (!labels.every(isLabel)) return fault("invalid");
  if (labels.length === 1) return fault("single_label");
  if (getPublicSuffix(host, SUFFIXES) === host) return fault("public_suffix");
  return { ok: true, host };
}

const fault = (reason: HostFault): ParsedHost => ({ ok: false, reason });

function looksLikeIpv6(input: string): boolean {
  return (input.startsWith("[") && input.endsWith("]")) || isIP(input) === 6;
}

/** WHATWG URL, "ends in a number": such a host is an IPv4 address or invalid. */
function endsInNumber(labels: string[]): boolean {
  const last = labels.at(-1) ?? "";
  return /^(?:\d+|0x[0-9a-f]*)$/.test(last);
}

/** A label of letters, digits and inner hyphens; an A-label must round-trip through its Unicode form. */
function isLabel(label: string): boolean {
  if (!LABEL.test(label)) return false;
  if (!label.startsWith("xn--")) return true;
  const unicode = domainToUnicode(label);
  return unicode !== label && domainToASCII(unicode) === label;
}

/** Whether two canonical hosts have the same owner. */
export function isSameSite(a: string, b: string): boolean {
  return a === b || registrableDomain(a) === registrableDomain(b);
}

/**
 * The registrable domain of a canonical host: one label below the public suffix by the whole list, or `host` itself
 * where there is none. A top-level domain missing from the list counts as a suffix (the list's rule `*`).
 */
export function registrableDomain(host: string): string {
  return getDomain(host, SUFFIXES) ?? host;
}

/** Whether a canonical host lies below a name that is never public. */
export function isNeverPublic(host: string): boolean {
  const labels = host.split(".");
  return NEVER_PUBLIC_NAMES.has(labels.at(-1)!) || NEVER_PUBLIC_NAMES.has(labels.slice(-2).join("."));
}

/** Whether `host` is `parent` or a subdomain of it. */
export function isWithin(host: string, parent: string): boolean {
  return host === parent || host.endsWith(`.${parent}`);
}

/** A canonical host as one token of a subject or key: the broker splits tokens at dots. */
export function hostKey(host: string): string {
  return host.replaceAll(".", "/");
}

/** The host that `hostKey` made `key` from. */
export function keyHost(key: string): string {
  return key.replaceAll("/", ".");
}
