/** The guides: files of docs/ as pages. They are the project's own, so what they hold is shown as it is. */
import { readFileSync } from "node:fs";

/** Files of docs/ that are pages, in their order; the quickstarts first. */
export const GUIDES = [
  ...["quickstart-agents", "quickstart-owners", "quickstart-dns-providers", "quickstart-operators"],
  ...[
    "agents",
    "sdk",
    "mcp",
    "registry-clients",
    "site-owners",
    "serving",
    "accounts",
    "providers",
    "trust",
    "trust-score",
  ],
  ...["threat-model", "glossary", "operators", "administration", "deploy", "observability", "upgrades"],
  ...["configuration", "command-line"],
];

export interface Guide {
  name: string;
  title: string;
  text: string;
  /** Headings below the title. */
  headings: readonly string[];
}

export const readGuides = (): Guide[] => GUIDES.map(readGuide);

function readGuide(name: string): Guide {
  const text = readFileSync(new URL(`../../../docs/${name}.md`, import.meta.url), "utf8");
  let isCode = false;
  const headings: string[] = [];
  for (const line of text.split("\n")) {
    if (line.startsWith("```")) isCode = !isCode;
    if (!isCode && /^##? /.test(line)) headings.push(line.replace(/^##? /, ""));
  }
  return { name, text, title: headings[0] ?? name, headings: headings.slice(1) };
}

/** A heading's anchor, as GitHub makes it. */
export const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}_ -]/gu, "")
    .replaceAll(" ", "-");
