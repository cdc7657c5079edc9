import { readFileSync } from "node:fs";
import fc from "fast-check";
import ipaddr from "ipaddr.js";
import { describe, expect, it } from "vitest";
import {
  type AddressException,
  isAllowedPort,
  isPublicAddress,
  Networks,
  networkGroup,
  parseAllowances,
  parseNetwork,
} from "../../../src/domain/names/address.ts";
import { dataFile } from "../../support/data.ts";

function allow(text: string): AddressException[] {
  const parsed = parseAllowances(text);
  if (!parsed.ok) throw new Error(parsed.reason);
  return parsed.allowances;
}

describe("isPublicAddress", () => {
  it.each([
    "8.8.8.8",
    "1.1.1.1",
    "100.63.255.255",
    "172.32.0.1",
    "223.255.255.255",
    "2606:4700:4700::1111",
    "2001:4860:4860::8888",
    "2a00:1450::1",
  ])("takes %s", (address) => expect(isPublicAddress(address)).toBe(true));

  it.each([
    "0.0.0.0",
    "10.1.2.3",
    "100.64.0.1",
    "127.0.0.1",
    "169.254.169.254",
    "172.16.0.1",
    "172.31.255.255",
    "192.0.0.9",
    "192.168.1.1",
    "198.19.255.255",
    "224.0.0.1",
    "239.255.255.255",
    "240.0.0.1",
    "255.255.255.255",
    "::",
    "::1",
    "::7f00:1",
    "::127.0.0.1",
    "::8.8.8.8",
    "::ffff:8.8.8.8",
    "::ffff:7f00:1",
    "::ffff:0:127.0.0.1",
    "64:ff9b::7f00:1",
    "64:ff9b:1::1",
    "100::1",
    "2001::1",
    "2001:0:7f00:1::",
    "2001:10::1",
    "2001:20::1",
    "2001:db8::1",
    "2002:7f00:1::",
    "3fff::1",
    "5f00::1",
    "4000::1",
    "e000::1",
    "fc00::1",
    "fd12::1",
    "fe80::1",
    "fec0::1",
    "ff02::1",
  ])("refuses %s", (address) => expect(isPublicAddress(address)).toBe(false));

  it.each([
    "",
    "localhost",
    "127.1",
    "0x8.8.8.8",
    "8.8.8.8 ",
    "8.8.8",
    "08.8.8.8",
    "[2606:4700::1]",
    "2606:4700::1%eth0",
    "134744072",
  ])("refuses %j, which is no address in its one text form", (address) =>
    expect(isPublicAddress(address)).toBe(false),
  );

  it("refuses an embedded private IPv4 address in every form there is", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 0xff_ff_ff }), (low) => {
        const octets = [10, (low >> 16) & 255, (low >> 8) & 255, low & 255];
        const high = ((octets[0]! << 8) | octets[1]!).toString(16);
        const rest = ((octets[2]! << 8) | octets[3]!).toString(16);
        const forms = [
          octets.join("."),
          `::${octets.join(".")}`,
          `::ffff:${octets.join(".")}`,
          `::ffff:0:${high}:${rest}`,
          `64:ff9b::${high}:${rest}`,
          `64:ff9b:1::${high}:${rest}`,
          `2002:${high}:${rest}::1`,
          `2001:0:${high}:${rest}::`,
        ];
        for (const form of forms) expect(isPublicAddress(form), form).toBe(false);
      }),
    );
  });
});

describe("allowances", () => {
  it("open their own block at their own port and nothing else", () => {
    const allowances = allow("127.0.0.0/8:8443, ::1/128:9000");
    expect(isPublicAddress("127.9.9.9", allowances, 8443)).toBe(true);
    expect(isPublicAddress("127.9.9.9", allowances, 443)).toBe(false);
    expect(isPublicAddress("127.9.9.9", allowances)).toBe(true);
    expect(isPublicAddress("::1", allowances, 9000)).toBe(true);
    expect(isPublicAddress("::1", allowances, 8443)).toBe(false);
    expect(isPublicAddress("::ffff:127.0.0.1", allowances, 8443)).toBe(false);
    expect(isPublicAddress("10.0.0.1", allowances, 8443)).toBe(false);
  });

  it("name ports beside 80 and 443", () => {
    const allowances = allow("127.0.0.0/8:8443");
    expect(isAllowedPort(80)).toBe(true);
    expect(isAllowedPort(443)).toBe(true);
    expect(isAllowedPort(8443)).toBe(false);
    expect(isAllowedPort(8443, allowances)).toBe(true);
    expect(isAllowedPort(8443, allowances, "127.0.0.1")).toBe(true);
    expect(isAllowedPort(8443, allowances, "8.8.8.8")).toBe(false);
    expect(isAllowedPort(8444, allow("127.0.0.0/8:*"), "127.0.0.1")).toBe(true);
  });

  it("allow nothing when empty", () => {
    expect(parseAllowances("")).toEqual({ ok: true, allowances: [] });
    expect(allow(" , ")).toEqual([]);
  });

  it.each([
    "127.0.0.1:80",
    "127.0.0.0/33:80",
    "127.0.0.0/8",
    "127.0.0.0/8:0",
    "127.0.0.0/8:65536",
    "::1/129:80",
    "fe80::%1/10:80",
    "127.1/8:80",
    "x/8:80",
    "127.0.0.0/8:80;",
  ])("refuse %j and say so", (text) => {
    const parsed = parseAllowances(text);
    expect(parsed.ok).toBe(false);
    expect(!parsed.ok && parsed.reason).toContain(text);
  });
});

