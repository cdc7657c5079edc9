/** Contract → OpenAPI 3.1 document. */
import { readFileSync } from "node:fs";
import type { z } from "zod";
import { VERSIONS } from "../../schemas/common.ts";
import { Problem } from "../../schemas/problem.ts";
import { credentialsOf, isOpenToAll, type OperationSpec, type Service } from "../../src/rpc/contract.ts";
import { type Json, jsonSchemaOf, membersOf } from "../../src/rpc/json-schema.ts";
import { failureResponses, pascal } from "./openapi-failures.ts";

const SECURITY_SCHEMES: Json = {
  account: {
    type: "http",
    scheme: "bearer",
    bearerFormat: "JWT",
    description: "The token of POST /api/auth/login",
  },
  agent: { type: "http", scheme: "bearer", description: "An agent token of POST /api/account/keys" },
  session: {
    type: "http",
    scheme: "bearer",
    bearerFormat: "JWT",
    description: "The token of POST /api/bridge/authenticate",
  },
  project: { type: "http", scheme: "bearer", description: "A project's key" },
  key: { type: "http", scheme: "bearer", description: "An API key of the module gateway (recommended)" },
  keyHeader: { type: "apiKey", in: "header", name: "X-BRIDGE-Key" },
  keyParameter: { type: "apiKey", in: "query", name: "api_key" },
};

/** As idempotency-key.ts reads it: a quoted string, or visible ASCII characters without quotes, commas and backslashes. */
const KEY_PATTERN = String.raw`^(?:"(?:[ !#-\[\]-~]|\\["\\])+"|[!#-+\--\[\]-~]+)$`;
const IDEMPOTENCY_PARAMETER: Json = {
  name: "Idempotency-Key",
  in: "header",
  required: false,
  description:
    "Names this request, quoted or bare (draft-ietf-httpapi-idempotency-key-header-07): repeated with it within a day, it is done once and answered with the first reply (`Idempotency-Replayed: true`). Take a random one, such as a UUID.",
  schema: { type: "string", minLength: 1, maxLength: 255, pattern: KEY_PATTERN },
  example: "8e03978e-40d5-43e8-bc93-6894a57f9324",
};

/** Of a reply that may be an earlier one. */
const STALE_HEADERS: Json = {
  Age: {
    description: "Only on an earlier reply in place of one that cannot be had: seconds since it was given",
    schema: { type: "integer", minimum: 0 },
  },
  "Cache-Status": {
    description: "Only on an earlier reply (RFC 9211): a negative `ttl` says that it is stale",
    schema: { type: "string" },
  },
};

/** What an operation was sent and answered when its documented example was tried (schemas/examples.json). */
export interface RecordedExample {
  request?: unknown;
  reply?: unknown;
}
type RecordedExamples = Readonly<Record<string, RecordedExample>>;

interface Components {
  schemas: Json;
  responses: Json;
}

/** The recorded examples; `npm run generate -- examples` records them. */
export const readExamples = (): RecordedExamples =>
  JSON.parse(readFileSync(new URL("../../schemas/examples.json", import.meta.url), "utf8"));

/**
 * The OpenAPI document of services, in their order. Deterministic, so that it can be committed and compared.
 * @param examples by operationId
 */
export function openapiDocument(services: readonly Service[], examples: RecordedExamples = {}): Json {
  const components: Components = { schemas: {}, responses: {} };
  schemaOf(Problem, "output", components.schemas);
  const paths: Record<string, Json> = {};
  const webhooks: Json = {};
  for (const service of services) {
    for (const [name, operation] of Object.entries(service.operations))
      for (const path of operation.paths) {
        paths[path] ??= {};
        paths[path][operation.method.toLowerCase()] = operationObject(
          service,
          name,
          path,
          components,
          examples,
        );
      }
    for (const id of Object.keys(service.webhooks ?? {}))
      webhooks[id] = webhookObject(service, id, components);
  }
  return {
    openapi: "3.1.1",
    info: {
      title: "Agent-Web Bridge",
      version: VERSIONS.bridge,
      description: "A registry of agent-ready websites that keeps itself true.",
      license: { name: "Apache-2.0", identifier: "Apache-2.0" },
    },
    servers: [{ url: "/" }],
    tags: services.map(({ name, description }) => ({ name, description })),
    paths,
    webhooks,
    components: {
      securitySchemes: SECURITY_SCHEMES,
      schemas: sorted(components.schemas),
      responses: sorted(components.responses),
    },
  };
}

/** JSON Schema of a zod type; named types move to `components`. */
function schemaOf(schema: z.ZodType, io: "input" | "output", components: Json): Json {
  const { $schema: _, $defs, ...json } = jsonSchemaOf(schema, io) as Json & { $defs?: Json };
  const moved = (value: unknown): unknown =>
    JSON.parse(JSON.stringify(value).replaceAll('"#/$defs/', '"#/components/schemas/'));
  for (const [name, definition] of Object.entries($defs ?? {})) components[name] = moved(definition);
  return moved(json) as Json;
}

