import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { Validator } from "@seriousme/openapi-schema-validator";
import { describe, expect, it } from "vitest";
import { openapiDocument, readExamples } from "../../app/front/openapi.ts";
import { services } from "../../app/services.ts";

import { type ErrorCode, httpStatusOf } from "../../src/rpc/errors.ts";
import { type Json, jsonSchemaOf } from "../../src/rpc/json-schema.ts";

interface Parameter {
  name: string;
  in: string;
  required: boolean;
  schema: Json;
}
interface Operation {
  operationId: string;
  tags: string[];
  summary: string;
  parameters?: Parameter[];
  requestBody?: { content: Record<string, { schema: Json }> };
  responses: Record<string, Response & { $ref?: string }>;
}
interface Response {
  description: string;
  content: Record<string, { schema: Json }>;
}
interface Document {
  openapi: string;
  info: { version: string };
  tags: { name: string }[];
  paths: Record<string, Record<string, Operation>>;
  webhooks: Record<string, { post: Operation }>;
  components: { schemas: Record<string, Json>; responses: Record<string, Response> };
}

const document = openapiDocument(services, readExamples()) as unknown as Document;
const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
);

/** Every object anywhere in a JSON value, with its pointer. */
function* walk(value: unknown, at = "#"): Generator<[pointer: string, object: Json]> {
  if (typeof value !== "object" || value === null) return;
  if (!Array.isArray(value)) yield [at, value as Json];
  for (const [name, inner] of Object.entries(value))
    yield* walk(inner, `${at}/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`);
}
const resolve = (root: unknown, reference: string): unknown =>
  reference
    .slice(2)
    .split("/")
    .reduce<unknown>(
      (inner, step) => (inner as Json | undefined)?.[step.replaceAll("~1", "/").replaceAll("~0", "~")],
      root,
    );

/** A response, also where it is a reference. */
const responseOf = (response: Response & { $ref?: string }): Response =>
  response.$ref === undefined ? response : (resolve(document, response.$ref) as Response);
/** The codes that an operation may have with a status, by the type of its problem. */
function codesOf(operation: Operation, status: string): string[] {
  const { schema } = responseOf(operation.responses[status]!).content["application/problem+json"]!;
  const { allOf } = resolve(document, String(schema.$ref)) as {
    allOf: [Json, { properties: { code: { enum: string[] } } }];
  };
  return allOf[1].properties.code.enum;
}

const WEBHOOK_FIELDS = ["webhook-id", "webhook-timestamp", "webhook-signature"];
const SCHEMA_TYPES = new Set(["string", "number", "integer", "boolean", "array", "object", "null"]);

