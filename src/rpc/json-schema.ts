/** zod → JSON Schema 2020-12 for the generated documents. */
import { z } from "zod";

export type Json = Record<string, unknown>;

/** The members of an object schema, also of a named type, which is a reference to its definition. */
export function membersOf<Member = Json>(
  schema: z.ZodType,
  io: "input" | "output",
): { properties: Record<string, Member>; required: string[] } {
  const { $ref, $defs, ...json } = jsonSchemaOf(schema, io) as Json & { $defs?: Record<string, Json> };
  const object = typeof $ref === "string" ? $defs![$ref.slice("#/$defs/".length)]! : json;
  const { properties = {}, required = [] } = object as {
    properties?: Record<string, Member>;
    required?: string[];
  };
  return { properties, required };
}

/**
 * @param io "input": what a caller may send, defaults optional; "output": what the service returns
 * @returns the schema with named types under `$defs`; `example` becomes `examples`, the standard's annotation. Objects
 * have no other members than those named, except where the type is a loose one: callers' unknown members are refused by
 * this (unknown-members.ts).
 */
export const jsonSchemaOf = (schema: z.ZodType, io: "input" | "output"): Json =>
  z.toJSONSchema(schema, {
    io,
    target: "draft-2020-12",
    unrepresentable: "any",
    override: ({ zodSchema, jsonSchema }) => {
      const { def } = zodSchema._zod;
      // "output" says so by itself. A reference says nothing beside what it refers to.
      if (io === "input" && def.type === "object" && !def.catchall && jsonSchema.properties)
        jsonSchema.additionalProperties = false;
      const { example, ...rest } = jsonSchema as Json;
      if (example === undefined) return;
      for (const name of Object.keys(jsonSchema)) delete (jsonSchema as Json)[name];
      Object.assign(jsonSchema, rest, { examples: [example] });
    },
  }) as Json;
