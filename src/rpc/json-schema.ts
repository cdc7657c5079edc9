/** zod → JSON Schema 2020-12, as every generated document uses it. */
import { z } from "zod";

export type Json = Record<string, unknown>;

/**
 * @param io "input": what may be sent, defaults optional; "output": what is answered
 * @returns the schema with named types under `$defs`; an `example` stands in `examples`, the standard's own annotation
 */
export const jsonSchemaOf = (schema: z.ZodType, io: "input" | "output"): Json =>
  z.toJSONSchema(schema, {
    io,
    target: "draft-2020-12",
    unrepresentable: "any",
    override: ({ jsonSchema }) => {
      const { example, ...rest } = jsonSchema as Json;
      if (example === undefined) return;
      for (const name of Object.keys(jsonSchema)) delete (jsonSchema as Json)[name];
      Object.assign(jsonSchema, rest, { examples: [example] });
    },
  }) as Json;

/** The members of an object schema, also where the schema is a named type and so only a reference to its definition. */
export const membersOf = <Member = Json>(
  schema: z.ZodType,
  io: "input" | "output",
): { properties: Record<string, Member>; required: string[] } => {
  const { $ref, $defs, ...json } = jsonSchemaOf(schema, io) as Json & { $defs?: Record<string, Json> };
  const object = typeof $ref === "string" ? $defs![$ref.slice("#/$defs/".length)]! : json;
  const { properties = {}, required = [] } = object as {
    properties?: Record<string, Member>;
    required?: string[];
  };
  return { properties, required };
};