describe("networkGroup", () => {
  it.each([
    ["198.51.100.7", "198.51.0.0/16"],
    ["2001:db8:7:8::1", "2001:db8:7::/48"],
    ["2001:0db8:0007::", "2001:db8:7::/48"],
    ["::1", "::/48"],
    ["::ffff:198.51.100.7", "198.51.0.0/16"],
    ["fe80::1%eth0", "fe80::/48"],
    ["shop.example", null],
    ["127.1", null],
    ["", null],
  ])("puts %j in %j", (address, group) => expect(networkGroup(address)).toBe(group));
});

describe.each(["vectors/iana-ipv4-special.csv", "vectors/iana-ipv6-special.csv"])("%s", (path) => {
  const file = dataFile(path);
  const text = file === undefined ? "" : readFileSync(file, "utf8");
  const blocks = text
    .split("\n")
    .slice(1)
    .flatMap((row) => row.match(/^"?([0-9a-f.:]+\/\d+(?:, [0-9.]+\/\d+)*)/)?.[1]?.split(", ") ?? []);

  it.skipIf(file === undefined).each(blocks)("refuses the first, the last and any address of %s", (block) => {
    const [network, bits] = ipaddr.parseCIDR(block);
    const bytes = network.toByteArray();
    fc.assert(
      fc.property(fc.uint8Array({ minLength: bytes.length, maxLength: bytes.length }), (noise) => {
        expect(isPublicAddress(within(bytes, bits, noise))).toBe(false);
      }),
      {
        numRuns: 50,
        examples: [[new Uint8Array(bytes.length)], [new Uint8Array(bytes.length).fill(255)]],
      },
    );
  });

  it.skipIf(file === undefined)("is read whole", () => {
    expect(blocks.length).toBe(path.includes("ipv4") ? 26 : 25);
  });
});

/** The address whose first `bits` are of `network` and the others of `noise`. */
function within(network: number[], bits: number, noise: Uint8Array): string {
  const mixed = network.map((byte, i) => {
    const kept = Math.min(8, Math.max(0, bits - i * 8));
    const mask = (0xff << (8 - kept)) & 0xff;
    return (byte & mask) | (noise[i]! & ~mask & 0xff);
  });
  return ipaddr.fromByteArray(mixed).toNormalizedString();
}

describe("a network that a person names", () => {
  it.each([
    ["203.0.113.77/24", "203.0.113.0/24"],
    ["198.51.100.7", "198.51.100.7/32"],
    ["2001:DB8:7:1::9/48", "2001:db8:7::/48"],
    ["2001:db8::1", "2001:db8::1/128"],
  ])("reads %j as %j", (text, network) => expect(parseNetwork(text)).toBe(network));

  it.each([
    "0.0.0.0/0",
    "10.0.0.0/7",
    "::/0",
    "2001::/19",
    "203.0.113.0/33",
    "203.0.113.0/-1",
    "1.2.3/8",
    "shop.example/24",
    "fe80::1%eth0",
    "",
  ])("refuses %j", (text) => expect(parseNetwork(text)).toBeUndefined());

  it("holds its addresses from when it is added until it is removed, whatever else overlaps it", () => {
    const networks = new Networks();
    expect(networks.has("203.0.113.5")).toBe(false);
    networks.add("a", "203.0.113.0/24");
    networks.add("b", "203.0.0.0/16");
    networks.add("c", "2001:db8::/32");
    expect(
      ["203.0.113.5", "203.0.7.1", "2001:db8::9", "203.1.0.1", "no address"].map((each) =>
        networks.has(each),
      ),
    ).toEqual([true, true, true, false, false]);
    networks.remove("b");
    networks.remove("never");
    expect(["203.0.113.5", "203.0.7.1"].map((each) => networks.has(each))).toEqual([true, false]);
  });
});
