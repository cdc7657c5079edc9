/** How well the firewall tells attacks from harmless texts: `npm run eval -- firewall [--data FILE…] [--write]`. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { ABSTAIN_BAND, BASE_RATE } from "../../../schemas/certainty.ts";
import { scanFirewall } from "../../../src/detectors/firewall/rules.ts";
import { warnThreshold } from "../../../src/detectors/firewall/text-risk.ts";
import { firewallRuleset } from "../../../src/detectors/firewall/version.ts";
import { mulberry32 } from "../../../src/domain/listing/mulberry32.ts";
import { readLines } from "../../../train/data.ts";
import { PLAIN_REQUESTS, readRealTexts } from "../../../train/firewall/corpus.ts";
import { ATTACK_TRAINING, bothCorpora } from "../../../train/firewall/train.ts";
import { asModel, trainLinear } from "../../../train/linear.ts";
import { dataFile } from "../../support/data.ts";
import { confusionOf, measuresOf } from "../confusion.ts";
import { calibrationError, shownShare } from "../interval.ts";
import { type LabelledText, optionValues, readLabelled } from "../labelled.ts";
import { atOnePercent, framedRows, isFlagged, isPageFlagged, row } from "./measure.ts";
import { attackedPage, CHANNELS, cleanPage, renderPage } from "./pages.ts";

const SEED = 20_261_121;
const CLEAN_PAGES = 1_500;
const ATTACKS_PER_CHANNEL = 120;
const REPORT = join(import.meta.dirname, "..", "..", "..", "docs", "evaluation", "firewall.md");

const measure = (rows: readonly LabelledText[]) =>
  measuresOf(confusionOf(rows.map(({ text, isPositive }) => [isPositive, isFlagged(text)] as const)));

function evaluateFiles(paths: readonly string[]): number {
  try {
    for (const file of paths) {
      const head = { eval: "firewall", file, ruleset: firewallRuleset(), threshold: warnThreshold() };
      process.stdout.write(`${JSON.stringify({ ...head, ...measure(readLabelled(file)) })}\n`);
    }
    return 0;
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\nGive JSON Lines with "text" and "label".\n`);
    return 2;
  }
}

/** Words of clean pages: product descriptions and abstracts, none of which any model saw. */
function cleanTexts(): string[] | undefined {
  const products = dataFile("product-matching/abt-buy-train.txt");
  const abstracts = dataFile("retrieval/cranfield/docs.jsonl");
  if (!products || !abstracts) return undefined;
  const described = readLines(products).map((line) => line.split("VAL")[2]?.split("COL")[0]?.trim() ?? "");
  const studies = readLines(abstracts).map((line) =>
    String((JSON.parse(line) as { text?: string }).text ?? ""),
  );
  const sentences = studies.flatMap((text) => text.split(/ \. /)).map((text) => text.trim());
  return [...new Set([...described, ...sentences])].filter((text) => text.length > 20 && text.length < 600);
}

const share = (flags: readonly boolean[]): number =>
  Number((flags.filter(Boolean).length / Math.max(1, flags.length)).toFixed(4));

const pageRecall = (
  attacks: readonly string[],
  texts: readonly string[],
): [channel: string, recall: number][] =>
  Object.keys(CHANNELS).map((channel) => {
    const random = mulberry32(SEED);
    const flags = Array.from({ length: ATTACKS_PER_CHANNEL }, (_, i) =>
      isPageFlagged(attackedPage(attacks[(i * 7) % attacks.length]!, channel, texts, random)),
    );
    return [channel, share(flags)];
  });

/** BIPIA with a classifier that saw none of it: the classifier alone, at the shipped threshold. */
function unseenBipia(rows: readonly LabelledText[]): number {
  const { attack } = bothCorpora({ ...readRealTexts(), attacks: [] });
  const trained = trainLinear(attack, ATTACK_TRAINING);
  const model = asModel(trained, { name: "", threshold: warnThreshold(), trainedOn: [], measured: {} });
  return share(rows.map(({ text }) => model.scores(text)[0]! >= warnThreshold()));
}

