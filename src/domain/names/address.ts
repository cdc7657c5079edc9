/**
 * Which addresses the outgoing client may connect to: public unicast addresses only. The only exception is an explicit
 * allowance of a block and a port.
 */
import { BlockList, isIP } from "node:net";
import ipaddr from "ipaddr.js";

/**
 * Refused blocks. First the IANA special-purpose registries (RFC 6890; the tables of 2025-04), whole, including their
 * few globally reachable entries (PCP and TURN anycast, AS112, AMT, ORCHIDv2, DETs, NAT64), since they host no web
 * sites and some of them lead elsewhere. Then unallocated space. The test compares every published row.
 */
export const REFUSED_BLOCKS: readonly string[] = [
  // iana-ipv4-special-registry
  "0.0.0.0/8", // this network (RFC 791)
  "10.0.0.0/8", // private use (RFC 1918)
  "100.64.0.0/10", // shared address space (RFC 6598)
  "127.0.0.0/8", // loopback (RFC 1122)
  "169.254.0.0/16", // link local (RFC 3927), cloud metadata services
  "172.16.0.0/12", // private use (RFC 1918)
  "192.0.0.0/24", // IETF protocol assignments (RFC 6890)
  "192.0.2.0/24", // documentation (RFC 5737)
  "192.31.196.0/24", // AS112-v4 (RFC 7535)
  "192.52.193.0/24", // AMT (RFC 7450)
  "192.88.99.0/24", // 6to4 relay anycast (RFC 7526)
  "192.168.0.0/16", // private use (RFC 1918)
  "192.175.48.0/24", // direct delegation AS112 (RFC 7534)
  "198.18.0.0/15", // benchmarking (RFC 2544)
  "198.51.100.0/24", // documentation (RFC 5737)
  "203.0.113.0/24", // documentation (RFC 5737)
  "240.0.0.0/4", // reserved (RFC 1112) and limited broadcast (RFC 919)
  "224.0.0.0/4", // multicast (RFC 5771)
  // iana-ipv6-special-registry
  "::/96", // unspecified, loopback and IPv4-compatible (RFC 4291)
  "::ffff:0:0/96", // IPv4-mapped (RFC 4291)
  "64:ff9b::/96", // NAT64 (RFC 6052): would reach any IPv4 address
  "64:ff9b:1::/48", // local-use NAT64 (RFC 8215)
  "100::/64", // discard only (RFC 6666)
  "100:0:0:1::/64", // dummy prefix (RFC 9780)
  "2001::/23", // IETF protocol assignments (RFC 2928): Teredo, benchmarking, ORCHID, anycasts, AMT, AS112
  "2001:db8::/32", // documentation (RFC 3849)
  "2002::/16", // 6to4 (RFC 3056): embeds an IPv4 address
  "2620:4f:8000::/48", // direct delegation AS112 (RFC 7534)
  "3fff::/20", // documentation (RFC 9637)
  "5f00::/16", // SRv6 SIDs (RFC 9602)
  "fc00::/7", // unique local (RFC 4193)
  "fe80::/10", // link local (RFC 4291)
  "fec0::/10", // site local, deprecated (RFC 3879)
  "ff00::/8", // multicast (RFC 4291)
  // Global unicast is allocated from 2000::/3 only (iana-ipv6-address-space).
  "::/3",
  "4000::/2",
  "8000::/1",
];

/** An exception: one block of addresses and a port that the client may connect to although the block is refused. */
export interface AddressException {
  /** "127.0.0.0/8" */
  cidr: string;
  /** Undefined allows every port of the block. */
  port: number | undefined;
  block: Block;
}

type Family = "ipv4" | "ipv6";

/** One family per list: a BlockList also matches an IPv4 address in its mapped form against IPv6 rules, and vice versa. */
interface Block {
  family: Family;
  list: BlockList;
}

/** Ports that need no allowance. */
const WEB_PORTS: readonly number[] = [80, 443];

const refused = { ipv4: refusedOf("ipv4"), ipv6: refusedOf("ipv6") };

export type ParsedAllowances = { ok: true; allowances: AddressException[] } | { ok: false; reason: string };

/** The widest networks that a person can mean: a shorter prefix is a slip of the hand. */
const LEAST_BITS = { ipv4: 8, ipv6: 20 } as const;

const noBlocks = (): Record<Family, Block> => ({
  ipv4: { family: "ipv4", list: new BlockList() },
  ipv6: { family: "ipv6", list: new BlockList() },
});

/** A set of networks, each under a key, that grows and shrinks. */
export class Networks {
  readonly #cidrs = new Map<string, string>();
  #blocks = noBlocks();

