/**
 * What the firewall's classifier learns from and is measured on: texts of others, each with its source. A source that trained is
 * never measured on (test/eval/firewall leaves one out at a time).
 */
import type { TextRole } from "../../schemas/finding.ts";
import { readLines, readRows } from "../data.ts";
import { readMessages } from "./messages.ts";
import { readOwn } from "./own.ts";
import { readDocuments, readExamples, readJailbreaks } from "./packages.ts";

export interface SourcedText {
  readonly text: string;
  readonly isAttack: boolean;
  readonly source: string;
  readonly role: TextRole;
}

export interface Source {
  readonly name: string;
  readonly license: string;
  /** Texts of this project's own: never left out, nor measured on. */
  readonly isOwn?: boolean;
  /** Sources that took texts from the same place: left out together. */
  readonly family?: string;
  readonly texts: readonly SourcedText[];
}

interface Row {
  text: string;
  label: string | number;
  kind?: string;
  category?: string;
  source: string;
}

/** Licenses that allow weights learned from the texts to be given to anybody. */
const INJECTION_SOURCES: Readonly<Record<string, { license: string; family?: string }>> = {
  "agentdojo-v1/buried-injections recipe": { license: "MIT" },
  "cyberseceval-prompt-injection": { license: "MIT" },
  bastioncorpus: { license: "MIT" },
  hinglish: { license: "MIT" },
  "gptfuzzer-templates": { license: "MIT", family: "jailbreakchat" },
  xstest: { license: "CC-BY-4.0" },
  "livemcpbench-tool-descriptions": { license: "Apache-2.0" },
};
const OFFERS = ["amazon-google", "walmart-amazon"];
/** Every so many are enough: they resemble each other. */
const STEP = { offers: 8, tools: 8, messages: 12 } as const;

/** BIPIA's categories that only ask something: no attack by themselves. */
const PLAIN_REQUESTS = new Set([
  "Information Retrieval",
  "Content Creation",
  "Learning and Tutoring",
  "Language Translation",
  "Programming Help",
]);

/** Everything that may be learned from. @throws Error where the data folder or a package is missing */
export function readSources(): Source[] {
  const rows = readRows<Row>("agent-web-2/injection/rows.jsonl");
  const injection = Object.entries(INJECTION_SOURCES).map(([name, { license, family }]) => ({
    name,
    license,
    ...(family !== undefined && { family }),
    texts: rows
      .filter(({ source, label }) => source === name && label !== "harmful_request")
      .map((row) => textOf(row, name)),
  }));
  return [
    ...injection,
    bipia(),
    {
      name: "pyrit",
      license: "MIT",
      family: "jailbreakchat",
      texts: attacks("pyrit", readJailbreaks(), "user"),
    },
    { name: "agent-threat-rules", license: "MIT", texts: threatRules() },
    ...harmless(),
    ...readOwn().map(({ name, license, isAttack, texts }) => ({
      name,
      license,
      isOwn: true,
      texts: texts.map((text) => ({ text, isAttack, source: name, role: "user" as const })),
    })),
  ];
}

export const textOf = ({ text, label, kind = "" }: Row, source: string): SourcedText => ({
  text,
  isAttack: label === "injection" || label === "jailbreak",
  source,
  role: roleOf(kind, source),
});

/** What a text is to an agent, by the kinds of the collection: where they say nothing else, the user's own words. */
export function roleOf(kind: string, source: string): TextRole {
  if (/tool_description/.test(kind)) return "tool_description";
  if (/tool_output|memory/.test(kind)) return "tool_result";
  if (/^indirect|prose/.test(kind) || source.startsWith("owasp")) return "page";
  return "user";
}

function bipia(): Source {
  const files = ["text", "code"].map((name) => `prompt-injection/bipia-${name}-train.jsonl`);
  const texts = files
    .flatMap((file) => readRows<Row>(file))
    .filter(({ category = "" }) => !PLAIN_REQUESTS.has(category))
    .map(({ text }) => text);
  return { name: "bipia", license: "MIT", texts: attacks("bipia", texts, "tool_result") };
}

function threatRules(): SourcedText[] {
  const source = "agent-threat-rules";
  return readExamples().map((example) => ({ ...example, source }));
}

const attacks = (source: string, texts: readonly string[], role: TextRole): SourcedText[] =>
  texts.map((text) => ({ text, isAttack: true, source, role }));

/** Texts in which nobody wants anything of a machine that it should not do. */
function harmless(): Source[] {
  const of = (name: string, license: string, role: TextRole, texts: readonly string[]): Source => ({
    name,
    license,
    texts: [...new Set(texts)].map((text) => ({ text, isAttack: false, source: name, role })),
  });
  const tools = readRows<{ description?: string; source?: string }>("agent-web-2/tools/tools.jsonl")
    .filter(({ source }) => source?.startsWith("toolsdk-ai/") === true)
    .map(({ description = "" }) => description)
    .filter((text) => text.length > 20);
  const services = readRows<{ description?: string }>("services/mcp-registry-2025-05.jsonl")
    .map(({ description = "" }) => description)
    .filter((text) => text.length > 10);
  const shop = readRows<{ text: string }>("dark-patterns/ec-darkpattern.jsonl").map(({ text }) => text);
  return [
    of("toolsdk", "MIT", "tool_description", every(tools, STEP.tools)),
    of("mcp-registry", "MIT", "tool_description", services),
    of("ec-darkpattern", "Apache-2.0", "page", shop),
    of("offers (Ditto)", "Apache-2.0", "page", every(offers(), STEP.offers)),
    of("messages and glosses", "Apache-2.0, MIT, WordNet", "page", every(readMessages(), STEP.messages)),
    ...readDocuments().map(({ name, license, texts }) => of(name, license, "agent_document", texts)),
  ];
}

function offers(): string[] {
  const values = OFFERS.flatMap((name) =>
    readLines(`product-matching/${name}-train.txt`).flatMap((line) =>
      line.split(/COL \w+ VAL|\t/).map((value) => value.trim()),
    ),
  );
  return [...new Set(values)].filter((text) => text.length > 25 && text.length < 1_000);
}

const every = <T>(items: readonly T[], step: number): T[] => items.filter((_, place) => place % step === 0);