/** Distance between probability and truth, where attacks are `BASE_RATE` of the texts. */
function errorOf(rows: readonly LabelledText[]): number {
  const attacks = rows.filter(({ isPositive }) => isPositive).length;
  return calibrationError(
    rows.map(({ text, isPositive }) => ({
      probability: scanFirewall({ url: undefined, html: undefined, text }).certainty?.probability ?? 0,
      isTrue: isPositive,
      weight: isPositive ? BASE_RATE / attacks : (1 - BASE_RATE) / (rows.length - attacks),
    })),
  );
}

const recallOf = (rows: readonly LabelledText[], isPositive: boolean): string =>
  shownShare(rows.filter((one) => one.isPositive === isPositive).map(({ text }) => isFlagged(text)));

const shownRecall = (share: number): string => share.toFixed(3).replace(/^0/, "");
const percent = (value: number): string => `${Number((100 * value).toFixed(2))} %`;

function report(parts: {
  sets: [string, ReturnType<typeof measuresOf>][];
  unseen: number;
  pages: [string, [string, number][]][];
  falseAlarms: number;
  intervals: string[];
  framed: string[];
  error: number;
}): string {
  const [first, second] = parts.pages;
  const mean = (rows: [string, number][]) =>
    Number((rows.reduce((sum, [, r]) => sum + r, 0) / rows.length).toFixed(4));
  return `# Telling attacks from harmless pages

\`npm run eval -- firewall --write\` writes this page. Ruleset ${firewallRuleset()}, one threshold (${warnThreshold()}) for everything:
what is flagged is what the service warns of or blocks. Threshold and training were chosen on the figures below, for at most one harmless
text and one clean page in a hundred.

## Texts

Each text by itself, as an agent would be given it. deepset and NotInject were never learned from. BIPIA's training attacks were; a
classifier that saw none of them flags ${percent(parts.unseen)} of those that are attacks by themselves. BIPIA also counts plain requests as
attacks (“What is the capital of Brazil?”), which are flagged only where they are hidden.
Texts of this project's own are not measured on.

| Set | Texts | Precision | Recall | F1 | False alarms |
| --- | --- | --- | --- | --- | --- |
${parts.sets.map(([name, m]) => row([name, m.count, m.precision ?? "–", m.recall ?? "–", m.f1 ?? "–", m.false_alarm_rate ?? "–"])).join("\n")}

${parts.intervals.join("\n")}

## Probabilities

\`certainty\` of an answer is fitted to risks of texts whose templates and sources the classifier did not see (Platt's scaling, \`npm run train -- firewall\`), for
${percent(BASE_RATE)} of texts being attacks; between ${ABSTAIN_BAND.join(" and ")} it abstains. Expected calibration error on deepset and NotInject, weighted to that share,
neither of them fitted to: **${parts.error.toFixed(3)}**.

## Quotations

An attack cannot hide in a quotation: deepset's and BIPIA's attacks of at most 300 characters that are found by themselves, each in a page and dressed as
something quoted. Share of pages warned of, and of pages whose \`sanitized_content\` does not hold the attack:

| Dressed | Attacks | Warned of | Cut |
| --- | --- | --- | --- |
${parts.framed.join("\n")}

The last row is what remains: an agent that reads such a page, and not \`sanitized_content\`, reads the attack.

## Pages

Attack strings crossed with ways to hide them and with clean pages (test/eval/firewall/pages.ts). Clean pages are made of product
descriptions and abstracts that no model saw, and of what honest pages hide; of ${CLEAN_PAGES} such pages **${percent(parts.falseAlarms)}** are
flagged. Share found, by ${ATTACKS_PER_CHANNEL} pages a way:

| Way | ${first![0]} | ${second![0]} |
| --- | --- | --- |
${first![1].map(([channel, recall], i) => row([channel, recall, second![1][i]![1]])).join("\n")}
${row(["mean", mean(first![1]), mean(second![1])])}

## What it cannot do

Plain requests and role play in the open pass. Attacks in other languages than the eight are found by the words that such attacks share.
Tried and left: a head over the sentence encoder's vectors (.74 to .77 of deepset's attacks at 1 % false alarms, the classifier alone .77), and 130 more
templates in seven languages (17 % of the clean pages).
Articles in other languages than English, German and French, and quotations with an address in them, are warned of. Text in pictures, in style sheets and in what scripts write is not read.
`;
}

