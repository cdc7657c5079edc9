import { describe, expect, it } from "vitest";
import { z } from "zod";
import { services } from "../../app/services.ts";
import type { OperationSpec } from "../../src/rpc/contract.ts";
import { Failure } from "../../src/rpc/errors.ts";
import { probablyMeant, unknownMembers } from "../../src/rpc/unknown-members.ts";
import { parseInput, parseRequest } from "../../src/rpc/validation.ts";
import { processorWatch } from "../support/processor-watch.ts";

const operation: OperationSpec = {
  method: "POST",
  paths: ["/x"],
  summary: "",
  auth: "none",
  query: z.object({ limit: z.int().default(10) }),
  body: z.object({
    domain: z.string(),
    callback_url: z.string().optional(),
    restrictions: z.object({ denied_paths: z.array(z.string()).optional() }).optional(),
    pairs: z.array(z.object({ at: z.string() })).optional(),
    peers: z.array(z.looseObject({})).optional(),
    context: z.record(z.string(), z.unknown()).optional(),
  }),
  reply: z.object({}),
  errors: [],
  example: "/x",
};
function refusalOf(raw: object, of = operation): Failure {
  const refused = parseRequest(of, raw);
  if (!(refused instanceof Failure)) throw new Error("it was taken");
  return refused;
}

describe("what an operation does not have", () => {
  it("is refused with its place and the name that was probably meant", () => {
    const refused = refusalOf({ query: { lmit: "5" }, body: { domain: "x", callbackUrl: "https://x" } });
    expect(refused).toMatchObject({
      code: "unknown_parameter",
      detail: "query.lmit: is unknown; did you mean limit?",
      errors: [
        { pointer: "/query/lmit", code: "unknown_parameter" },
        { pointer: "/body/callbackUrl", message: "is unknown; did you mean callback_url?" },
      ],
    });
  });

  it("is refused at any depth, but not where an object is open", () => {
    const body = {
      domain: "x",
      restrictions: { deniedPaths: ["/admin"] },
      pairs: [{ at: "a" }, { at: "b", to: "c" }],
      peers: [{ anything: 1 }],
      context: { anything: { at: "all" } },
    };
    expect(refusalOf({ body }).errors?.map(({ pointer }) => pointer)).toEqual([
      "/body/restrictions/deniedPaths",
      "/body/pairs/1/to",
    ]);
  });

  it("is named beside what is missing, since it is often the same", () => {
    expect(refusalOf({ body: { domian: "x" } })).toMatchObject({
      code: "unknown_parameter",
      errors: [{ message: "is unknown; did you mean domain?" }, { pointer: "/body/domain" }],
    });
  });

  it("is everything where nothing is taken", () => {
    const { query: _, body: __, ...bare } = operation;
    expect(refusalOf({ query: { x: "1" } }, bare).detail).toBe("query.x: is unknown; nothing is taken here");
    expect(refusalOf({ body: { x: 1 } }, bare).code).toBe("unknown_parameter");
    expect(parseRequest(bare, { query: {}, body: undefined })).not.toBeInstanceOf(Failure);
  });

  it("is refused where one of several members is required, and where null is taken", () => {
    const body = z
      .object({ url: z.string().optional(), later: z.object({ url: z.string() }).nullable() })
      .meta({ anyOf: [{ required: ["url"] }, { required: ["later"] }] });
    const refused = refusalOf({ body: { later: { url: "x", uri: "y" }, uri: "z" } }, { ...operation, body });
    expect(refused.errors?.map(({ pointer }) => pointer)).toEqual(["/body/later/uri", "/body/uri"]);
    expect(parseRequest({ ...operation, body }, { body: { later: null } })).not.toBeInstanceOf(Failure);
  });

  it("is a prototype's name too", () => {
    const body = JSON.parse('{"domain":"x","constructor":1,"toString":1}');
    expect(refusalOf({ body }).errors).toHaveLength(2);
  });

  it("does not count an API key in the query string, where keys are taken", () => {
    const query = { api_key: "key" };
    const body = { domain: "x" };
    expect(parseRequest({ ...operation, auth: "key" }, { query, body })).not.toBeInstanceOf(Failure);
    expect(refusalOf({ query, body }).code).toBe("unknown_parameter");
  });

  it("is ignored in the query of a document that strangers link to", () => {
    const linked: OperationSpec = { ...operation, anyQuery: true };
    const parsed = parseRequest(linked, { query: { utm_source: "x" }, body: { domain: "x" } });
    expect(parsed).toMatchObject({ query: { limit: 10 } });
  });

  it("is ignored in a query where services that send visitors on add it", () => {
    const read: OperationSpec = { ...operation, method: "GET" };
    const query = { utm_source: "x", utm_campaign: "y", gclid: "1", fbclid: "2" };
    const body = { domain: "x" };
    expect(parseRequest(read, { query, body })).toMatchObject({ query: { limit: 10 } });
    const refused = refusalOf({ query: { ...query, limmit: 5 }, body }, read);
    expect(refused.errors?.map(({ pointer }) => pointer)).toEqual(["/query/limmit"]);
    expect(refusalOf({ query, body }, { ...operation, method: "POST" }).code).toBe("unknown_parameter");
  });

  it("is dropped at a worker: a front of a newer version may send it", () => {
    expect(parseInput(operation, { query: { newer: 1 }, body: { domain: "x", newer: 1 } })).toEqual({
      params: undefined,
      query: { limit: 10 },
      body: { domain: "x" },
    });
  });
});

describe("the name that was probably meant", () => {
  const names = ["siteId", "category", "trust_ring", "callback_url", "licenseKey", "expires_at", "limit"];
  it.each([
    ["siteid", "siteId"],
    ["site_id", "siteId"],
    ["domain", "siteId"],
    ["trustring", "trust_ring"],
    ["trust-ring", "trust_ring"],
    ["catagory", "category"],
    ["callbackUrl", "callback_url"],
    ["license", "licenseKey"],
    ["expiresAt", "expires_at"],
    ["limitt", "limit"],
    ["x", undefined],
    ["colour", undefined],
    ["l".repeat(1_000), undefined],
  ])("%s: %s", (said, meant) => {
    expect(probablyMeant(said, names)).toBe(meant);
  });

  it("is none of an operation's own names by mistake: each is closest to itself", () => {
    for (const { operations } of services)
      for (const { query, body } of Object.values(operations) as OperationSpec[])
        for (const part of [query, body]) {
          const own = Object.keys(part?.shape ?? {});
          for (const name of own) expect(probablyMeant(name.toUpperCase(), own)).toBe(name);
        }
  });

  it("takes no longer than a moment to look for, whatever was sent", () => {
    const body = Object.fromEntries(
      Array.from({ length: 60_000 }, (_, i) => [`callback_ur${i}${"l".repeat(20)}`, i]),
    );
    const long = { ["l".repeat(60_000)]: 1 };
    // The schema's shape is made once.
    unknownMembers(operation.body, {});
    const took = processorWatch();
    expect(unknownMembers(operation.body, body)).toHaveLength(20);
    const [one] = unknownMembers(operation.body, long);
    expect(JSON.stringify(one).length).toBeLessThan(400);
    expect(took()).toBeLessThan(200);
  });
});
