/** Contract → OpenAPI 3.1 document. */
import type { z } from "zod";
import { VERSIONS } from "../../schemas/common.ts";
import { Problem } from "../../schemas/problem.ts";
import { credentialsOf, isOpenToAll, type OperationSpec, type Service } from "../../src/rpc/contract.ts";
import {
  type AccessErrorCode,
  type CommonErrorCode,
  type ErrorCode,
  type FrontErrorCode,
  type IdempotencyErrorCode,
  statusOf,
  type TrustErrorCode,
  titleOf,
} from "../../src/rpc/errors.ts";
import { type Json, jsonSchemaOf, membersOf } from "../../src/rpc/json-schema.ts";

const COMMON_ERRORS: readonly CommonErrorCode[] = ["invalid_request", "internal", "unavailable", "timeout"];

/** Error codes of access control. */
const accessErrors = ({ auth, plan, keyItself }: OperationSpec): readonly AccessErrorCode[] => [
  // Every call is charged to the limit table, at least to `requests`; where nobody needs a credential, an agent's must be valid.
  "rate_limited",
  "authentication_required",
  ...(auth !== "none" ? (["quota_exceeded"] as const) : []),
  ...(auth === "key" ? (["key_revoked"] as const) : []),
  // An agent's token stands for its account's key, if there is one.
  ...(plan || (auth === "key" && !keyItself) ? (["insufficient_plan"] as const) : []),
];

/** The alternative security requirements of an operation. */
const securityOf = (operation: OperationSpec): Json[] => {
  const schemes = credentialsOf(operation).flatMap((kind) =>
    kind === "key"
      ? ["key", "keyHeader", "keyParameter", ...(operation.keyItself ? [] : ["agent"])]
      : [kind as string],
  );
  return [...schemes.map((scheme) => ({ [scheme]: [] })), ...(isOpenToAll(operation) ? [{}] : [])];
};

