import { describe, expect, it } from "vitest";
import { openSealing } from "../../src/stores/sealing.ts";

const sealing = openSealing("the registry's secret", "wallet");
const KEY = "bridge_lic_a key that agents use";

describe("a sealed text", () => {
  it("opens where it belongs, and shows nothing of itself; the same text seals differently each time", () => {
    const sealed = sealing.seal(KEY, "account 1\nshop.example");
    expect(sealing.open(sealed, "account 1\nshop.example")).toBe(KEY);
    expect(Buffer.from(sealed, "base64url").toString("latin1")).not.toContain("bridge_lic_");
    expect(sealing.seal(KEY, "account 1\nshop.example")).not.toBe(sealed);
  });

  it("does not open in another place, for another use, or under another secret", () => {
    const sealed = sealing.seal(KEY, "account 1\nshop.example");
    expect(sealing.open(sealed, "account 2\nshop.example")).toBeUndefined();
    expect(
      openSealing("the registry's secret", "replies").open(sealed, "account 1\nshop.example"),
    ).toBeUndefined();
    expect(openSealing("another secret", "wallet").open(sealed, "account 1\nshop.example")).toBeUndefined();
  });

  it("does not open once a bit of it changed, or when it is cut", () => {
    const bytes = Buffer.from(sealing.seal(KEY, "here"), "base64url");
    for (let at = 0; at < bytes.length; at++) {
      const changed = Buffer.from(bytes);
      changed[at]! ^= 1;
      expect(sealing.open(changed.toString("base64url"), "here"), `byte ${at}`).toBeUndefined();
    }
    for (const length of [0, 1, 27, bytes.length - 1])
      expect(sealing.open(bytes.subarray(0, length).toString("base64url"), "here")).toBeUndefined();
  });
});
