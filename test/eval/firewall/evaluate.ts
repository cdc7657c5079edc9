/** How well the firewall tells attacks from harmless texts: `npm run eval -- firewall [--data FILE… | --rows FILE [--role ROLE] | --write]`. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { WARN_RISK } from "../../../src/detectors/firewall/judge.ts";
import { firewallRuleset } from "../../../src/detectors/firewall/version.ts";
import { dataFile } from "../../support/data.ts";
import { confusionOf, measuresOf } from "../confusion.ts";
import { optionValues, readLabelled } from "../labelled.ts";
import { measureAll } from "./measure.ts";
import { reportOf } from "./report.ts";
import { evaluateRows, outcomeOf } from "./rows.ts";

const REPORT = join(import.meta.dirname, "..", "..", "..", "docs", "evaluation", "firewall.md");

export async function evaluate(args: string[]): Promise<number> {
  if (args.includes("--rows")) return evaluateRows(args);
  if (args.includes("--data")) return evaluateFiles(optionValues(args, "--data"));
  if (dataFile("agent-web-2/injection/rows.jsonl") === undefined) {
    process.stderr.write(
      "The data folder (BRIDGE_DATA_DIR) lacks agent-web-2/injection: nothing was measured.\n",
    );
    return 2;
  }
  const page = reportOf(measureAll((step) => process.stderr.write(`${step}\n`)));
  process.stdout.write(page);
  if (args.includes("--write")) writeFileSync(REPORT, page);
  return 0;
}

function evaluateFiles(paths: readonly string[]): number {
  if (paths.length === 0) {
    process.stderr.write("Usage: npm run eval -- firewall --data FILE…\n");
    return 2;
  }
  try {
    for (const file of paths) {
      const head = { eval: "firewall", file, ruleset: firewallRuleset(), threshold: WARN_RISK };
      const pairs = readLabelled(file).map(
        ({ text, isPositive }) => [isPositive, outcomeOf(text, "user", isPositive).isWarned] as const,
      );
      process.stdout.write(`${JSON.stringify({ ...head, ...measuresOf(confusionOf(pairs)) })}\n`);
    }
    return 0;
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\nGive JSON Lines with "text" and "label".\n`);
    return 2;
  }
}
