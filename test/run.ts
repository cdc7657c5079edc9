/**
 * `npm test`: the checks, then every everyday test; with `--thorough`, and in CI, the thorough ones too (vitest.config.ts). Its last
 * lines name the tests that needed a second try, and count what ran. Other arguments go to vitest.
 */
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ensureNatsServer } from "../deploy/nats-server.ts";
import { ensureChromium } from "./support/chromium.ts";

const root = join(import.meta.dirname, "..");
const folder = mkdtempSync(join(tmpdir(), "bridge-test-report-"));
const THOROUGH = "--thorough";
const filters = process.argv.slice(2).filter((argument) => argument !== THOROUGH);
const inCi = Boolean(process.env.CI);
const isThorough = inCi || process.argv.includes(THOROUGH);

const say = (line: string) => void process.stderr.write(`${line}\n`);
await ensureNatsServer(say);
// Everyday tests of pages take the one that is there.
if (isThorough) ensureChromium(say);
const checked =
  filters.length > 0
    ? 0
    : (spawnSync(process.execPath, ["deploy/check.ts"], { cwd: root, stdio: "inherit" }).status ?? 1);

interface Report {
  numPassedTests: number;
  numFailedTests: number;
  numPendingTests: number;
  numTodoTests: number;
}

interface Counts {
  passed: number;
  failed: number;
  skipped: number;
}

/** Runs a program that hands these arguments on to Vitest. @returns what its report counts; undefined: it ran none, and says why */
function counted(program: string, name: string, args: readonly string[]): Counts | undefined {
  const report = join(folder, `${name}.json`);
  const reporters = [
    ...["--reporter=default", "--reporter=json", `--outputFile.json=${report}`],
    `--reporter=${join(root, "test/support/second-tries.ts")}`,
  ];
  const { status } = spawnSync(process.execPath, [join(root, program), ...args, ...reporters], {
    cwd: root,
    stdio: "inherit",
  });
  if (!existsSync(report)) return status === 0 ? undefined : { passed: 0, failed: 1, skipped: 0 };
  const counts = JSON.parse(readFileSync(report, "utf8")) as Report;
  return {
    passed: counts.numPassedTests,
    failed: status === 0 ? 0 : Math.max(counts.numFailedTests, 1),
    skipped: counts.numPendingTests + counts.numTodoTests,
  };
}

// The image is built and run where nobody waits for it, and an engine can be had; its tests are skipped and counted elsewhere.
const isWhole = filters.length === 0;
const image = isWhole && inCi ? counted("test/image/main.ts", "image", ["--short"]) : undefined;
const leftOut = [
  ...(image ? ["image"] : []),
  // Whoever names a test means it.
  ...(isWhole && !isThorough ? ["thorough", "alone"] : []),
];
const others = leftOut.map((project) => `--project=!${project}`);
const rest = counted("node_modules/vitest/vitest.mjs", "rest", ["run", ...others, ...filters]);
rmSync(folder, { recursive: true, force: true });
const sum = (member: keyof Counts): number => (rest?.[member] ?? 0) + (image?.[member] ?? 0);
const failed = sum("failed") + (checked === 0 ? 0 : 1);
const skipped = sum("skipped");
if (leftOut.includes("thorough"))
  process.stdout.write("Thorough tests were left out: npm test -- --thorough\n");
process.stdout.write(
  `${sum("passed")} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ""}\n`,
);
process.exit(failed > 0 ? 1 : 0);
