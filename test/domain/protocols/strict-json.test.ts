import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseStrictJson, type StrictJsonLimits } from "../../../src/domain/protocols/strict-json.ts";
import { processorWatch } from "../../support/processor-watch.ts";

function outcome(input: string | Uint8Array, limits?: StrictJsonLimits): string {
  const parsed = parseStrictJson(input, limits);
  return parsed.ok ? "ok" : parsed.reason;
}

/** Values whose JSON text has one meaning. */
const safeValue = fc
  .jsonValue({ maxDepth: 6 })
  .filter(
    (value) => !/\d{16}|e\+|__proto__/.test(JSON.stringify(value)) && JSON.stringify(value).isWellFormed(),
  );

describe("parseStrictJson", () => {
  it("gives what JSON.parse gives", () => {
    fc.assert(
      fc.property(safeValue, fc.constantFrom(undefined, 2, "\t"), (value, indent) => {
        const text = JSON.stringify(value, null, indent);
        expect(parseStrictJson(text)).toEqual({ ok: true, value: JSON.parse(text) });
        expect(parseStrictJson(Buffer.from(text))).toEqual({ ok: true, value: JSON.parse(text) });
      }),
      { numRuns: 300 },
    );
  });

  it("never throws, and accepts only what JSON.parse accepts", () => {
    const soup = fc.string({ unit: fc.constantFrom(...'{}[]",:\\u0dD8 1-.e+tn\ud83d'), maxLength: 24 });
    fc.assert(
      fc.property(soup, (text) => {
        const parsed = parseStrictJson(text);
        if (parsed.ok) expect(JSON.parse(text)).toEqual(parsed.value);
      }),
      { numRuns: 2_000 },
    );
  });

  it("never throws on any bytes", () => {
    fc.assert(fc.property(fc.uint8Array(), (bytes) => void parseStrictJson(bytes)));
  });

  it("refuses a doubled name at any depth, wherever it stands", () => {
    const names = fc.uniqueArray(fc.string({ unit: "grapheme" }), { minLength: 1, maxLength: 5 });
    fc.assert(
      fc.property(names, safeValue, fc.nat(3), (members, value, depth) => {
        fc.pre(!members.includes("__proto__"));
        const content = JSON.stringify(value);
        const doubled = [...members, members[0]!]
          .map((name) => `${JSON.stringify(name)} : ${content}`)
          .join(",");
        expect(outcome(`${'{"in":['.repeat(depth)}{${doubled}}${"]}".repeat(depth)}`)).toBe("doubled_key");
      }),
    );
  });

  it("compares names after unescaping", () => {
    expect(outcome('{"a":1,"\\u0061":2}')).toBe("doubled_key");
    expect(outcome('{"\\/":1,"/":2}')).toBe("doubled_key");
    expect(outcome('{"a\\u0300":1,"à":2}')).toBe("ok");
  });

  it("says where the doubled name stands", () => {
    expect(parseStrictJson('{"a":{"b":1},"a":2}')).toEqual({ ok: false, reason: "doubled_key", offset: 13 });
  });

  it("does not take values, or names of other objects, for names", () => {
    expect(outcome('{"a":"a","b":["a","a",{"a":"b"}],"c":{"a":{}},"d":":\\",{"}')).toBe("ok");
    expect(outcome('[{"a":1},{"a":1}]')).toBe("ok");
  });

  it("refuses integers that a double cannot hold apart, however written", () => {
    for (const number of ["9007199254740992", "-9007199254740992", "1e16", "12345678901234567890", "1e400"]) {
      expect(outcome(`{"n":[${number}]}`)).toBe("unsafe_number");
      expect(outcome(number)).toBe("unsafe_number");
    }
    for (const number of ["9007199254740991", "-9007199254740991", "-0", "0.1", "1e-400", "1.5E3"]) {
      expect(outcome(`{"n":[${number}]}`)).toBe("ok");
      expect(outcome(number)).toBe("ok");
    }
  });

  it("refuses lone surrogates, escaped or raw, in names and values", () => {
    for (const text of ['"\\ud800"', '["\\udc00\\ud800"]', '{"\\uD83D":1}', '"\ud800"', '"\\ud83d\udca9"']) {
      expect(outcome(text)).toBe("lone_surrogate");
    }
    expect(outcome('["\\ud83d\\ude00","😀"]')).toBe("ok");
  });

  it("refuses ill-formed UTF-8, and reads the next document all the same", () => {
    expect(outcome(Buffer.from([0x22, 0xff, 0x22]))).toBe("invalid_utf8");
    expect(outcome(Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22]))).toBe("invalid_utf8");
    expect(outcome(Buffer.from([0x22, 0xc0, 0x80, 0x22]))).toBe("invalid_utf8");
    expect(outcome(Buffer.from('"ü"'))).toBe("ok");
  });

  it("refuses a byte order mark", () => {
    expect(outcome(Buffer.from([0xef, 0xbb, 0xbf, 0x7b, 0x7d]))).toBe("byte_order_mark");
    expect(outcome("\ufeff{}")).toBe("byte_order_mark");
  });

  it("refuses nesting beyond its limit", () => {
    expect(outcome("[".repeat(64) + "]".repeat(64))).toBe("ok");
    expect(outcome("[".repeat(65) + "]".repeat(65))).toBe("too_deep");
    expect(outcome("[".repeat(32_768) + "]".repeat(32_768))).toBe("too_deep");
    expect(outcome('{"a":[1]}', { maxDepth: 1 })).toBe("too_deep");
  });

  it("counts its size limit in bytes", () => {
    expect(outcome('"üü"', { maxBytes: 6 })).toBe("ok");
    expect(outcome('"üü"', { maxBytes: 5 })).toBe("too_large");
    expect(outcome(Buffer.from('"üü"'), { maxBytes: 5 })).toBe("too_large");
  });

  it("refuses the name __proto__, and touches no prototype", () => {
    expect(outcome('{"__proto__":{"polluted":true}}')).toBe("forbidden_key");
    expect(outcome('{"\\u005f_proto__":1}')).toBe("forbidden_key");
    expect(outcome('["__proto__"]')).toBe("ok");
    expect(outcome('{"constructor":{"prototype":{}}}')).toBe("ok");
  });

  it("stays linear on hostile documents of the full size", () => {
    const full = 65_000;
    const documents = [
      `["${"\\\\".repeat(full / 2)}"]`,
      `[${"{},".repeat(full / 3)}{}]`,
      `{${Array.from({ length: full / 9 }, (_, i) => `"${i.toString(36)}":1`).join(",")}}`,
      `[${"0.".padEnd(full, "1")}]`,
      `["${"\\u0061".repeat(full / 6)}"]`,
      `[${" ".repeat(full)}]`,
    ];
    const tookMs = processorWatch();
    for (const document of documents) expect(outcome(document)).toBe("ok");
    expect(tookMs()).toBeLessThan(500);
  });
});