  /** @param cidr as `parseNetwork` gives it */
  add(key: string, cidr: string): void {
    if (this.#cidrs.has(key)) return;
    this.#cidrs.set(key, cidr);
    addTo(this.#blocks[familyOfBlock(cidr)], cidr);
  }

  remove(key: string): void {
    if (!this.#cidrs.delete(key)) return;
    this.#blocks = noBlocks();
    for (const cidr of this.#cidrs.values()) addTo(this.#blocks[familyOfBlock(cidr)], cidr);
  }

  /** Whether one of them holds the address. */
  has(address: string): boolean {
    const family = this.#cidrs.size === 0 ? undefined : familyOf(address);
    return family !== undefined && holds(this.#blocks[family], address, family);
  }
}

/**
 * Whether the client may connect to `address` (text form, no zone, no brackets): public unicast, or within an
 * allowance. With `port`, only allowances of that port count. Anything that is not an IP address is refused.
 */
export function isPublicAddress(
  address: string,
  allowances: readonly AddressException[] = [],
  port?: number,
): boolean {
  const family = familyOf(address);
  if (family === undefined) return false;
  if (!refused[family].check(address, family)) return true;
  return allowances.some(
    (allowance) =>
      (port === undefined || allowance.port === undefined || allowance.port === port) &&
      holds(allowance.block, address, family),
  );
}

/**
 * Undefined for addresses with a zone identifier ("fe80::1%eth0"), which name a local interface, and for anything else
 * that is not an address.
 */
function familyOf(address: string): Family | undefined {
  const version = isIP(address);
  if (version === 4) return "ipv4";
  return version === 6 && !address.includes("%") ? "ipv6" : undefined;
}

function holds(block: Block, address: string, family: Family | undefined): boolean {
  return block.family === family && block.list.check(address, family);
}

/**
 * Whether the client may connect to `port`: 80 and 443 everywhere, others only by an allowance. Without `address`,
 * whether any allowance names the port.
 */
export function isAllowedPort(
  port: number,
  allowances: readonly AddressException[] = [],
  address?: string,
): boolean {
  if (WEB_PORTS.includes(port)) return true;
  const family = address === undefined ? undefined : familyOf(address);
  return allowances.some(
    (allowance) =>
      (allowance.port === undefined || allowance.port === port) &&
      (address === undefined || holds(allowance.block, address, family)),
  );
}

/**
 * Reads "127.0.0.0/8:8443, ::1/128:443, 10.1.0.0/16:*": comma-separated blocks, each with one port or `*`. The empty
 * text allows nothing. One invalid entry fails the whole; the reason names it.
 */
export function parseAllowances(text: string): ParsedAllowances {
  const allowances: AddressException[] = [];
  for (const entry of text.split(",").map((part) => part.trim())) {
    if (entry === "") continue;
    const found = /^([0-9a-fA-F.:]+\/\d{1,3}):(\*|\d{1,5})$/.exec(entry);
    const cidr = found?.[1];
    const port = found?.[2] === "*" ? undefined : Number(found?.[2]);
    if (cidr === undefined || !isCidr(cidr) || (port !== undefined && !(port >= 1 && port <= 65_535))) {
      return { ok: false, reason: `"${entry}" is not <address>/<bits>:<port>` };
    }
    allowances.push({ cidr, port, block: blockOf(cidr) });
  }
  return { ok: true, allowances };
}

function isCidr(cidr: string): boolean {
  const [address = "", bits = ""] = cidr.split("/");
  const version = isIP(address);
  return version !== 0 && /^\d{1,3}$/.test(bits) && Number(bits) <= (version === 4 ? 32 : 128);
}

function blockOf(cidr: string): Block {
  const block: Block = { family: familyOfBlock(cidr), list: new BlockList() };
  addTo(block, cidr);
  return block;
}

function familyOfBlock(cidr: string): Family {
  return cidr.includes(":") ? "ipv6" : "ipv4";
}

function addTo({ family, list }: Block, cidr: string): void {
  const [address = "", bits = ""] = cidr.split("/");
  list.addSubnet(address, Number(bits), family);
}

/**
 * Reads a network in CIDR notation, or one address.
 * @returns its canonical form, host bits zero: "203.0.113.0/24", "2001:db8:7::/48"; undefined for anything else
 */
export function parseNetwork(text: string): string | undefined {
  const whole = isIP(text) === 0 ? text : `${text}/${isIP(text) === 4 ? 32 : 128}`;
  if (!isCidr(whole) || whole.includes("%")) return undefined;
  const [parsed, bits] = ipaddr.parseCIDR(whole);
  if (bits < LEAST_BITS[parsed.kind()]) return undefined;
  const network =
    parsed.kind() === "ipv4"
      ? ipaddr.IPv4.networkAddressFromCIDR(whole)
      : ipaddr.IPv6.networkAddressFromCIDR(whole);
  return `${network.toString()}/${bits}`;
}

/**
 * The network of an address: its IPv4 /16 ("198.51.0.0/16") or IPv6 /48 ("2001:db8:7::/48"); null if it is not an
 * address. An IPv4-mapped IPv6 address counts as its IPv4 address: a dual-stack listener sees IPv4 clients that way.
 */
export function networkGroup(address: string): string | null {
  const bare = address.split("%", 1)[0] ?? "";
  if (isIP(bare) === 0) return null;
  const parsed = ipaddr.process(bare);
  if (parsed instanceof ipaddr.IPv4) return `${parsed.octets[0]}.${parsed.octets[1]}.0.0/16`;
  const prefix = new ipaddr.IPv6([...parsed.parts.slice(0, 3), 0, 0, 0, 0, 0]);
  return `${prefix.toString()}/48`;
}

/**
 * The allocation of one customer of a network: an IPv4 address, or the /64 of an IPv6 address. Null if it is not an
 * address.
 */
export function customerGroup(address: string): string | null {
  const bare = address.split("%", 1)[0] ?? "";
  if (isIP(bare) === 0) return null;
  const parsed = ipaddr.process(bare);
  if (parsed instanceof ipaddr.IPv4) return parsed.toString();
  const prefix = new ipaddr.IPv6([...parsed.parts.slice(0, 4), 0, 0, 0, 0]);
  return `${prefix.toString()}/64`;
}

function refusedOf(family: Family): BlockList {
  const block: Block = { family, list: new BlockList() };
  for (const cidr of REFUSED_BLOCKS) if (familyOfBlock(cidr) === family) addTo(block, cidr);
  return block.list;
}