const SECURITY_SCHEMES: Json = {
  account: {
    type: "http",
    scheme: "bearer",
    bearerFormat: "JWT",
    description: "The token of POST /api/auth/login",
  },
  agent: { type: "http", scheme: "bearer", description: "An agent token of POST /api/account/agents" },
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

/** Error codes of the front itself. */
const ALWAYS_ERRORS: readonly FrontErrorCode[] = ["request_timeout", "headers_too_large"];
const BODY_ERRORS: readonly FrontErrorCode[] = ["invalid_json", "body_too_large", "unsupported_media_type"];
const TRUST_ERRORS: readonly TrustErrorCode[] = [
  "trust_headers_invalid",
  "trust_nonce_expired",
  "trust_key_unknown",
  "trust_signature_wrong",
  "trust_nonce_replayed",
  "rate_limited",
];
const IDEMPOTENCY_ERRORS: readonly IdempotencyErrorCode[] = [
  "invalid_idempotency_key",
  "idempotency_in_progress",
  "unknown_outcome",
  "reply_not_kept",
  "idempotency_conflict",
];
const IDEMPOTENCY_PARAMETER: Json = {
  name: "Idempotency-Key",
  in: "header",
  required: false,
  description:
    "Names this request, quoted or bare (draft-ietf-httpapi-idempotency-key-header-07): repeated with it within a day, it is done once and answered with the first reply (`Idempotency-Replayed: true`). Take a random one, such as a UUID.",
  schema: { type: "string", minLength: 1, maxLength: 255, pattern: "^[!-~]+$" },
  example: "8e03978e-40d5-43e8-bc93-6894a57f9324",
};
const frontErrors = (
  operation: OperationSpec,
): readonly (FrontErrorCode | TrustErrorCode | IdempotencyErrorCode)[] => [
  ...ALWAYS_ERRORS,
  // Any query string may be malformed; with path parameters, the path may be too, or too long.
  "invalid_url",
  ...(operation.anyQuery ? [] : (["unknown_parameter"] as const)),
  ...(operation.params ? (["uri_too_long"] as const) : []),
  ...(operation.body ? BODY_ERRORS : []),
  ...TRUST_ERRORS,
  ...(operation.makes ? IDEMPOTENCY_ERRORS : []),
];

/** JSON Schema of a zod type; named types move to `components`. */
const schemaOf = (schema: z.ZodType, io: "input" | "output", components: Json): Json => {
  const { $schema: _, $defs, ...json } = jsonSchemaOf(schema, io) as Json & { $defs?: Json };
  const moved = (value: unknown): unknown =>
    JSON.parse(JSON.stringify(value).replaceAll('"#/$defs/', '"#/components/schemas/'));
  for (const [name, definition] of Object.entries($defs ?? {})) components[name] = moved(definition);
  return moved(json) as Json;
};

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

/** Responses for failures: one per status, which lists its codes. */
const failureResponses = (operation: OperationSpec): Json => {
  const byStatus = new Map<number, ErrorCode[]>();
  for (const code of new Set<ErrorCode>([
    ...COMMON_ERRORS,
    ...frontErrors(operation),
    ...accessErrors(operation),
    ...operation.errors,
  ]))
    byStatus.set(statusOf(code), [...(byStatus.get(statusOf(code)) ?? []), code]);
  return Object.fromEntries(
    [...byStatus]
      .sort(([a], [b]) => a - b)
      .map(([status, codes]) => [
        String(status),
        {
          description: codes.map((code) => `\`${code}\`: ${titleOf(code)}`).join("; "),
          content: { "application/problem+json": { schema: { $ref: "#/components/schemas/Problem" } } },
        },
      ]),
  );
};

const operationObject = (service: Service, name: string, path: string, components: Json): Json => {
  const operation = service.operations[name]!;
  const first = path === operation.paths[0];
  const tag = service.name.replaceAll("-", "");
  return {
    operationId: first
      ? `${tag}_${name}`
      : `${tag}_${name}_${path.replace(/\W+/g, "_").replace(/^_|_$/g, "")}`,
    tags: [service.name],
    summary: operation.summary,
    ...(operation.description && { description: operation.description }),
    ...((operation.params || operation.query || operation.makes) && {
      parameters: [
        ...parametersOf(operation, components),
        ...(operation.makes ? [IDEMPOTENCY_PARAMETER] : []),
      ],
    }),
    ...(operation.body && {
      requestBody: {
        required: !operation.bodyOptional,
        content: { "application/json": { schema: schemaOf(operation.body, "input", components) } },
      },
    }),
    responses: {
      [String(operation.status ?? 200)]: {
        description: "Success",
        content: {
          [operation.contentType ?? "application/json"]: {
            schema:
              operation.contentType === "application/octet-stream"
                ? {}
                : schemaOf(operation.reply, "output", components),
          },
        },
      },
      ...failureResponses(operation),
    },
    security: securityOf(operation),
  };
};

/** The OpenAPI document of services, in their order. Deterministic, so that it can be committed and compared. */
export const openapiDocument = (services: readonly Service[]): Json => {
  const components: Json = {};
  schemaOf(Problem, "output", components);
  const paths: Record<string, Json> = {};
  for (const service of services)
    for (const [name, operation] of Object.entries(service.operations))
      for (const path of operation.paths) {
        paths[path] ??= {};
        paths[path][operation.method.toLowerCase()] = operationObject(service, name, path, components);
      }
  return {
    openapi: "3.1.0",
    info: {
      title: "Agent-Web Bridge",
      version: VERSIONS.bridge,
      description: "A registry of agent-ready websites that keeps itself true.",
      license: { name: "Apache-2.0", identifier: "Apache-2.0" },
    },
    servers: [{ url: "/" }],
    tags: services.map(({ name, description }) => ({ name, description })),
    paths,
    components: {
      securitySchemes: SECURITY_SCHEMES,
      schemas: Object.fromEntries(Object.entries(components).sort(([a], [b]) => (a < b ? -1 : 1))),
    },
  };
};
