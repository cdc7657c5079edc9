import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import type { BenchLine } from "./bench-line.ts";

/** A search ran functions of 57 files when this was written. Another is to be worth what its readers lose. */
const MOST_FILES = 58;

it("a search goes through no more files than it did", async () => {
  const main = join(import.meta.dirname, "main.ts");
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [main, "way"]);
  const { value } = JSON.parse(stdout) as BenchLine;
  expect(value, stderr).toBeGreaterThan(20);
  expect(value, stderr).toBeLessThanOrEqual(MOST_FILES);
});
