/** What a document is to the agent that reads it, by its address. */
import type { TextRole } from "../../../schemas/finding.ts";

/** Documents for agents, by the names that their specifications give them (llmstxt.org, agentskills.io, agents.md). */
const FOR_AGENTS = /^(?:llms(?:-[\w-]+)?\.txt|(?:skill|agents?|claude|gemini|auth)\.md|ai\.txt)$/i;

export function roleOf(url: string | undefined): TextRole {
  const path = URL.parse(url ?? "")?.pathname ?? "";
  const name = path.slice(path.lastIndexOf("/") + 1);
  return path.startsWith("/.well-known/") || FOR_AGENTS.test(name) ? "agent_document" : "page";
}