describe("the OpenAPI document", () => {
  it("is of version 3.1 and has the service's version", () => {
    expect(document.openapi).toMatch(/^3\.1\.\d+$/);
    expect(document.info.version).toBe("1.2.0");
  });

  it("is valid by the OpenAPI specification's own schema", async () => {
    const { valid, errors } = await new Validator().validate(structuredClone(document) as never);
    expect([valid, errors]).toEqual([true, undefined]);
  });

  it("names every operation once, by a verb and a noun", () => {
    const ids = operations.map(({ operation }) => operation.operationId);
    expect(new Set(ids).size).toBe(ids.length);
    for (const id of ids) expect(id).toMatch(/^[a-z]+[A-Z][A-Za-z0-9]*$/);
  });

  it("names every body that is sent and every JSON object that is answered", () => {
    for (const { operation } of operations) {
      const success = operation.responses["200"] ?? operation.responses["201"];
      const parts = [operation.requestBody?.content, responseOf(success!).content];
      for (const schema of parts.map((content) => content?.["application/json"]?.schema))
        if (schema) expect(schema, operation.operationId).toHaveProperty("$ref");
    }
  });

  it("says what the registry sends to its callers", () => {
    expect(Object.keys(document.webhooks)).toEqual(
      services.flatMap(({ webhooks }) => Object.keys(webhooks ?? {})),
    );
    const { post } = document.webhooks.receiveBatch!;
    expect(post.requestBody!.content["application/json"]!.schema).toEqual({
      $ref: "#/components/schemas/BatchReply",
    });
    expect(post.parameters!.map(({ name }) => name)).toEqual(WEBHOOK_FIELDS);
  });

  it("has every path and method of the contracts, and no other", () => {
    const declared = services.flatMap(({ operations: all }) =>
      Object.values(all).flatMap(({ method, paths }) =>
        paths.map((path) => `${method.toLowerCase()} ${path}`),
      ),
    );
    expect(operations.map(({ path, method }) => `${method} ${path}`).sort()).toEqual(declared.sort());
    expect(new Set(declared).size).toBe(declared.length);
  });

  it("refers to nothing that is not in it", () => {
    const dangling = [...walk(document)]
      .filter(([, object]) => typeof object.$ref === "string")
      .filter(([, object]) => resolve(document, String(object.$ref)) === undefined)
      .map(([at, object]) => `${at}: ${object.$ref}`);
    expect(dangling).toEqual([]);
    // A type that is only a reference, to itself even, says nothing.
    for (const [name, schema] of Object.entries(document.components.schemas))
      expect(schema, name).toHaveProperty("type");
  });

  it("keeps no schema that nothing refers to", () => {
    const used = new Set([...walk(document)].map(([, { $ref }]) => $ref));
    for (const name of Object.keys(document.components.schemas))
      expect(used, name).toContain(`#/components/schemas/${name}`);
  });

  it("declares every parameter of a path, in the path and required, and every parameter once and typed", () => {
    for (const { path, operation } of operations) {
      const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
      const parameters = operation.parameters ?? [];
      expect(parameters.filter((one) => one.in === "path").map(({ name }) => name)).toEqual(inPath);
      expect(new Set(parameters.map((one) => `${one.in} ${one.name}`)).size).toBe(parameters.length);
      for (const { in: where, required, schema, name } of parameters) {
        if (where === "path") expect(required).toBe(true);
        // What a query string says is read by this type.
        expect(SCHEMA_TYPES, `${path} ${name}`).toContain(schema.type);
      }
    }
  });

  it("uses the types and annotations of JSON Schema 2020-12 alone", () => {
    const schemas = [...walk(document.components.schemas)].filter(([, { type }]) => typeof type === "string");
    expect(schemas.length).toBeGreaterThan(50);
    for (const [at, schema] of schemas) {
      expect(SCHEMA_TYPES, at).toContain(schema.type);
      expect(schema, at).not.toHaveProperty("nullable");
      expect(schema, at).not.toHaveProperty("example");
      if (schema.examples !== undefined) expect(Array.isArray(schema.examples), at).toBe(true);
    }
  });

  it("gives each operation a summary, a known tag, one success and every failure it declares", () => {
    const tags = document.tags.map(({ name }) => name);
    for (const { operation } of operations) {
      expect(operation.summary.length).toBeGreaterThan(5);
      for (const tag of operation.tags) expect(tags).toContain(tag);
      const service = services.find(({ name }) => operation.tags.includes(name))!;
      const [, contract] = Object.entries(service.operations).find(
        ([name]) => operation.operationId.replace(/At[A-Z]\w*$/, "") === name,
      )!;
      const statuses = Object.keys(operation.responses);
      expect(statuses.filter((status) => status < "300")).toEqual([String(contract.status ?? 200)]);
      for (const code of contract.errors)
        expect(codesOf(operation, String(httpStatusOf(code))), code).toContain(code);
    }
  });

  it("has what the front refuses before an operation is reached", () => {
    for (const { path, method, operation } of operations) {
      const expected = [
        "408",
        "431",
        ...(path.includes("{") ? ["414"] : []),
        ...(operation.requestBody ? ["413", "415"] : []),
      ];
      expect(Object.keys(operation.responses), `${method} ${path}`).toEqual(expect.arrayContaining(expected));
    }
  });

  it("gives every failure as a problem document, whose code is one of those of its operation and status", () => {
    for (const { operation } of operations)
      for (const status of Object.keys(operation.responses)) {
        if (status < "400") continue;
        const codes = codesOf(operation, status);
        expect(codes.length).toBeGreaterThan(0);
        for (const code of codes) expect(httpStatusOf(code as ErrorCode), code).toBe(Number(status));
        const { description } = responseOf(operation.responses[status]!);
        expect([...description.matchAll(/`(\w+)`/g)].map(([, code]) => code)).toEqual(codes);
      }
  });

  it("is the same every time", () => {
    expect(JSON.stringify(openapiDocument(services))).toBe(JSON.stringify(openapiDocument(services)));
  });
});

describe("recorded examples", () => {
  const examples = readExamples();

  it("are there for every operation that is sent or answers JSON, and fit its contract", () => {
    for (const service of services)
      for (const [name, operation] of Object.entries(service.operations)) {
        const id = name;
        const { request, reply } = examples[id] ?? {};
        const answersJson = (operation.contentType ?? "application/json") === "application/json";
        expect(reply !== undefined, `${id}: run npm run generate -- examples`).toBe(answersJson);
        if (answersJson) expect(operation.reply.safeParse(reply).error, id).toBeUndefined();
        if (operation.body && !operation.bodyOptional)
          expect(request, `${id}: run npm run generate -- examples`).toBeDefined();
      }
  });

  it("are of operations that there are", () => {
    const ids = services.flatMap(({ operations: all }) => Object.keys(all));
    expect(Object.keys(examples).filter((id) => !ids.includes(id))).toEqual([]);
  });

  it("hold no credential of the run that they are from", () => {
    const text = JSON.stringify(examples);
    expect(
      [...text.matchAll(/bridge_(?:[a-z]+_)+([\w-]{16,})/g)].filter(([, key]) => !/^[0_-]+$/.test(key!)),
    ).toEqual([]);
    expect(text).not.toMatch(/127\.0\.0\.1:\d/);
  });
});

describe("examples in the schemas", () => {
  it("fit the schema that they stand in", () => {
    const wrong: string[] = [];
    for (const service of services)
      for (const [name, operation] of Object.entries(service.operations))
        for (const part of ["params", "query", "body"] as const)
          for (const [member, schema] of Object.entries(operation[part]?.shape ?? {})) {
            const { examples = [] } = jsonSchemaOf(schema as never, "input") as { examples?: unknown[] };
            for (const example of examples)
              if (!(schema as { safeParse(value: unknown): { success: boolean } }).safeParse(example).success)
                wrong.push(`${name}.${part}.${member}: ${JSON.stringify(example)}`);
          }
    expect(wrong).toEqual([]);
  });
});

describe("generated files", () => {
  it("are what the contracts say", () => {
    const script = fileURLToPath(new URL("../../app/generate.ts", import.meta.url));
    const { status, stderr } = spawnSync(process.execPath, [script, "--check"], { encoding: "utf8" });
    expect([status, stderr]).toEqual([0, ""]);
  });
});
