import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { keyed } from "../../src/domain/keyed.ts";
import { openToken, signedToken } from "../../src/domain/signed-token.ts";

const NOW = Date.parse("2026-11-24T12:00:00Z");

describe("what follows from a secret", () => {
  it("is another for another secret, purpose or list of parts, however the parts are cut", () => {
    const all = [
      keyed("secret", "use"),
      keyed("other", "use"),
      keyed("secret", "another use"),
      keyed("secret", "use", "a", "b"),
      keyed("secret", "use", "a\nb"),
      keyed("secret", "use", "ab"),
      keyed("secret", "use\na", "b"),
      keyed("secret", "use", "a", "b", ""),
      keyed("secret", "use", 1),
      keyed("secret", "use", "1"),
    ];
    expect(new Set(all.map((bytes) => bytes.toString("hex"))).size).toBe(all.length);
    expect(keyed("secret", "use", "a", "b")).toEqual(all[3]);
  });
});

describe("a signed token", () => {
  const payload = ["shop.test", { nested: "line\nfeed" }];
  const bytes = Buffer.from([0, 10, 255]);
  const token = signedToken("secret", "use", payload, NOW, bytes);

  it("gives back what was signed, until it ends", () => {
    expect(openToken("secret", "use", token, NOW - 1)).toEqual({ payload, bytes });
    expect(openToken("secret", "use", token, NOW)).toBeUndefined();
    expect(openToken("secret", "use", signedToken("secret", "use", null, NOW), 0)).toEqual({
      payload: null,
      bytes: Buffer.alloc(0),
    });
  });

  it("is of one registry and one purpose", () => {
    expect(openToken("other", "use", token, 0)).toBeUndefined();
    expect(openToken("secret", "another use", token, 0)).toBeUndefined();
  });

  it("has one spelling: no byte of it can be changed, left off or added", () => {
    for (let at = 0; at < token.length; at++) {
      const other = token[at] === "A" ? "B" : "A";
      expect(openToken("secret", "use", token.slice(0, at) + other + token.slice(at + 1), 0)).toBeUndefined();
      expect(openToken("secret", "use", token.slice(0, at), 0)).toBeUndefined();
    }
    for (const made of [`${token}.`, `${token}A`, ` ${token}`, `${token}=`, `.${token}`])
      expect(openToken("secret", "use", made, 0)).toBeUndefined();
  });

  it("of anybody's making is none, and harms nothing", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        for (const made of [text, `${text}.${text}`, `${text}.${token.slice(-22)}`])
          expect(openToken("secret", "use", made, 0)).toBeUndefined();
      }),
    );
  });
});
