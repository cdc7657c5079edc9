import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { describe, expect, it } from "vitest";

const ROOT = join(import.meta.dirname, "../..");
const run = (name: string, option: string) =>
  spawnSync(process.execPath, ["app/bridge.mjs", "run", `test/${name}/main.ts`, option], {
    cwd: ROOT,
    encoding: "utf8",
  });

describe.each(["faults", "simulation"])("the command of %s", (name) => {
  it("says how it is used, with an example, and does nothing", () => {
    const { status, stdout } = run(name, "--help");
    expect(status).toBe(0);
    expect(stdout).toMatch(/^Usage: npm run .*Example/s);
  });

  it("names an option that it does not know, and ends with 2", () => {
    const { status, stderr } = run(name, "--nonsense");
    expect(status).toBe(2);
    expect(stderr).toMatch(/^Unknown option '--nonsense'.*Usage: npm run/s);
  });
});
