/** What must not compile. `tsc` is the judge: an unused expectation below fails `npm run check`. */
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { defineService, type Handlers } from "../../src/rpc/contract.ts";
import { fail } from "../../src/rpc/errors.ts";

const common = { method: "GET", auth: "none", summary: "", example: "" } as const;
const typed = defineService({
  name: "typed",
  description: "",
  operations: {
    one: {
      ...common,
      paths: ["/one"],
      query: z.object({ n: z.int().default(1) }),
      reply: z.object({ n: z.int() }),
      errors: ["not_found"],
    },
    two: { ...common, paths: ["/two"], reply: z.string(), errors: [] },
  },
});
type Typed = Handlers<typeof typed>;

const whole: Typed = {
  one: async ({ query }) => (query.n > 5 ? fail("not_found", "") : { n: query.n }),
  two: async () => fail("unavailable", ""),
};

// @ts-expect-error a handler is missing
export const missing: Typed = { one: whole.one };

export const undeclared: Typed = {
  ...whole,
  // @ts-expect-error operation two does not declare this code
  two: async () => fail("not_found", ""),
};

export const wrongReply: Typed = {
  ...whole,
  // @ts-expect-error the reply's n is a number
  one: async () => ({ n: "1" }),
};

export const wrongInput: Typed = {
  ...whole,
  // @ts-expect-error the query has no such member
  one: async ({ query }) => ({ n: query.m }),
};

// @ts-expect-error no such code in the union
export const unknownCode = fail("no_such_code", "");

export const noPath = defineService({
  name: "no-path",
  description: "",
  // @ts-expect-error an operation has at least one path
  operations: { none: { ...common, paths: [], reply: z.string(), errors: [] } },
});

export const unknownError = defineService({
  name: "unknown-error",
  description: "",
  // @ts-expect-error declared codes are of the union
  operations: { one: { ...common, paths: ["/"], reply: z.string(), errors: ["no_such_code"] } },
});

describe("handlers that compile", () => {
  it("are those of the contract, one an operation", () => {
    expect(Object.keys(whole)).toEqual(Object.keys(typed.operations));
  });
});
