/** What a tool is called with, in words. Text of strangers, cut to its bounds; nothing in a schema is resolved. Pure. */
import { MAX_PARAMETER, MAX_PARAMETERS } from "../../schemas/agent-web.ts";
import { label } from "../domain/strangers-text.ts";

/** @param schema the tool's input schema, as it lists it. @returns "name: what it says of it", each in one line */
export function parametersOf(schema: unknown): string[] {
  const properties = membersOf(membersOf(schema).properties);
  return Object.entries(properties)
    .slice(0, MAX_PARAMETERS)
    .map(([name, said]) => {
      const { description } = membersOf(said);
      return label(typeof description === "string" ? `${name}: ${description}` : name, MAX_PARAMETER);
    });
}

const membersOf = (value: unknown): Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : {};
