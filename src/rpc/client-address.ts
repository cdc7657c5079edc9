/** The client's address: that of the connection, or behind trusted proxies, the one that the outermost of them saw. */
import type { IncomingMessage } from "node:http";
import { BlockList, isIP, isIPv6 } from "node:net";
import { LRUCache } from "lru-cache";

/** Whether an address is in one of the trusted blocks. */
export type AddressTest = (address: string) => boolean;

/** Addresses whose answer is kept: proxies are few, and every request asks. */
const MAX_KNOWN = 1_000;

export function trustedOf(blocks: readonly string[]): AddressTest {
  if (blocks.length === 0) return () => false;
  const list = new BlockList();
  for (const block of blocks) {
    const [address = "", bits] = block.split("/");
    const family = isIPv6(address) ? "ipv6" : "ipv4";
    if (bits === undefined) list.addAddress(address, family);
    else list.addSubnet(address, Number(bits), family);
  }
  const known = new LRUCache<string, boolean>({ max: MAX_KNOWN });
  return (address) => {
    const before = known.get(address);
    if (before !== undefined) return before;
    const now = isIP(address) !== 0 && list.check(address, isIPv6(address) ? "ipv6" : "ipv4");
    known.set(address, now);
    return now;
  };
}

/** As Fastify's `request.ip`: from the right of X-Forwarded-For, the first address that is not a trusted proxy. */
export function clientAddressOf({ socket, headers }: IncomingMessage, trusted: AddressTest): string {
  const direct = unmappedAddress(socket.remoteAddress);
  if (!trusted(direct)) return direct;
  const said = [headers["x-forwarded-for"] ?? []].flat().join(",").slice(-1_024).split(",");
  let seen = direct;
  for (const one of said.toReversed()) {
    const address = unmappedAddress(one.trim());
    if (isIP(address) === 0) return seen;
    seen = address;
    if (!trusted(address)) return address;
  }
  return seen;
}

/** Strips the IPv4-mapped IPv6 prefix, by which a dual-stack listener sees IPv4 clients. */
export const unmappedAddress = (address = ""): string => address.replace(/^::ffff:(?=\d+\.)/i, "");
