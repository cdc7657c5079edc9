import { describe, expect, it } from "vitest";
import { encloses, normalizeName } from "../../../src/adapters/dns/reading.ts";
import { parseDnsServer, ServerHealth, systemDnsServers } from "../../../src/adapters/dns/servers.ts";

describe("a name", () => {
  it("loses its case and its final dot", () => {
    expect(normalizeName("_Bridge.Shop.Example.")).toBe("_bridge.shop.example");
  });

  it("may have 253 bytes and labels of 63, and no more", () => {
    const label = "a".repeat(63);
    const longest = `${label}.${label}.${label}.${"b".repeat(61)}`;
    expect(normalizeName(longest)).toBe(longest);
    expect(normalizeName(`${longest}b`)).toBeUndefined();
    expect(normalizeName(`a${label}`)).toBeUndefined();
  });

  it("is enclosed by its ancestors and itself alone", () => {
    expect(encloses("example", "shop.example")).toBe(true);
    expect(encloses("shop.example", "shop.example")).toBe(true);
    expect(encloses("", "shop.example")).toBe(true);
    expect(encloses("op.example", "shop.example")).toBe(false);
  });
});

describe("a server's address", () => {
  it.each([
    ["192.0.2.1", { address: "192.0.2.1", port: 53 }],
    ["192.0.2.1:5353", { address: "192.0.2.1", port: 5353 }],
    ["2001:db8::1", { address: "2001:db8::1", port: 53 }],
    ["[2001:db8::1]", { address: "2001:db8::1", port: 53 }],
    ["[2001:db8::1]:5353", { address: "2001:db8::1", port: 5353 }],
  ])("is read from %s", (text, expected) => {
    expect(parseDnsServer(text)).toEqual(expected);
  });

  it.each([
    "",
    "name.example",
    "192.0.2.1:0",
    "192.0.2.1:65536",
    "192.0.2.1:",
    "[192.0.2.1",
    "2001:db8::1]:53",
  ])("is not read from %j", (text) => {
    expect(parseDnsServer(text)).toBeUndefined();
  });

  it("comes from the system where none is configured", () => {
    for (const { address, port } of systemDnsServers()) {
      expect(address).not.toBe("");
      expect(port).toBeGreaterThan(0);
    }
  });
});

describe("a server's health", () => {
  const bounds = { minTimeoutMs: 250, maxTimeoutMs: 5_000 };

  it("allows five times the mean latency, within bounds, and four times that at the second try", () => {
    const health = new ServerHealth(bounds);
    expect(health.timeoutMs(0)).toBe(1_000);
    health.answered(100);
    expect([health.timeoutMs(0), health.timeoutMs(1)]).toEqual([500, 2_000]);
    for (let i = 0; i < 60; i++) health.answered(2);
    expect([health.timeoutMs(0), health.timeoutMs(1)]).toEqual([250, 1_000]);
    for (let i = 0; i < 60; i++) health.answered(3_000);
    expect([health.timeoutMs(0), health.timeoutMs(1)]).toEqual([5_000, 5_000]);
  });

  it("is dead for five seconds after four tries in a row without an answer", () => {
    const health = new ServerHealth(bounds);
    for (let i = 0; i < 3; i++) health.timedOut(250, 1_000);
    expect(health.isResting(1_001)).toBe(false);
    health.unreachable(1_000);
    expect(health.isResting(5_999)).toBe(true);
    expect(health.isResting(6_000)).toBe(false);
    health.timedOut(250, 7_000);
    expect(health.isResting(7_001)).toBe(true);
    health.answered(5);
    expect(health.isResting(7_001)).toBe(false);
  });
});
