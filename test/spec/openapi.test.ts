import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { docsPage } from "../../app/front/docs-page.ts";
import { openapiDocument } from "../../app/front/openapi.ts";
import { services } from "../../app/services.ts";
import { ERROR_CODES, statusOf } from "../../src/rpc/errors.ts";
import { type Json, jsonSchemaOf, membersOf } from "../../src/rpc/json-schema.ts";

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
  responses: Record<string, { description: string; content: Record<string, { schema: Json }> }>;
}
interface Document {
  openapi: string;
  info: { version: string };
  tags: { name: string }[];
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Json> };
}

const document = openapiDocument(services) as unknown as Document;
const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
);

/** Every object anywhere in a JSON value, with its pointer. */
const walk = function* (value: unknown, at = "#"): Generator<[pointer: string, object: Json]> {
  if (typeof value !== "object" || value === null) return;
  if (!Array.isArray(value)) yield [at, value as Json];
  for (const [name, inner] of Object.entries(value))
    yield* walk(inner, `${at}/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`);
};
const resolve = (root: unknown, reference: string): unknown =>
  reference
    .slice(2)
    .split("/")
    .reduce<unknown>(
      (inner, step) => (inner as Json | undefined)?.[step.replaceAll("~1", "/").replaceAll("~0", "~")],
      root,
    );

const SCHEMA_TYPES = new Set(["string", "number", "integer", "boolean", "array", "object", "null"]);

describe("the OpenAPI document", () => {
  it("is of version 3.1 and has the service's version", () => {
    expect(document.openapi).toMatch(/^3\.1\.\d+$/);
    expect(document.info.version).toBe("1.2.0");
  });

  it("names every operation once", () => {
    const ids = operations.map(({ operation }) => operation.operationId);
    expect(new Set(ids).size).toBe(ids.length);
    for (const id of ids) expect(id).toMatch(/^[A-Za-z]\w*$/);
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
      const name = operation.operationId.split("_")[1]!;
      const contract = service.operations[name]!;
      const statuses = Object.keys(operation.responses);
      expect(statuses.filter((status) => status < "300")).toEqual([String(contract.status ?? 200)]);
      for (const code of contract.errors)
        expect(operation.responses[statusOf(code)]?.description, code).toContain(`\`${code}\``);
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

  it("gives every failure as a problem document with known codes", () => {
    for (const { operation } of operations)
      for (const [status, { content, description }] of Object.entries(operation.responses)) {
        if (status < "400") continue;
        expect(content).toEqual({
          "application/problem+json": { schema: { $ref: "#/components/schemas/Problem" } },
        });
        for (const [, code] of description.matchAll(/`(\w+)`/g)) expect(ERROR_CODES).toContain(code);
      }
  });

  it("is the same every time", () => {
    expect(JSON.stringify(openapiDocument(services))).toBe(JSON.stringify(openapiDocument(services)));
  });
});

describe("the documentation page", () => {
  const page = docsPage(services);

  it("names every path, parameter, member of a reply and error code", () => {
    for (const { operations: all } of services)
      for (const { paths, query, body, reply, contentType } of Object.values(all)) {
        const parts = [query, body, ...(contentType === "text/html" ? [] : [reply])];
        const members = parts.flatMap((part) =>
          part ? Object.keys(membersOf(part, "output").properties) : [],
        );
        for (const word of [...paths, ...members]) expect(page).toContain(`<code>${word}</code>`);
      }
    for (const code of ERROR_CODES) expect(page).toContain(`id="error-${code}"`);
  });

  it("links only to what is on it, and loads nothing", () => {
    const ids = new Set([...page.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id));
    for (const [, target] of page.matchAll(/href="#([^"]+)"/g)) expect(ids).toContain(target);
    expect(page).not.toMatch(/<script|<link|<img|src=|@import|url\(/);
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
