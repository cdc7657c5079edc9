/** What one message says about a name and type: pure rules over RFC 1034 section 3.6.2 and RFC 2308. */
import { type DnsMessage, RCODE } from "./message.ts";
import { type QueryType, TYPE } from "./query.ts";

const MAX_NAME = 253;
const MAX_LABEL = 63;

/** Printable ASCII but the backslash, which escapes, and the dot, which parts labels. */
const ASKABLE = /^[!-[\]-~]+$/;

/** Aliases followed for one lookup, over all its queries. */
export const MAX_ALIASES = 8;

type Reading =
  | { kind: "found"; records: string[]; ttlSeconds: number }
  /** TTL 0 where there is no SOA: such an answer must not be cached (RFC 2308 section 5). */
  | { kind: "none"; nxdomain: boolean; ttlSeconds: number }
  /** The chain of aliases leads out of this message: ask for `name`. */
  | { kind: "alias"; name: string; ttlSeconds: number; aliases: number }
  | { kind: "malformed"; detail: string };

/** Whether `zone` is `name` or an ancestor of it. Both normalized; "" is the root. */
export const encloses = (zone: string, name: string): boolean =>
  zone === "" || name === zone || name.endsWith(`.${zone}`);

/** Names of servers to ask instead, and nothing else. */
export const isReferral = ({ answers, soa, hasDelegation }: DnsMessage): boolean =>
  hasDelegation && answers.length === 0 && soa === undefined;

/**
 * Reads a NOERROR or NXDOMAIN answer. Only records of the name at the chain's end count: whatever else a server adds is
 * ignored. `aliases` were followed already; TTLs are in seconds, the least over the chain.
 */
export function readAnswer(message: DnsMessage, name: string, type: QueryType, aliases = 0): Reading {
  let owner = name;
  let ttlSeconds = Number.POSITIVE_INFINITY;
  for (let followed = aliases; ; followed++) {
    const records: string[] = [];
    let leastTtl = ttlSeconds;
    for (const record of message.answers) {
      if (record.type !== TYPE[type] || record.owner !== owner) continue;
      records.push(record.data);
      leastTtl = Math.min(leastTtl, record.ttlSeconds);
    }
    if (records.length > 0) return { kind: "found", records, ttlSeconds: leastTtl };
    const alias = message.answers.find((record) => record.type === TYPE.CNAME && record.owner === owner);
    if (!alias) return readEnd(message, owner, ttlSeconds, followed, owner !== name);
    if (followed === MAX_ALIASES) return { kind: "malformed", detail: "too many aliases, or a loop of them" };
    const target = normalizeName(alias.data);
    if (target === undefined) return { kind: "malformed", detail: "an alias for what is no name" };
    owner = target;
    ttlSeconds = Math.min(ttlSeconds, alias.ttlSeconds);
  }
}

/** There is nothing of the type at the chain's end: nothing at all, or nothing here? */
function readEnd(
  message: DnsMessage,
  owner: string,
  chainTtlSeconds: number,
  aliases: number,
  wasAliased: boolean,
): Reading {
  const soa = message.soa && encloses(message.soa.owner, owner) ? message.soa : undefined;
  // RFC 2308 section 2.1: with aliases, NXDOMAIN speaks of the last name.
  const nxdomain = message.rcode === RCODE.NXDOMAIN;
  if (nxdomain || soa) {
    return { kind: "none", nxdomain, ttlSeconds: soa ? Math.min(soa.ttlSeconds, chainTtlSeconds) : 0 };
  }
  if (wasAliased) return { kind: "alias", name: owner, ttlSeconds: chainTtlSeconds, aliases };
  return { kind: "none", nxdomain: false, ttlSeconds: 0 };
}

/**
 * The name in lower case and without a final dot, or undefined where it cannot stand in a question: an empty label,
 * a label over 63 bytes, a name over 253 (RFC 1035 section 2.3.4), or a byte outside printable ASCII. Names in other
 * scripts must come as A-labels.
 */
export function normalizeName(name: string): string | undefined {
  const bare = name.endsWith(".") ? name.slice(0, -1) : name;
  if (bare.length === 0 || bare.length > MAX_NAME || !ASKABLE.test(bare)) return undefined;
  let labelStart = 0;
  for (;;) {
    const dot = bare.indexOf(".", labelStart);
    const labelLength = (dot === -1 ? bare.length : dot) - labelStart;
    if (labelLength === 0 || labelLength > MAX_LABEL) return undefined;
    if (dot === -1) return bare.toLowerCase();
    labelStart = dot + 1;
  }
}
