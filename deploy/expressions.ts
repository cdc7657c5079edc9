/**
 * `deploy/expressions.ts`: rejects regular expressions of superlinear time, by recheck. `--write` keeps its answers in
 * deploy/expressions/verdicts.json.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { EXCEPTIONS } from "./expressions/exceptions.ts";
import { inventory } from "./expressions/inventory.ts";
import { refusals } from "./expressions/refusals.ts";
import { keptVerdicts, VERDICTS_FILE, verdictsOf, writtenVerdicts } from "./expressions/verdicts.ts";

const expressions = await inventory();
const verdicts = await verdictsOf(expressions, keptVerdicts());
const text = writtenVerdicts(verdicts);
if (process.argv.includes("--write")) writeFileSync(VERDICTS_FILE, text);

const faults = refusals(expressions, verdicts, EXCEPTIONS);
if (readFileSync(VERDICTS_FILE, "utf8") !== text)
  faults.push("deploy/expressions/verdicts.json is not of these expressions.");
for (const fault of faults) process.stdout.write(`${fault}\n`);
process.stdout.write(`${expressions.length} expressions, ${EXCEPTIONS.length} exceptions\n`);
// recheck's program is still running.
process.exit(faults.length > 0 ? 1 : 0);
