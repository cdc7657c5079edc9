/** How many entries of a registry's dump give claims, and what becomes of the others: the part of an import that needs no broker. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parseServer } from "../../../src/imports/entry.ts";

export interface ImportedEntries {
  /** Newest versions that name a host: each is a claim. */
  entries_imported: number;
  entries: number;
  by_outcome: Record<string, number>;
}

/** @param dir with mcp-registry/servers.jsonl */
export function importEntries(dir: string): ImportedEntries {
  const lines = readFileSync(join(dir, "mcp-registry", "servers.jsonl"), "utf8")
    .split("\n")
    .filter(Boolean);
  const byOutcome: Record<string, number> = {};
  for (const line of lines) {
    const outcome = outcomeOf(line);
    byOutcome[outcome] = (byOutcome[outcome] ?? 0) + 1;
  }
  return { entries_imported: byOutcome.new ?? 0, entries: lines.length, by_outcome: byOutcome };
}

/** As of a registry that knows nothing yet. */
function outcomeOf(line: string): string {
  const parsed = parseServer(JSON.parse(line), "mcp-registry");
  if (!parsed.ok) return parsed.reason;
  const { isLatest, isDeleted, refusal } = parsed.entry;
  if (!isLatest) return "older";
  return isDeleted ? "deleted" : (refusal ?? "new");
}
