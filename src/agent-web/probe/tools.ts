/** Tools as a server lists them: strangers' text, screened, cut, and told apart from the list of another day. */
import { createHash } from "node:crypto";
import { type Effect, stronger } from "../../../schemas/action.ts";
import { MAX_TOOLS, type ServiceTool } from "../../../schemas/agent-web.ts";
import { effectOfWords } from "../../browser/effect-words.ts";
import { judgeText } from "../../detectors/firewall/judge.ts";
import { label, prose } from "../../domain/strangers-text.ts";
import { canonicalize } from "../../domain/trust/jcs.ts";
import { isMembers, type Members, membersIn, memberText } from "../formats/document.ts";
import { parametersOf } from "../parameters.ts";

/** Of a tool's schema, whose texts agents read, too. */
const MAX_SCREENED_SCHEMA = 4_096;
const READS =
  /^(?:get|list|search|find|read|fetch|query|lookup|describe|show|check|count|browse|view)(?![a-z])/;

/** A list of tools as it was read. */
export interface ListedTools {
  /** In the order of their names; one name is one tool. */
  tools: ServiceTool[];
  /** Entries left out. */
  cut: number;
  /** Of all that is listed, in that order. */
  sha256: string;
}

/** Screening is much work: in a thread (reading-thread.ts). */
export function readTools(listed: readonly unknown[]): ListedTools {
  const named = new Map<string, Members>();
  for (const tool of listed)
    if (isMembers(tool) && typeof tool.name === "string" && !named.has(tool.name)) named.set(tool.name, tool);
  const sorted = [...named].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, tool]) => tool);
  const digest = createHash("sha256");
  const tools: ServiceTool[] = [];
  for (const tool of sorted) {
    const schema = schemaText(tool.inputSchema);
    digest.update(JSON.stringify([tool.name, tool.description ?? null, schema, tool.annotations ?? null]));
    if (tools.length < MAX_TOOLS) tools.push(readTool(tool, schema));
  }
  return { tools, cut: listed.length - tools.length, sha256: digest.digest("hex") };
}

function readTool(tool: Members, schema: string): ServiceTool {
  const name = label(String(tool.name), 200);
  const description = memberText(prose(memberText(tool.description)));
  const parameters = parametersOf(tool.inputSchema);
  // What is kept of a longer schema may stand behind what is read of it.
  const ends = schema.length > MAX_SCREENED_SCHEMA ? parameters : [];
  const words = [name, description, schema.slice(0, MAX_SCREENED_SCHEMA), ...ends].join("\n");
  const screened = screenedText(words);
  return {
    name,
    description: screened === "withheld" ? "" : description,
    ...(screened !== "withheld" && parameters.length > 0 && { parameters }),
    effect: effectOf(tool),
    screened,
  };
}

export function screenedText(text: string): ServiceTool["screened"] {
  const { action } = judgeText(text, "tool_description");
  return action === "block" ? "withheld" : action === "warn" ? "warned" : "clear";
}

/** What it says of itself can make its effect stronger, never weaker. */
function effectOf(tool: Members): Effect {
  const words = String(tool.name)
    .slice(0, 200)
    .replace(/([a-z])([A-Z])/g, "$1_$2")
    .toLowerCase();
  const inferred = effectOfWords(words.replace(/[^a-z0-9]+/g, " "), READS.test(words) ? "content" : "");
  return stronger(membersIn(tool.annotations).destructiveHint === true ? "write" : undefined, inferred);
}

/** One text whatever the order of members; references in it are never resolved. */
function schemaText(schema: unknown): string {
  try {
    return canonicalize(schema ?? null);
  } catch {
    return JSON.stringify(schema);
  }
}
