/** What others publish for people and for agents, none of it an attack: how much of it is warned of, blocked or delisted. */
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { TextRole } from "../../../schemas/finding.ts";
import { hiddenInstructions, scanFirewall } from "../../../src/detectors/firewall/rules.ts";
import { readPageModel } from "../../../src/pages/page-model.ts";
import { dataDir } from "../../support/data.ts";

const read = (patterns: string[]) =>
  globSync(patterns, { cwd: dataDir }).map((file) => ({
    file,
    text: readFileSync(join(dataDir, file), "utf8"),
  }));

const HOME_PAGES = read(["agent-web/sites/*/index.html", "agent-web-2/*/sites/*/index.html"]);
const DOCUMENTS = read(["agent-web*/**/llms*.txt", "agent-web*/**/sites/**/*.md"]);
if (HOME_PAGES.length === 0) console.info("agent-web is not on this machine: its pages are skipped");

/** Files that are not allowed, with their verdicts. */
function stopped(files: typeof HOME_PAGES, role: TextRole) {
  const isPage = role === "page";
  const judged = files.map(({ file, text }) => {
    const input = { html: isPage ? text : undefined, text: isPage ? undefined : text };
    return { file, verdict: scanFirewall({ url: undefined, role, ...input }).verdict };
  });
  const of = (wanted: string): string[] =>
    judged.filter(({ verdict }) => verdict === wanted).map(({ file }) => file);
  return { blocked: of("block"), warned: of("warn") };
}

describe.skipIf(HOME_PAGES.length === 0)("of what real sites publish", () => {
  it.each<[what: string, files: typeof HOME_PAGES, role: TextRole]>([
    ["home pages", HOME_PAGES, "page"],
    ["documents for agents", DOCUMENTS, "agent_document"],
  ])("at most one of 200 %s is blocked, and three of 100 warned of", (_, files, role) => {
    const { blocked, warned } = stopped(files, role);
    expect(blocked.length, blocked.join("\n")).toBeLessThanOrEqual(files.length / 200);
    expect(warned.length, warned.join("\n")).toBeLessThanOrEqual((3 * files.length) / 100);
  });

  it("no home page hides instructions to machines", () => {
    const found = HOME_PAGES.filter(({ text }) => hiddenInstructions(readPageModel(text)).length > 0);
    expect(found.map(({ file }) => file)).toEqual([]);
  });
});
