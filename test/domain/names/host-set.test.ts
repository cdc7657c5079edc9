import { describe, expect, it } from "vitest";
import { HostSet } from "../../../src/domain/names/host-set.ts";

const names = (from: number, to: number): string[] =>
  Array.from({ length: to - from }, (_, i) => `www.site-${from + i}.example`);

describe("a set of host names", () => {
  it("has what was added and nothing else, however far it grows past what was expected", () => {
    const hosts = new HostSet(10, 7);
    for (const host of names(0, 50_000)) hosts.add(host);
    for (const host of names(0, 100)) hosts.add(host);
    expect(hosts.size).toBe(50_000);
    expect(names(0, 50_000).filter((host) => !hosts.has(host))).toEqual([]);
    expect(names(50_000, 100_000).filter((host) => hosts.has(host))).toEqual([]);
  });

  it("is empty at first, also when many are expected", () => {
    const hosts = new HostSet(1_000_000, 2 ** 32 - 1);
    expect([hosts.size, hosts.has("a.example"), hosts.has("")]).toEqual([0, false, false]);
  });
});
