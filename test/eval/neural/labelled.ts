/** Texts that others labeled: tools of three collections with their categories, a shop's offers with theirs. */
import { readFileSync } from "node:fs";
import { mulberry32 } from "../../../src/domain/listing/mulberry32.ts";
import { shuffled } from "../../../train/linear.ts";
import { type Label, SITE_CATEGORIES } from "../../../workers/gateway/neural/categories.ts";
import { dataFile } from "../../support/data.ts";

export interface Labelled {
  text: string;
  /** null: none of the labels fits. */
  label: string | null;
}

export interface LabelledSet {
  name: string;
  labels: readonly Label[];
  texts: Labelled[];
}

const TOOLS = "agent-web-2/tools/tools.jsonl";
/** A line a pair: the offers of two shops, and whether they are one product. */
const OFFERS = "product-matching/walmart-amazon-valid.txt";
const COLLECTIONS = { toolsdk: "toolsdk", livemcp: "LiveMCPBench", toolemu: "ToolEmu" };
/** Of each set: its commonest labels, and so many texts of them. */
const [MOST_LABELS, MOST_TEXTS] = [20, 300];
/** Of each set: texts of the other trade, whose labels none of them has. */
const MOST_STRANGE = 75;
const MAX_CHARS = 1_000;
/** Says of nothing what it is. */
const SAYS_NOTHING = /general|other|misc|uncategor/i;
/** Categories of tools that the built-in categories of sites have under another name. */
const AS_SITES: Readonly<Record<string, string>> = {
  "finance-fintech": "finance",
  "travel-transportation": "travel",
  gaming: "entertainment",
  sports: "sports",
  Finance: "finance",
  Entertainment: "entertainment",
  "Financial, Payment Gateway, and CRM Tools": "finance",
  "E-commerce, Online Service, and Marketplace Tools": "retail",
  "Healthcare, Medical, Genetic Data Tools": "health",
};

interface Tool {
  id: string;
  category: string | null;
  name: string;
  description: string | null;
  server_description: string | null;
}

/** Each set by its source; undefined where the data is not on this machine. */
export function readLabelledSets(): LabelledSet[] | undefined {
  const file = dataFile(TOOLS);
  const offersFile = dataFile(OFFERS);
  if (!file || !offersFile) return undefined;
  const tools = readFileSync(file, "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Tool)
    .filter(({ description }) => description);
  const offers = readFileSync(offersFile, "utf8").trim().split("\n").map(labelledOffer);
  const bySource = Object.entries(COLLECTIONS).map(([prefix, name]) => ({
    name: `tools of ${name}`,
    texts: tools.filter(({ id }) => id.startsWith(`${prefix}/`)).map(labelledTool),
  }));
  const sets = [
    ...bySource.map(({ name, texts }) => ownLabels(name, texts)),
    ownLabels("a shop's offers", offers),
    {
      name: "tools, built-in categories",
      labels: SITE_CATEGORIES,
      texts: sampled(
        bySource
          .flatMap(({ texts }) => texts)
          .flatMap(({ text, label }) => (AS_SITES[label] ? [{ text, label: AS_SITES[label] }] : [])),
        MOST_TEXTS,
      ),
    },
  ];
  const [shop, tool] = [sets[3]!.texts, sets.slice(0, 3).flatMap(({ texts }) => texts)];
  return sets.map((set, index) => {
    const strange = index === 3 ? tool : index < 3 ? shop : [];
    const none = sampled(strange, MOST_STRANGE).map(({ text }) => ({ text, label: null }));
    return { ...set, texts: [...set.texts, ...none] };
  });
}

/** The left shop's offer of a line, by its title and its category there. */
function labelledOffer(line: string) {
  const offer = line.split("\t")[0]!;
  return { text: memberOf(offer, "title|name"), label: memberOf(offer, "category") };
}

function memberOf(offer: string, names: string): string {
  return new RegExp(`COL (?:${names}) VAL (.*?)(?= COL |$)`).exec(offer)?.[1]?.trim() ?? "";
}

function labelledTool({ category, name, description, server_description }: Tool) {
  const said = [server_description, name.replaceAll(/[-_]/g, " "), description];
  return { text: said.filter(Boolean).join(". ").slice(0, MAX_CHARS), label: category ?? "" };
}

function ownLabels(name: string, texts: readonly { text: string; label: string }[]): LabelledSet {
  const unique = [...new Map(texts.map((one) => [one.text, one])).values()];
  const counts = new Map<string, number>();
  for (const { label } of unique) counts.set(label, (counts.get(label) ?? 0) + 1);
  const labels = [...counts]
    .filter(([label]) => label !== "" && !SAYS_NOTHING.test(label))
    .sort((a, b) => b[1] - a[1])
    .slice(0, MOST_LABELS)
    .map(([label]) => ({ name: label, descriptions: [] }));
  const known = new Set(labels.map((label) => label.name));
  return {
    name,
    labels,
    texts: sampled(
      unique.filter(({ label }) => known.has(label)),
      MOST_TEXTS,
    ),
  };
}

const sampled = <T>(texts: readonly T[], most: number): T[] => shuffled(texts, mulberry32(1)).slice(0, most);
