/** What a document is to the agent that reads it, by its address. */
import type { TextRole } from "../../../schemas/finding.ts";

/** Documents for agents, by the names that their specifications give them (llmstxt.org, agentskills.io, agents.md). */
const FOR_AGENTS =
  /\/(?:llms(?:-[\w-]+)?\.txt|(?:skill|agents?|claude|gemini|auth)\.md|ai\.txt|\.well-known\/[^?#]+)$/i;

export const roleOf = (url: string | undefined): TextRole =>
  FOR_AGENTS.test(URL.parse(url ?? "")?.pathname ?? "") ? "agent_document" : "page";
