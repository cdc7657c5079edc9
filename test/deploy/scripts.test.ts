/** Scripts of package.json: what their names stand for is there, and what stands for nothing is refused. */
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";

const ROOT = join(import.meta.dirname, "..", "..");
const { scripts } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as {
  scripts: Record<string, string>;
};

it("every script runs a file that is there", () => {
  const files = Object.values(scripts).flatMap((line) => /(?<= run )\S+/.exec(line)?.[0] ?? []);
  expect(files.length).toBeGreaterThan(5);
  const named = readFileSync(join(ROOT, "deploy/scripts.ts"), "utf8").matchAll(/\["([\w/-]+\.ts)"/g);
  for (const file of [...files, ...[...named].map(([, path]) => path!)])
    expect(existsSync(join(ROOT, file)), file).toBe(true);
});

it.each(["check", "generate"])(
  "npm run %s refuses a name that it does not have, and lists those that it has",
  (script) => {
    const args = [join(ROOT, "deploy/scripts.ts"), script, "nonsense"];
    const { status, stderr } = spawnSync(process.execPath, args, { encoding: "utf8" });
    expect([status, stderr]).toEqual([2, expect.stringMatching(/has no "nonsense": \w+, \w+/)]);
  },
);