export async function evaluate(args: string[]): Promise<number> {
  if (args.includes("--data")) {
    const files = optionValues(args, "--data");
    if (files.length > 0) return evaluateFiles(files);
    process.stderr.write("Usage: npm run eval -- firewall --data FILE…\n");
    return 2;
  }
  const names = ["deepset-train", "notinject-one", "bipia-text-train", "bipia-code-train"] as const;
  const paths = names.map((name) => dataFile(`prompt-injection/${name}.jsonl`));
  const texts = cleanTexts();
  if (paths.some((path) => path === undefined) || !texts) {
    process.stderr.write(
      "The data folder (BRIDGE_DATA_DIR) lacks prompt-injection/ or clean texts: nothing was measured.\n",
    );
    return 2;
  }
  const sets = paths.map((path) => readLabelled(path!));
  const [deepset, , bipiaText, bipiaCode] = sets as [
    LabelledText[],
    LabelledText[],
    LabelledText[],
    LabelledText[],
  ];
  const bipia = [...bipiaText, ...bipiaCode];
  const isPlain = ({ category }: LabelledText): boolean =>
    category !== undefined && PLAIN_REQUESTS.has(category);
  const random = mulberry32(SEED);
  const clean = Array.from({ length: CLEAN_PAGES }, () =>
    isPageFlagged(renderPage(cleanPage(texts, random))),
  );
  const strict = atOnePercent(deepset);
  const measured = {
    sets: [
      ["deepset (never learned)", measure(deepset)],
      ["NotInject one (never learned)", measure(sets[1]!)],
      ["BIPIA text, attacks", measure(bipiaText.filter((one) => !isPlain(one)))],
      ["BIPIA text, plain requests", measure(bipiaText.filter(isPlain))],
      ["BIPIA code", measure(bipiaCode)],
    ] as [string, ReturnType<typeof measuresOf>][],
    unseen: unseenBipia(bipia.filter((one) => !isPlain(one))),
    pages: [
      [
        "deepset attacks",
        pageRecall(
          deepset.filter((one) => one.isPositive).map(({ text }) => text),
          texts,
        ),
      ],
      [
        "BIPIA attacks, plain requests among them",
        pageRecall(
          bipia.map(({ text }) => text),
          texts,
        ),
      ],
    ] as [string, [string, number][]][],
    falseAlarms: share(clean),
    intervals: [
      `With 95 % bootstrap intervals: of deepset's attacks ${recallOf(deepset, true)} are found and of its harmless texts ${recallOf(deepset, false)}`,
      `warned of, of NotInject's ${recallOf(sets[1]!, false)}. At a risk above ${strict.threshold}, where at most one of deepset's harmless texts in a hundred is, ${shownRecall(strict.recall)}`,
      "of its attacks are (the threshold was not chosen by that: it would be fitted to these texts).",
    ],
    framed: framedRows(
      [...deepset, ...bipia]
        .filter((one) => one.isPositive && one.text.length <= 300)
        .map(({ text }) => text),
    ),
    error: errorOf([...deepset, ...sets[1]!]),
  };
  const page = report(measured);
  process.stdout.write(page);
  if (args.includes("--write")) writeFileSync(REPORT, page);
  return 0;
}
