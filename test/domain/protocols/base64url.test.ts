import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decodeBase64Url, encodeBase64Url } from "../../../src/domain/protocols/base64url.ts";

describe("decodeBase64Url", () => {
  it("gives back what was encoded", () => {
    fc.assert(
      fc.property(fc.uint8Array(), (bytes) => {
        expect(Array.from(decodeBase64Url(encodeBase64Url(bytes))!)).toEqual(Array.from(bytes));
      }),
    );
  });

  it("encodes a text as its UTF-8", () => {
    expect(encodeBase64Url("ü")).toBe("w7w");
  });

  it("refuses every second spelling of the same bytes", () => {
    // "YQ" is "a": padded, with stray trailing bits, spaced, cut to one character, in the other alphabet.
    for (const text of ["YQ==", "YR", "Y Q", " YQ", "YQ\n", "Y", "YWJj+", "a/b_", "YQ,", "ＹＱ"]) {
      expect(decodeBase64Url(text)).toBeUndefined();
    }
    expect(decodeBase64Url("")).toHaveLength(0);
  });

  it("accepts a text only when it is the encoding of what it gives", () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 12 }), (text) => {
        const bytes = decodeBase64Url(text);
        if (bytes) expect(encodeBase64Url(bytes)).toBe(text);
      }),
    );
  });
});
