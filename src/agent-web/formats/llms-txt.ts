/** llms.txt (AnswerDotAI/llms-txt): Markdown with a title, a summary, and lists of links by section. agents.md: free Markdown. */
import { Findings, isHtmlPage, readText } from "./document.ts";
import type { Format, Reading } from "./format.ts";

const LINK = /^\s{0,8}[-*+]\s{1,8}\[[^\]]{0,500}\]\([^)\s]{1,2000}/;
const ITEM = /^\s{0,8}[-*+]\s/;
/** A heading or a link. */
const PARTS = /^#{1,6}\s|\]\(/m;
const MAX_LINES = 50_000;

export const LLMS_TXT: Format = {
  name: "llms-txt",
  paths: [
    { path: "/llms.txt", yield: 43 },
    { path: "/.well-known/llms.txt", yield: 3 },
    { path: "/llms-full.txt", yield: 1 },
  ],
  relations: ["llms.txt", "llms-txt", "llms"],
  mediaTypes: [],
  read: (bytes, url) => readMarkdown(bytes, !url.pathname.endsWith("llms-full.txt")),
};

export const AGENTS_MD: Format = {
  name: "agents-md",
  paths: [{ path: "/agents.md", yield: 1 }],
  relations: [],
  mediaTypes: [],
  read: (bytes) => readMarkdown(bytes, false),
};

/** @param checks whether llms.txt's own rules apply */
function readMarkdown(bytes: Uint8Array, checks: boolean): Reading | undefined {
  const text = readText(bytes);
  if (text === undefined || !isProse(text)) return undefined;
  const findings = new Findings();
  const hasParts = checks ? check(text, findings) : PARTS.test(text);
  return {
    revision: null,
    conforms: checks ? findings.conforms : null,
    usable: hasParts,
    findings: findings.list,
    services: [],
  };
}

/** Words for people or models: neither a page nor data. */
function isProse(text: string): boolean {
  const start = text.trimStart().slice(0, 1);
  return (
    start !== "" &&
    start !== "{" &&
    start !== "<" &&
    !isHtmlPage(text) &&
    !/^\[\s*[{"\]]/.test(text.trimStart())
  );
}

/**
 * Line by line: a heading first, then anything but headings, then sections of links.
 * @returns whether it has a title or links
 */
function check(text: string, findings: Findings): boolean {
  const lines = text.split(/\r\n?|\n/, MAX_LINES);
  const first = lines.find((line) => line.trim() !== "") ?? "";
  const title = /^#\s/.test(first);
  if (!title) findings.breaks("no_title", "", "Begin with a line “# Name”.");
  let links = 0;
  let fenced = false;
  let section = { at: -1, links: 0 };
  for (const [at, line] of lines.entries()) {
    if (/^\s{0,3}(?:```|~~~)/.test(line)) fenced = !fenced;
    const heading = fenced ? 0 : (/^(#{1,6})\s/.exec(line)?.[1]?.length ?? 0);
    if (heading === 1 && line !== first)
      findings.breaks("second_title", `${at + 1}`, "Keep one line “# Name”.");
    if (heading > 2) findings.breaks("deep_heading", `${at + 1}`, "Use “## Section” alone.");
    if (heading === 2) {
      closeSection(section, findings);
      section = { at, links: 0 };
    } else if (LINK.test(line)) {
      links++;
      section.links++;
    } else if (section.at >= 0 && heading === 0 && line.trim() !== "") {
      const rule = ITEM.test(line) ? "item_without_link" : "prose_in_section";
      findings.breaks(rule, `${at + 1}`, "Hold links alone in a section: - [name](address): note.");
    }
  }
  closeSection(section, findings);
  if (links === 0) findings.advises("no_links", "", "Link the pages that an agent should read.");
  return title || links > 0;
}

function closeSection(section: { at: number; links: number }, findings: Findings): void {
  if (section.at >= 0 && section.links === 0)
    findings.breaks("section_without_links", `${section.at + 1}`, "List links in it, or leave it out.");
}
