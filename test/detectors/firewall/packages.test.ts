/** What a tool answers may be any document: those of the packages that are installed here were written by others, for people. */
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { scanFirewall } from "../../../src/detectors/firewall/rules.ts";

const ROOT = join(import.meta.dirname, "../../..");
const MOST = 150;
const texts = globSync("node_modules/{*,@*/*}/README.md", { cwd: ROOT })
  .sort()
  .map((path) => readFileSync(join(ROOT, path), "utf8"))
  .filter(({ length }) => length > 1_000 && length < 30_000)
  .slice(0, MOST);

describe("the documents of installed packages", () => {
  it("are hardly warned of as what a tool answers", { timeout: 60_000 }, () => {
    expect(texts.length).toBeGreaterThan(100);
    const verdicts = texts.map(
      (text) => scanFirewall({ url: undefined, html: undefined, text, role: "tool_result" }).verdict,
    );
    const share = (of: readonly string[]) =>
      verdicts.filter((verdict) => of.includes(verdict)).length / texts.length;
    expect(share(["warn", "block"])).toBeLessThan(0.06);
    expect(share(["block"])).toBeLessThan(0.03);
  });
});
