import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseWebAddress } from "../../../src/domain/names/web-address.ts";
import { hostGateKey } from "../../../src/egress/gate.ts";

function reasonOf(text: string): string {
  const parsed = parseWebAddress(text);
  return parsed.ok ? parsed.url.href : parsed.reason;
}

describe("an address from a stranger", () => {
  it.each([
    ["http://a*b/", "not_a_host"],
    ["http://a..b/", "not_a_host"],
    [`http://${"a".repeat(63)}.test/`, `http://${"a".repeat(63)}.test/`],
    [`http://${"a".repeat(64)}.test/`, "not_a_host"],
    ["http://a_b.test/", "http://a_b.test/"],
    ["HTTP://A.TEST.:80/x", "http://a.test/x"],
    ["http://[::1]/", "http://[::1]/"],
    ["http://2130706433/", "http://127.0.0.1/"],
    ["ftp://a.test/", "not_http"],
    ["//a.test/", "not_a_url"],
    ["nonsense", "not_a_url"],
    [`http://a.test/${"x".repeat(8_178)}`, `http://a.test/${"x".repeat(8_178)}`],
    [`http://a.test/${"x".repeat(8_179)}`, "too_long"],
    // Short as it is written, long as it is sent.
    [`http://a.test/${"ä".repeat(2_000)}`, "too_long"],
  ])("%s is %s", (text, expected) => expect(reasonOf(text)).toBe(expected));

  it("that is read has a host which the gate has a key for; what is not read has one too", () =>
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), (host) => {
        const parsed = parseWebAddress(`http://${host}/`);
        const keys = [hostGateKey(host), ...(parsed.ok ? [hostGateKey(parsed.url.hostname)] : [])];
        for (const key of keys) expect(key).toMatch(/^h\/[=\w/-]{1,260}$/);
      }),
    ));
});
