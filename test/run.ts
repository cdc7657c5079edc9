/** `npm test`: the checks, then every test. The last line is the count of what ran. Arguments go to vitest. */
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ensureNatsServer } from "../deploy/nats-server.ts";

const root = join(import.meta.dirname, "..");
const folder = mkdtempSync(join(tmpdir(), "bridge-test-report-"));
const report = join(folder, "report.json");
const filters = process.argv.slice(2);

await ensureNatsServer((line) => process.stderr.write(`${line}\n`));
const checked =
  filters.length > 0
    ? 0
    : (spawnSync(process.execPath, ["deploy/check.ts"], { cwd: root, stdio: "inherit" }).status ?? 1);
const vitest = spawnSync(
  process.execPath,
  [
    join(root, "node_modules/vitest/vitest.mjs"),
    "run",
    "--reporter=default",
    "--reporter=json",
    `--outputFile.json=${report}`,
    ...filters,
  ],
  { cwd: root, stdio: "inherit" },
);

interface Report {
  numPassedTests: number;
  numFailedTests: number;
  numPendingTests: number;
  numTodoTests: number;
}
let counts: Report;
try {
  counts = JSON.parse(readFileSync(report, "utf8")) as Report;
} catch {
  process.stderr.write("vitest left no report.\n");
  process.exit(1);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
const skipped = counts.numPendingTests + counts.numTodoTests;
const suites = vitest.status === 0 ? 0 : Math.max(counts.numFailedTests, 1);
const failed = suites + (checked === 0 ? 0 : 1);
process.stdout.write(
  `${counts.numPassedTests} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ""}\n`,
);
process.exit(failed > 0 ? 1 : 0);
