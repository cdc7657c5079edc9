import { readFileSync } from "node:fs";
import { domainToASCII } from "node:url";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Host } from "../../../schemas/common.ts";
import {
  hostKey,
  isNeverPublic,
  isSameSite,
  isWithin,
  keyHost,
  parseHost,
  registrableDomain,
} from "../../../src/domain/names/domain-name.ts";
import { anyCharacter } from "../../support/any-character.ts";
import { dataFile } from "../../support/data.ts";

function reasonOf(input: string): string {
  const parsed = parseHost(input);
  return parsed.ok ? `ok: ${parsed.host}` : parsed.reason;
}

describe("parseHost", () => {
  it.each([
    ["shop.example", "shop.example"],
    ["Shop.EXAMPLE.", "shop.example"],
    ["Bücher.example", "xn--bcher-kva.example"],
    ["straße.example", "xn--strae-oqa.example"],
    ["shop。example", "shop.example"],
    ["r3---cdn.example", "r3---cdn.example"],
    ["a.github.io", "a.github.io"],
    ["www.ck", "www.ck"],
  ])("reads %j as %j", (input, host) => {
    expect(parseHost(input)).toEqual({ ok: true, host });
  });

  it.each([
    "127.0.0.1",
    "127.1",
    "0x7f.1",
    "0x7f000001",
    "017700000001",
    "2130706433",
    "2130706433.",
    "１２７.0.0.1",
    "1.2.3.4.5",
    "shop.0x",
    "[::1]",
    "::1",
    "::ffff:127.0.0.1",
    "fe80::1%eth0",
  ])("refuses the IP address %j", (input) => {
    expect(reasonOf(input)).toBe("ip_address");
  });

  it.each(["github.io", "co.uk", "uk.com", "c.mm", "公司.cn"])(
    "refuses the bare public suffix %j",
    (input) => {
      expect(reasonOf(input)).toBe("public_suffix");
    },
  );

  it("refuses a single label", () => {
    expect(reasonOf("localhost")).toBe("single_label");
    expect(reasonOf("com.")).toBe("single_label");
  });

  it.each([
    "shop.example:443",
    "user@shop.example",
    "https://shop.example",
    "shop.example/",
    "shop example.com",
    " shop.example",
    "shop.example\n",
    "shop\u0000.example",
    "shop%2eexample.com",
    "shop\u00a0x.example",
    "_dmarc.shop.example",
    "-shop.example",
    "shop-.example",
    "shop..example",
    ".shop.example",
    "shop.example..",
    ".",
    "*.shop.example",
    "xn--a.example",
    "xn--.example",
    "xn--shop-.example",
    "\ud800.example",
    "\u202eshop.example",
    `${"a".repeat(64)}.example`,
  ])("refuses %j as invalid", (input) => {
    expect(reasonOf(input)).toBe("invalid");
  });

  it("refuses the empty text and names over 253 octets", () => {
    expect(reasonOf("")).toBe("empty");
    expect(reasonOf(`${"a.".repeat(123)}example`)).toBe(`ok: ${"a.".repeat(123)}example`);
    expect(reasonOf(`${"a.".repeat(124)}example`)).toBe("too_long");
    expect(reasonOf("ü".repeat(5_000_000))).toBe("too_long");
  });

  it("never throws, answers hosts that the schema takes, and is idempotent", () => {
    const piece = fc.oneof(
      fc.string({ unit: anyCharacter }),
      fc.domain(),
      fc.constantFrom(".", "-", "xn--", "ü", "example"),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 4 }), (pieces) => {
        const parsed = parseHost(pieces.join(""));
        if (!parsed.ok) return;
        expect(Host.safeParse(parsed.host).success).toBe(true);
        expect(parseHost(parsed.host)).toEqual(parsed);
        expect(new URL(`https://${parsed.host}/`).hostname).toBe(parsed.host);
        expect(keyHost(hostKey(parsed.host))).toBe(parsed.host);
        expect(hostKey(parsed.host)).not.toContain(".");
      }),
      { numRuns: 500 },
    );
  });
});

describe("registrableDomain", () => {
  it("uses the private part of the list", () => {
    expect(registrableDomain("a.b.github.io")).toBe("b.github.io");
    expect(isSameSite("alice.github.io", "bob.github.io")).toBe(false);
  });

  it("takes the last two labels below an unlisted top-level domain", () => {
    expect(registrableDomain("a.shop.test")).toBe("shop.test");
    expect(isSameSite("www.shop.test", "shop.test")).toBe(true);
  });

  it("falls back to the host itself", () => {
    expect(registrableDomain("github.io")).toBe("github.io");
    expect(isSameSite("test", "test")).toBe(true);
  });
});

describe("isWithin", () => {
  it("holds for the name and names below it, by whole labels", () => {
    expect(isWithin("shop.example", "shop.example")).toBe(true);
    expect(isWithin("a.shop.example", "shop.example")).toBe(true);
    expect(isWithin("myshop.example", "shop.example")).toBe(false);
    expect(isWithin("example", "shop.example")).toBe(false);
  });
});

const suffixVectors = dataFile("vectors/public-suffix.txt");
describe.skipIf(suffixVectors === undefined)(
  "the public suffix list's own tests (vectors/public-suffix.txt)",
  () => {
    const lines = suffixVectors === undefined ? "" : readFileSync(suffixVectors, "utf8");
    const cases = [...lines.matchAll(/^checkPublicSuffix\('([^']+)', (?:null|'([^']+)')\);/gm)].map(
      ([, input = "", expected]) => ({ input, expected }),
    );

    it.each(cases)("$input → $expected", ({ input, expected }) => {
      const parsed = parseHost(input);
      if (expected === undefined) expect(parsed.ok).toBe(false);
      else expect(parsed.ok && registrableDomain(parsed.host)).toBe(domainToASCII(expected));
    });
  },
);

const idnaVectors = dataFile("vectors/idna-toascii-wpt.json");
describe.skipIf(idnaVectors === undefined)(
  "the web platform's IDNA tests (vectors/idna-toascii-wpt.json)",
  () => {
    type Case = { input: string; output: string | null };
    const all: unknown[] = idnaVectors === undefined ? [] : JSON.parse(readFileSync(idnaVectors, "utf8"));
    const cases = all.filter((entry): entry is Case => typeof entry === "object");

    it(`reads ${cases.length} names as the vectors do, or refuses them`, () => {
      for (const { input, output } of cases) {
        // A second label of our own, so that single labels are tested too.
        const parsed = parseHost(`${input}.example`);
        if (output === null) expect.soft(parsed.ok, JSON.stringify(input)).toBe(false);
        else if (parsed.ok) expect.soft(parsed.host, JSON.stringify(input)).toBe(`${output}.example`);
      }
    });
  },
);

describe("a name that is never public", () => {
  it.each([
    "metadata.internal",
    "router.local",
    "x.home.arpa",
    "a.b.corp",
    "service.onion",
    "db.localdomain",
  ])("is %s", (host) => expect(isNeverPublic(host)).toBe(true));
  it.each(["internal.example", "local.shop.test", "arpa.example.com", "e164.arpa", "mylocal.org"])(
    "is not %s",
    (host) => expect(isNeverPublic(host)).toBe(false),
  );
});
