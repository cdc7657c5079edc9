import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import type { BenchLine } from "./bench-line.ts";

/**
 * A search ran functions of 62 files when this was written: turns, counted bodies and early refusals are three more than before,
 * and are what no connection can starve others by; the steps of the order and the second index are one more each. Another is to be worth what its readers lose.
 */
const MOST_FILES = 65;

it("a search goes through no more files than it did", async () => {
  const main = join(import.meta.dirname, "main.ts");
  // Without another test's settings, as of traces.
  const env = Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !/^(BRIDGE|OTEL)_/.test(name)),
  );
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [main, "way"], { env });
  const [{ value }] = stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as BenchLine) as [BenchLine];
  expect(value, stderr).toBeGreaterThan(20);
  expect(value, stderr).toBeLessThanOrEqual(MOST_FILES);
});
