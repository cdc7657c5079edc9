/** docs/evaluation/time.md: what each parser of strangers' bytes cost at worst. */
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { PARSERS } from "./parsers.ts";
import type { ParserResult } from "./run.ts";

const ROOT = join(import.meta.dirname, "../../..");
const FILE = join(ROOT, "docs/evaluation/time.md");
const BIOME = join(ROOT, "node_modules/.bin/biome");

function rowOf({ parser, worst, faults, tried }: ParserResult): string {
  const { cpuMs, chars } = worst?.worst ?? { cpuMs: 0, chars: 1 };
  const cells = [
    parser.name,
    parser.where,
    parser.maxChars.toLocaleString("en"),
    `${cpuMs.toFixed(1)}${faults.length > 0 ? " ✗" : ""}`,
    String(parser.budgetMs),
    ((cpuMs * 1e6) / chars).toFixed(0),
    worst?.slope?.toFixed(2) ?? "–",
    tried.toLocaleString("en"),
  ];
  return `| ${cells.join(" | ")} |`;
}

const HEAD = `# Time of strangers' bytes

The slowest input that \`npm run faults -- fuzz time\` found for each parser: processor time at the largest length a stranger can
have it read, beside what is allowed, nanoseconds a character, and the power by which time grows with length (1 is a line;
– where it was too fast to tell). "Thread": a deadline ends it; "loop": the event loop waits for it. ✗: more than is allowed,
or more than a line. \`--parser=NAME\` prints the input, with \`--write\` it makes the row.

Inputs come from the regular expressions that the parser was seen to run (a text that leads to each quantifier, its part
repeated, an end that does not match), from words of its grammar, from inputs that were slow before, and from changes to the
slowest of them; a seed fixes the random numbers. What was not found is not shown to be absent: \`npm run check\` holds each
expression to linear time by itself.
`;

/** Rows of the report as it stands, by the parser's name. */
function rowsNow(): Map<string, string> {
  const rows = new Map<string, string>();
  if (!existsSync(FILE)) return rows;
  for (const line of readFileSync(FILE, "utf8").split("\n"))
    if (line.startsWith("| ") && !/^\| (?:Parser|-+) *\|/.test(line))
      rows.set(line.slice(2, line.indexOf(" | ")).trimEnd(), line);
  return rows;
}

/** Writes the rows of these results; those of other parsers stay as they are. @returns the file */
export function writeReport(results: readonly ParserResult[]): string {
  const rows = rowsNow();
  for (const result of results) rows.set(result.parser.name, rowOf(result));
  const lines = [
    HEAD,
    "| Parser | Where | Characters | Worst, ms | Allowed, ms | ns a character | Power | Inputs tried |",
    "| --- | --- | --- | --- | --- | --- | --- | --- |",
    ...PARSERS.flatMap(({ name }) => rows.get(name) ?? []),
    "",
  ];
  writeFileSync(FILE, lines.join("\n"));
  // The project's formatter aligns tables, by its own idea of how wide a character is.
  spawnSync(BIOME, ["format", "--write", FILE], { stdio: "ignore" });
  return FILE;
}

/** Names of the parsers that the report has a row for, in its order. */
export const reportedParsers = (): string[] => [...rowsNow().keys()];
