/** What a tool is called with, in words. Text of strangers, cut to its bounds; nothing in a schema is resolved. Pure. */
import { MAX_PARAMETER, MAX_PARAMETERS } from "../../schemas/agent-web.ts";
import { label } from "../domain/strangers-text.ts";
import { membersIn } from "./formats/document.ts";

/** @param schema the tool's input schema, as it lists it. @returns "name: what it says of it", each in one line */
export function parametersOf(schema: unknown): string[] {
  const properties = membersIn(membersIn(schema).properties);
  return Object.entries(properties)
    .slice(0, MAX_PARAMETERS)
    .map(([name, said]) => {
      const { description } = membersIn(said);
      return label(typeof description === "string" ? `${name}: ${description}` : name, MAX_PARAMETER);
    });
}
