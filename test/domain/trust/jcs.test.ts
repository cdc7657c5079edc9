import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { canonicalize } from "../../../src/domain/trust/jcs.ts";
import { dataFile } from "../../support/data.ts";

const file = dataFile("vectors/jcs.jsonl");

describe("canonicalize", () => {
  it.skipIf(!file)(`gives RFC 8785's published outputs${file ? "" : " (vectors missing)"}`, () => {
    const vectors = readFileSync(file!, "utf8")
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as { name: string; input: string; output: string });
    expect(vectors.length).toBeGreaterThanOrEqual(6);
    for (const { name, input, output } of vectors) {
      expect([name, canonicalize(JSON.parse(input))]).toEqual([name, output]);
    }
  });

  it("writes numbers as RFC 8785 appendix B does", () => {
    const numbers: [hexOfDouble: string, text: string][] = [
      ["0000000000000000", "0"],
      ["8000000000000000", "0"],
      ["0000000000000001", "5e-324"],
      ["7fefffffffffffff", "1.7976931348623157e+308"],
      ["4340000000000000", "9007199254740992"],
      ["4430000000000000", "295147905179352830000"],
      ["44b52d02c7e14af5", "9.999999999999997e+22"],
      ["44b52d02c7e14af6", "1e+23"],
      ["444b1ae4d6e2ef4e", "999999999999999700000"],
      ["444b1ae4d6e2ef50", "1e+21"],
      ["3eb0c6f7a0b5ed8d", "0.000001"],
      ["3eb0c6f7a0b5ed8c", "9.999999999999997e-7"],
      ["41b3de4355555553", "333333333.3333332"],
      ["becbf647612f3696", "-0.0000033333333333333333"],
    ];
    for (const [hex, text] of numbers) {
      expect(canonicalize(Buffer.from(hex, "hex").readDoubleBE())).toBe(text);
    }
  });

  it("does not depend on the order of members, and is a fixed point", () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string({ unit: "grapheme" }), fc.jsonValue()), (value) => {
        const text = canonicalize(value);
        expect(canonicalize(Object.fromEntries(Object.entries(value).reverse()))).toBe(text);
        expect(canonicalize(JSON.parse(text))).toBe(text);
      }),
    );
  });

  it("refuses what is not JSON instead of dropping or converting it", () => {
    const circular: Record<string, unknown> = {};
    circular.self = circular;
    class Point {
      x = 1;
    }
    const refused: unknown[] = [
      undefined,
      { a: undefined },
      [undefined],
      new Array(1),
      Number.NaN,
      [Number.POSITIVE_INFINITY],
      10n,
      Symbol("s"),
      () => 1,
      "\ud800",
      { "\udc00": 1 },
      new Date(0),
      new Map(),
      new Point(),
      new String("boxed"),
      { toJSON: () => 1 },
      new Uint8Array(1),
      circular,
    ];
    for (const value of refused) expect(() => canonicalize(value)).toThrow(TypeError);
  });
});
