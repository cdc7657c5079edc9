import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { parseHost } from "../../src/domain/names/domain-name.ts";
import { parsePastedDomain } from "../../src/domain/names/pasted-domain.ts";
import type { OperationSpec } from "../../src/rpc/contract.ts";
import { Failure } from "../../src/rpc/errors.ts";
import { jsonSchemaOf } from "../../src/rpc/json-schema.ts";
import {
  decodeStrings,
  hostText,
  parseInput,
  pastedHostText,
  plainTextSchema,
  proseText,
  sealedCursor,
} from "../../src/rpc/validation.ts";
import { writeCursor } from "../../workers/search/rules.ts";

const query = z.object({
  limit: z.int().min(1).max(100).default(10),
  ratio: z.number().optional(),
  exact: z.boolean().default(false),
  q: plainTextSchema(20).optional(),
});
const operation: OperationSpec = {
  method: "GET",
  paths: ["/x"],
  summary: "",
  auth: "none",
  query,
  body: z.object({ tags: z.array(plainTextSchema(4)).max(30), "a/b~c": z.number().optional() }),
  reply: z.object({}),
  errors: [],
  example: "/x",
};

describe("a query string", () => {
  it("becomes what the contract says; what that does not name stays a text", () => {
    const raw = { limit: "5", ratio: "-0.5", exact: "true", q: "7", other: "1", constructor: "x" };
    const decoded = { limit: 5, ratio: -0.5, exact: true, q: "7", other: "1", constructor: "x" };
    expect(decodeStrings(query, raw)).toEqual(decoded);
    const parsed = parseInput({ ...operation, body: z.object({}) }, { query: decoded, body: {} });
    expect(parsed).toMatchObject({ query: { limit: 5, ratio: -0.5, exact: true, q: "7" } });
    expect(Object.keys((parsed as { query: object }).query)).toEqual(["limit", "ratio", "exact", "q"]);
  });

  it("makes an own member of a prototype's name", () => {
    const decoded = decodeStrings(query, JSON.parse('{"__proto__":"1"}'));
    expect(Object.getPrototypeOf(decoded)).toBe(Object.prototype);
    expect(Object.keys(decoded)).toEqual(["__proto__"]);
  });

  it.each(["1e3", "0x10", " 5", "", "five", "5.", "٣", "Infinity", "12345678901234567890"])(
    "does not take %j for a number",
    (text) => {
      expect(decodeStrings(query, { limit: text })).toEqual({ limit: text });
      expect(
        parseInput({ ...operation, body: z.object({}) }, { query: { limit: text }, body: {} }),
      ).toBeInstanceOf(Failure);
    },
  );

  it("does not take a repeated parameter for one", () => {
    expect(decodeStrings(query, { q: ["a", "b"] })).toEqual({ q: ["a", "b"] });
  });
});

describe("input", () => {
  it("comes back with its defaults", () => {
    expect(parseInput(operation, { body: { tags: [] } })).toEqual({
      params: undefined,
      query: { limit: 10, exact: false },
      body: { tags: [] },
    });
  });

  it("is refused with every fault and its JSON Pointer, at most twenty", () => {
    const refused = parseInput(operation, {
      query: { limit: 0 },
      body: { tags: ["ok", "too long"], "a/b~c": "x" },
    });
    if (!(refused instanceof Failure)) throw new Error("it was taken");
    expect(refused.code).toBe("invalid_request");
    expect(refused.errors?.map(({ pointer }) => pointer)).toEqual([
      "/query/limit",
      "/body/tags/1",
      "/body/a~1b~0c",
    ]);
    expect(refused.detail).toMatch(/^query\.limit: /);
    const many = parseInput(operation, { body: { tags: Array(30).fill("too long") } });
    expect(many instanceof Failure && many.errors).toHaveLength(20);
  });
});

describe("what schemas say of texts", () => {
  const patternOf = (schema: z.ZodType): RegExp =>
    new RegExp((jsonSchemaOf(schema, "input") as { pattern: string }).pattern, "u");
  /** Text of the characters that decide: blanks, controls, dots, and some others. */
  const anyText = fc.string({
    unit: fc.constantFrom(..."ab.。- \t\n\u0000\u007f\u0085\u00a0\u2028\u3000\ufeffäx:/@*%😀_"),
    maxLength: 12,
  });

  it.each([
    ["plain text", plainTextSchema(100)],
    ["prose", proseText(100)],
  ])("is what is taken, no more and no less: %s", (_, schema) => {
    const pattern = patternOf(schema);
    fc.assert(
      fc.property(anyText, (text) => {
        expect(pattern.test(text)).toBe(schema.safeParse(text).success);
      }),
      { numRuns: 5_000, seed: 1 },
    );
  });

  it("shuts out no host name that is read, however it is written", () => {
    const [host, pasted] = [patternOf(hostText(1_024)), patternOf(pastedHostText(4_096))];
    const label = fc.string({ unit: fc.constantFrom(..."abcxn-09äß茶"), minLength: 1, maxLength: 8 });
    const name = fc.array(label, { minLength: 1, maxLength: 4 }).map((labels) => labels.join("."));
    let read = 0;
    fc.assert(
      fc.property(
        name,
        fc.constantFrom("", "https://", " ", "_bridge."),
        fc.constantFrom("", ".", "/a b"),
        (middle, before, after) => {
          if (parseHost(middle).ok) {
            read++;
            expect(host.test(middle), middle).toBe(true);
          }
          const whole = before + middle + after;
          if (parsePastedDomain(whole).ok) expect(pasted.test(whole), whole).toBe(true);
        },
      ),
      { numRuns: 5_000, seed: 1 },
    );
    expect(read).toBeGreaterThan(500);
  });

  it("takes the cursors that are given", () => {
    const cursor = writeCursor("secret", "shop.example", "all", 0);
    expect(patternOf(sealedCursor(512)).test(cursor)).toBe(true);
    expect(sealedCursor(512).safeParse(cursor).success).toBe(true);
  });
});

describe("text from strangers", () => {
  const text = plainTextSchema(8);
  it.each(["tea", "茶 and", " tea ", "👍"])("takes %j", (value) => {
    expect(text.safeParse(value).success).toBe(true);
  });
  it.each(["", "   ", "a\u0000b", "a\nb", "\u009f", "\ud83d", "ninechars", 7, null])(
    "refuses %j",
    (value) => {
      expect(text.safeParse(value).success).toBe(false);
    },
  );
});
