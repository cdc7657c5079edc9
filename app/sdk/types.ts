/** The types that the SDKs (sdk/) show, taken from the OpenAPI document: what the operations that they call take and give. */
import type { Json } from "../../src/rpc/json-schema.ts";

/** Operations that the SDKs call, and what their types are called. One that no registry of this version has is left out. */
const CALLED: Readonly<Record<string, string>> = {
  "GET /api/discovery/search": "Search",
  "GET /api/registry/sites/{domain}": "Verdict",
  "GET /api/registry/sites/{domain}/evidence": "Evidence",
  "GET /api/registry/sites/{domain}/observations": "Observations",
  "GET /api/bridge/read-page": "ReadPage",
  "POST /api/bridge/authenticate": "Authenticate",
  "GET /api/bridge/actions": "Actions",
  "POST /api/bridge/execute": "Execute",
  "POST /api/bridge/access-requests": "AccessRequest",
  "GET /api/bridge/access-requests/{requestId}": "AccessRequestState",
  "POST /api/bridge/access-requests/{requestId}/collect": "Collect",
  "GET /api/bridge/receipts": "Receipts",
  "POST /api/v1/firewall/scan": "Scan",
  "GET /api/v1/price/history/{platform}/{productId}": "PriceHistory",
};

/** A named type: a JSON Schema whose `$ref`s are names of others. */
export interface NamedSchema {
  name: string;
  schema: Json;
}

/** A tool for models as the SDKs show it. */
export interface ToolDefinition {
  name: string;
  description: string;
  /** JSON Schema of its arguments. */
  input: Json;
}

const PREFIX = "#/components/schemas/";

/** Every type that the SDKs show, by name. */
export function sdkTypes(document: Json): NamedSchema[] {
  const schemas = (document.components as { schemas: Record<string, Json> }).schemas;
  const paths = document.paths as Record<string, Record<string, Json>>;
  const types = Object.entries(CALLED).flatMap(([call, name]) => {
    const [method, path] = call.split(" ") as [string, string];
    const operation = paths[path]?.[method.toLowerCase()];
    return operation ? operationTypes(name, operation) : [];
  });
  const needed = new Set<string>(["Problem"]);
  const need = (name: string): void => {
    if (needed.has(name) || !schemas[name]) return;
    needed.add(name);
    refsOf(schemas[name], need);
  };
  for (const { schema } of types) refsOf(schema, need);
  const named = [...needed].map((name) => ({ name, schema: schemas[name]! }));
  return [...named, ...types.filter(({ name }) => !needed.has(name))].sort((a, b) =>
    a.name < b.name ? -1 : 1,
  );
}

function operationTypes(name: string, operation: Json): NamedSchema[] {
  const types: NamedSchema[] = [];
  const parameters = (operation.parameters as Json[] | undefined)?.filter(
    ({ in: place }) => place === "query",
  );
  if (parameters?.length) types.push({ name: `${name}Query`, schema: queryOf(parameters) });
  const body = contentOf(operation.requestBody);
  if (body) types.push({ name: `${name}Body`, schema: body });
  const [status] = Object.keys(operation.responses as Json).filter((each) => each.startsWith("2"));
  const reply = status && contentOf((operation.responses as Record<string, unknown>)[status]);
  if (reply) types.push({ name: `${name}Reply`, schema: reply });
  return types;
}

function queryOf(parameters: Json[]): Json {
  const own = parameters.filter(({ in: place }) => place === "query");
  return {
    type: "object",
    properties: Object.fromEntries(
      own.map(({ name, schema, description }) => [name, { ...(schema as Json), description }]),
    ),
    required: own.filter(({ required }) => required).map(({ name }) => name),
  };
}

const contentOf = (holder: unknown): Json | undefined =>
  ((holder as Json | undefined)?.content as Record<string, { schema?: Json }> | undefined)?.[
    "application/json"
  ]?.schema;

/** Calls `visit` with every schema name that a value refers to. */
function refsOf(value: unknown, visit: (name: string) => void): void {
  if (typeof value !== "object" || value === null) return;
  if (Array.isArray(value)) {
    for (const each of value) refsOf(each, visit);
    return;
  }
  for (const [key, member] of Object.entries(value))
    if (key === "$ref" && typeof member === "string") visit(member.slice(PREFIX.length));
    else refsOf(member, visit);
}

/** The name that a reference stands for; undefined for any other schema. */
export const refName = ({ $ref }: Json): string | undefined =>
  typeof $ref === "string" ? $ref.slice(PREFIX.length) : undefined;
