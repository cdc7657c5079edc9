/** Types of the SDKs as TypeScript declarations. */
import type { Json } from "../../src/rpc/json-schema.ts";
import { type NamedSchema, refName, type ToolDefinition } from "./types.ts";

const HEAD =
  "/** What the registry's operations take and give. Generated from its OpenAPI document by `npm run generate`. */\n";
const IDENTIFIER = /^[A-Za-z_$][\w$]*$/;

/** The module that declares them. */
export const typescriptTypes = (types: readonly NamedSchema[]): string =>
  `${HEAD}${types
    .map(
      ({ name, schema }) =>
        `\n${comment(schema.description, "")}export type ${name} = ${typeOf(schema, "")};\n`,
    )
    .join("")}`;

const comment = (text: unknown, indent: string): string =>
  typeof text === "string" ? `${indent}/** ${text.replaceAll("*/", "*∕").replaceAll("\n", " ")} */\n` : "";

function typeOf(schema: Json, indent: string): string {
  const name = refName(schema);
  if (name) return name;
  if ("const" in schema) return literal(schema.const);
  if (schema.enum) return union((schema.enum as unknown[]).map(literal));
  const alternatives = (schema.anyOf ?? schema.oneOf) as Json[] | undefined;
  if (alternatives && !schema.properties) return union(alternatives.map((each) => typeOf(each, indent)));
  if (Array.isArray(schema.type))
    return union(schema.type.map((type: string) => typeOf({ ...schema, type }, indent)));
  switch (schema.type) {
    case "object":
      return objectOf(schema, indent);
    case "array":
      return `Array<${typeOf((schema.items ?? {}) as Json, indent)}>`;
    case "integer":
    case "number":
      return "number";
    case "string":
    case "boolean":
    case "null":
      return schema.type;
    default:
      return "unknown";
  }
}

const literal = (value: unknown): string => JSON.stringify(value);

const union = (types: string[]): string => [...new Set(types)].join(" | ");

function objectOf(schema: Json, indent: string): string {
  const properties = Object.entries((schema.properties ?? {}) as Record<string, Json>);
  const required = new Set(schema.required as string[] | undefined);
  const rest = schema.additionalProperties;
  const inner = `${indent}  `;
  const members = properties.map(([name, member]) => {
    const key = IDENTIFIER.test(name) ? name : literal(name);
    return `${comment(member.description, inner)}${inner}${key}${required.has(name) ? "" : "?"}: ${typeOf(member, inner)};\n`;
  });
  if (rest && typeof rest === "object") {
    // Beside named members an index can say no more than unknown: it holds for those too.
    const value = properties.length > 0 ? "unknown" : typeOf(rest as Json, inner);
    members.push(`${inner}[name: string]: ${value};\n`);
  }
  return members.length === 0 ? "Record<string, never>" : `{\n${members.join("")}${indent}}`;
}

/** The module that holds the definitions of the registry's tools for models. */
export const typescriptTools = (tools: readonly ToolDefinition[]): string =>
  `/** Tools for models. Generated from those of /mcp by \`npm run generate\`. */\nexport const TOOL_DEFINITIONS = ${JSON.stringify(tools, undefined, 2)} as const;\n`;
