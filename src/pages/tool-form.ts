/**
 * Forms that a page declares as tools: WebMCP's declarative form (https://webmachinelearning.github.io/webmcp, its attributes
 * as of 2026). Read alike by sessions and by the crawl.
 */
import { attribute, type Element } from "./parse-html.ts";

/** As WebMCP has names of tools. */
const TOOL_NAME = /^[\w.-]{1,64}$/;

/** The form's name as a tool; undefined where it is none, or its name cannot be one. */
export function toolName(form: Pick<Element, "attrs">): string | undefined {
  const name = attribute(form as Element, "toolname")?.trim();
  return name && TOOL_NAME.test(name) ? name : undefined;
}

/** What a page says of a tool or parameter, on one line without control characters; bounded by whoever shows it. */
export const toolText = (
  element: Pick<Element, "attrs">,
  name: "tooldescription" | "toolparamdescription",
): string =>
  (attribute(element as Element, name) ?? "")
    .slice(0, 512)
    .toWellFormed()
    .replace(/[\p{Cc}\p{Cf}\s]+/gu, " ")
    .trim();
