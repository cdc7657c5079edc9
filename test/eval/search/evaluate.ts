/** `npm run eval -- search`: is search relevant, fair and proof against lies? */
import { writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { parseArgs } from "node:util";
import { dataFile } from "../../support/data.ts";
import { measureAgreement } from "./agreement.ts";
import { CollectionError, readCollection } from "./collection.ts";
import { ENGINES, type Engine, say } from "./engine.ts";
import { measureMarket } from "./fairness.ts";
import { type Meaning, openMeaning } from "./meaning.ts";
import { measureQuestions, readPractice, readQuestions, readServices } from "./questions.ts";
import { measureRelevance } from "./relevance.ts";
import { type Findings, failedGates, questionsTable, reportOf } from "./report.ts";
import { judgeSentences } from "./sentences.ts";
import { measureSets } from "./sets.ts";
import { measureStrangers } from "./strangers.ts";

const USAGE = `Usage: npm run eval -- search [--write] [--no-meaning] [--no-encoder] [--engine sqlite|elasticsearch]
       npm run eval -- search --questions
       npm run eval -- search --sentences
       npm run eval -- search --collection DIR [--no-meaning] [--no-encoder] [--engine sqlite|elasticsearch]
DIR holds docs.jsonl {id, title, text}, queries.jsonl {id, text} and qrels.jsonl {query, doc, gain}.
Searches find by meaning, too, as the service does by default with the sentence encoder (installed where it is
not); --no-encoder: by static vectors; --no-meaning: by words alone.`;

const REPORT = join(import.meta.dirname, "../../../docs/evaluation/search.md");
const MARKET = { sites: 2_400, trades: 6, epochs: 28, liars: 36 };
/** Markets that nothing was tuned on. */
const FURTHER_SEEDS = [1, 2, 3, 4, 5];
/** Words at the end of a long question: a short one. */
const SHORT = 4;

/** One collection on one engine: prints one JSON line. */
async function evaluateCollection(folder: string, engine: Engine, meaning: Meaning | undefined) {
  try {
    const collection = await readCollection(folder);
    const measured = await measureRelevance(folder, collection, engine, meaning);
    process.stdout.write(`${JSON.stringify(measured)}\n`);
    return 0;
  } catch (error) {
    if (!(error instanceof CollectionError)) throw error;
    say(error.message);
    return 2;
  }
}

/** Everyday sentences over the synthetic web, and strangers' tasks over the servers that do them: a JSON line each. */
async function printSentences(meaning: Meaning | undefined): Promise<number> {
  for (const found of [await judgeSentences(meaning), await strangersIfThere(meaning)])
    if (found) process.stdout.write(`${JSON.stringify(found, undefined, 1)}\n`);
  return 0;
}

async function strangersIfThere(meaning: Meaning | undefined) {
  const tools = dataFile("agent-web-2/tools/tools.jsonl");
  if (tools === undefined) return say("Tools are missing (BRIDGE_DATA_DIR): no strangers' tasks.");
  return measureStrangers(dirname(tools), meaning);
}

/** Everything that can be measured here; what lacks its data is said and left out. */
async function measureAll(engine: Engine, meaning: Meaning | undefined): Promise<Findings> {
  const folder = dataFile("retrieval/cranfield");
  const file = dataFile("services/mcp-registry-2025-05.jsonl");
  const findings: Findings = { market: await measureMarket({ ...MARKET, meaning }) };
  findings.further = [];
  for (const seed of FURTHER_SEEDS)
    findings.further.push(await measureMarket({ ...MARKET, meaning, seed, systems: ["ours"] }));
  const lies = ["cloaking and tags", "all at once"] as const;
  findings.unnamed = await measureMarket({ ...MARKET, meaning, namedShare: 0, lies, systems: ["ours"] });
  if (folder === undefined) say("Cranfield is missing (BRIDGE_DATA_DIR): no relevance, no agreement.");
  else {
    const collection = await readCollection(folder);
    say("relevance: Cranfield …");
    findings.relevance = await measureRelevance(folder, collection, engine, meaning);
    const long = collection.queries.map(({ text }) => text);
    const short = long.filter((_, i) => i % 3 === 0).map((text) => text.split(" ").slice(-SHORT).join(" "));
    const asked = [...long, ...short, ...readQuestions().map(({ question }) => question)];
    findings.agreement = await measureAgreement(collection.docs, asked, meaning);
  }
  if (file === undefined) say("The services are missing (BRIDGE_DATA_DIR): no questions.");
  else {
    const services = readServices(file);
    if (meaning) {
      findings.byMeaning = await measureQuestions(services, readQuestions(), meaning);
      findings.practice = await measureQuestions(services, readPractice(), meaning);
    }
  }
  const still = (await openMeaning(false)).meaning;
  if (meaning)
    findings.sentences = { given: await judgeSentences(meaning), still: await judgeSentences(still) };
  const strangers = await strangersIfThere(meaning);
  if (strangers) findings.strangers = strangers;
  findings.sets = await measureSets(meaning);
  return findings;
}

function optionsOf(args: string[]) {
  const { values } = parseArgs({
    args,
    allowNegative: true,
    options: {
      collection: { type: "string" },
      engine: { type: "string", default: "sqlite" },
      encoder: { type: "boolean", default: true },
      meaning: { type: "boolean", default: true },
      questions: { type: "boolean", default: false },
      sentences: { type: "boolean", default: false },
      write: { type: "boolean", default: false },
    },
  });
  const engine = ENGINES.find((name) => name === values.engine);
  if (engine === undefined) throw new Error(`There is no engine ${values.engine}.`);
  return { ...values, engine };
}

/** @returns 0 when every gate holds, 1 when one fails, 2 for wrong usage */
export async function evaluate(args: string[]): Promise<number> {
  let options: ReturnType<typeof optionsOf>;
  try {
    options = optionsOf(args);
  } catch (error) {
    say(`${(error as Error).message}\n${USAGE}`);
    return 2;
  }
  const opened = options.meaning ? await openMeaning(options.encoder) : undefined;
  try {
    return await measureAsked(options, opened?.meaning);
  } finally {
    await opened?.close();
  }
}

async function measureAsked(options: ReturnType<typeof optionsOf>, meaning: Meaning | undefined) {
  if (options.collection !== undefined)
    return evaluateCollection(options.collection, options.engine, meaning);
  if (options.questions) {
    process.stdout.write(questionsTable(await measureSets(meaning)));
    return 0;
  }
  if (options.sentences) return printSentences(meaning);
  const findings = await measureAll(options.engine, meaning);
  const report = reportOf(findings);
  process.stdout.write(report);
  if (options.write) writeFileSync(REPORT, report);
  const failed = failedGates(findings);
  for (const gate of failed) say(`FAILED: ${gate}`);
  return failed.length > 0 ? 1 : 0;
}
