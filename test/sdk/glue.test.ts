/** What an agent's developer writes before the first step of a purchase, by each way: docs/sdk.md says these lines. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";

const ROOT = join(import.meta.dirname, "../..");
const read = (name: string): string => readFileSync(join(ROOT, name), "utf8");

/** Lines of code: no comments, imports, settings, declarations of types, or blanks. */
const linesOf = (text: string): string[] =>
  text
    .replace(/^(?:export )?interface [\s\S]*?^\}$/gm, "")
    .replace(/^""".*"""$/gm, "")
    .split("\n")
    .map((line) => line.trim())
    .filter(
      (line) => line !== "" && !/^(?:\/\*|\*|\/\/|#|import |from |const \{.*= process\.env)/.test(line),
    );

const AGENTS = "test/faults/agents";
/** Everything up to the first search that only connects: no data of the order, no step. */
const GLUE: Readonly<Record<string, () => string[]>> = {
  // An agent that knows nothing but the operations.
  "plain REST": () => linesOf(read("test/support/agent.ts")),
  "TypeScript SDK": () => linesOf(read(`${AGENTS}/by-sdk.ts`).split(/^const found = /m)[0]!),
  "Python SDK": () => linesOf(read(`${AGENTS}/by_sdk.py`)).filter((line) => line.startsWith("with Bridge(")),
  "MCP client": () => {
    const [before, after] = read(`${AGENTS}/by-mcp.ts`).split(/^const \{ sites \} = /m) as [string, string];
    return [...linesOf(before), ...linesOf(/^async function act\([\s\S]*?^\}$/m.exec(after)![0])];
  },
};

it.each(Object.entries(GLUE))("%s", (way, glue) => {
  const lines = glue();
  expect(lines.length).toBeGreaterThan(0);
  expect(read("docs/sdk.md"), lines.join("\n")).toMatch(
    new RegExp(`^\\| ${way} +\\| ${String(lines.length)} +\\|`, "m"),
  );
});