function operationObject(
  service: Service,
  name: string,
  path: string,
  components: Components,
  examples: RecordedExamples,
): Json {
  const operation = service.operations[name]!;

  const { request, reply } = examples[name] ?? {};
  return {
    operationId: idAt(name, operation, path),
    tags: [service.name],
    summary: operation.summary,
    ...(operation.description && { description: operation.description }),
    ...((operation.params || operation.query || operation.makes) && {
      parameters: [
        ...parametersOf(operation, components.schemas),
        ...(operation.makes ? [IDEMPOTENCY_PARAMETER] : []),
      ],
    }),
    ...(operation.body && { requestBody: bodyOf(operation, pascal(name), components, request) }),
    responses: {
      [String(operation.status ?? 200)]: successOf(
        operation,
        pascal(name),
        components,
        withoutReferences(reply),
      ),
      ...failureResponses(operation, components),
    },
    security: securityOf(operation),
  };
}

/** An alias has its path in its name: `getDiscoveryDocumentAtWellKnownBridgeJson`. */
const idAt = (id: string, operation: OperationSpec, path: string): string =>
  path === operation.paths[0] ? id : `${id}At${pascal(path.replaceAll(/[{}]/g, "").replace(/^\W+/, ""))}`;

const parametersOf = (operation: OperationSpec, components: Json): Json[] =>
  (["params", "query"] as const).flatMap((part) => {
    const schema = operation[part];
    if (!schema) return [];
    schemaOf(schema, "input", components);
    const { properties, required } = membersOf(schema, "input");
    return Object.entries(properties).map(([name, { description, ...member }]) => ({
      name,
      in: part === "params" ? "path" : "query",
      required: part === "params" || required.includes(name),
      ...(description !== undefined && { description }),
      schema: member,
    }));
  });

const bodyOf = (operation: OperationSpec, name: string, components: Components, example: unknown): Json => ({
  required: !operation.bodyOptional,
  content: {
    "application/json": {
      schema: namedSchemaOf(operation.body!, "input", components, `${name}Request`),
      ...(example !== undefined && { example }),
    },
  },
});

/** The schema of a body or reply as a reference: `name` is what it is called where it has no name of its own. */
function namedSchemaOf(
  schema: z.ZodType,
  io: "input" | "output",
  { schemas }: Components,
  name: string,
): Json {
  const json = schemaOf(schema, io, schemas);
  if ("$ref" in json || json.type === "string") return json;
  schemas[name] = { type: "object", ...json };
  return { $ref: `#/components/schemas/${name}` };
}

function successOf(operation: OperationSpec, name: string, components: Components, example: unknown): Json {
  const { contentType = "application/json", reply } = operation;
  return {
    description: "Success",
    ...(operation.staleIfErrorSeconds !== undefined && { headers: STALE_HEADERS }),
    content: {
      [contentType]: {
        schema:
          contentType === "application/octet-stream"
            ? {}
            : namedSchemaOf(reply, "output", components, `${name}Reply`),
        ...(example !== undefined && { example }),
      },
      ...(operation.csv && { "text/csv": { schema: { type: "string" } } }),
    },
  };
}

/** Tools follow every `$ref` of a document, also one in an example that is itself a schema. */
const withoutReferences = (example: unknown): unknown =>
  JSON.stringify(example)?.includes('"$ref":') ? undefined : example;

/** The alternative security requirements of an operation. */
function securityOf(operation: OperationSpec): Json[] {
  const schemes = credentialsOf(operation).flatMap((kind) =>
    kind === "key"
      ? ["key", "keyHeader", "keyParameter", ...(operation.keyItself ? [] : ["agent"])]
      : [kind as string],
  );
  return [...schemes.map((scheme) => ({ [scheme]: [] })), ...(isOpenToAll(operation) ? [{}] : [])];
}

function webhookObject(service: Service, id: string, components: Components): Json {
  const { summary, description, headers, body } = service.webhooks![id]!;
  const { properties, required } = membersOf(headers, "output");
  return {
    post: {
      operationId: id,
      tags: [service.name],
      summary,
      description,
      parameters: Object.entries(properties).map(([name, { description: about, ...schema }]) => ({
        name,
        in: "header",
        required: required.includes(name),
        description: about,
        schema,
      })),
      requestBody: {
        required: true,
        content: {
          "application/json": { schema: namedSchemaOf(body, "output", components, `${pascal(id)}Event`) },
        },
      },
      responses: {
        "2XX": { description: "Accepted: it is not sent again" },
        "410": { description: "Gone: it is not sent again, and counts as failed" },
        default: { description: "It is sent again" },
      },
      security: [],
    },
  };
}

const sorted = (members: Json): Json =>
  Object.fromEntries(Object.entries(members).sort(([a], [b]) => (a < b ? -1 : 1)));
