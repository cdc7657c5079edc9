/** How well texts of dark patterns are told: `npm run eval -- dark-pattern [--data FILE…] [--write]`. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { darkPatternRuleset } from "../../../src/detectors/dark-pattern/grade.ts";
import { darkPatternsOf, SURE, WORDING } from "../../../src/detectors/dark-pattern/rules.ts";
import { darkThreshold, judgePatternText, judgePlainly } from "../../../src/detectors/dark-pattern/texts.ts";
import { readPageModel } from "../../../src/pages/page-model.ts";
import {
  crossValidate,
  f1Of,
  type Judged,
  judgeDark,
  judgeKinds,
  scaledByHalves,
} from "../../../train/dark-pattern/cross-validate.ts";
import { KINDS, NOT_DARK, type ShopText } from "../../../train/dark-pattern/rows.ts";
import { readLines } from "../../../train/data.ts";
import { dataFile } from "../../support/data.ts";
import { confusionOf, measuresOf } from "../confusion.ts";
import { bootstrap, calibrationError, shareOf } from "../interval.ts";
import { type LabelledText, optionValues, readLabelled } from "../labelled.ts";

const SEEDS = [1, 2, 3];
const REPORT = join(import.meta.dirname, "..", "..", "..", "docs", "evaluation", "dark-pattern.md");
/** Fewer texts of a kind say nothing. */
const LEAST_ROWS = 2;
const round = (value: number): number => Number(value.toFixed(4));
const mean = (values: readonly number[]): number =>
  round(values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length));

/** F1 of each kind, harmless texts among them, where the file names kinds. */
function kindsOf(rows: readonly LabelledText[], said: readonly string[]): Record<string, number> {
  const named = rows.filter(({ category }) => category !== undefined);
  if (named.length < rows.length) return {};
  const entries = [NOT_DARK, ...KINDS].flatMap((kind) => {
    const total = rows.filter(({ category }) => category === kind).length;
    if (total < LEAST_ROWS) return [];
    const hits = rows.filter(({ category }, i) => category === kind && said[i] === kind).length;
    const wrong = rows.filter(({ category }, i) => category !== kind && said[i] === kind).length;
    return [[kind, round(f1Of(hits, wrong, total - hits).f1)] as const];
  });
  return Object.fromEntries(entries);
}

function evaluateFiles(paths: readonly string[]): number {
  try {
    for (const file of paths) {
      const rows = readLabelled(file);
      const judged = rows.map(({ text }) => judgePatternText(text));
      const isDark = judged.map(({ dark }) => dark >= darkThreshold());
      const measures = measuresOf(confusionOf(rows.map((row, i) => [row.isPositive, isDark[i]!] as const)));
      const kinds = kindsOf(
        rows,
        judged.map(({ kind }, i) => (isDark[i] ? kind : NOT_DARK)),
      );
      const more = Object.keys(kinds).length > 0 && {
        f1_by_kind: kinds,
        macro_f1: mean(Object.values(kinds)),
      };
      const head = { eval: "dark-pattern", file, ruleset: darkPatternRuleset(), threshold: darkThreshold() };
      process.stdout.write(`${JSON.stringify({ ...head, ...measures, ...more })}\n`);
    }
    return 0;
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\nGive JSON Lines with "text" and "label".\n`);
    return 2;
  }
}

const errorOf = (judged: readonly Judged[]): number =>
  calibrationError(
    judged.map(({ dark, text }) => ({ probability: dark, isTrue: text.label === 1, weight: 1 })),
  );

/** 95 % interval of a figure, by drawing pages. */
function intervalOf(judged: readonly Judged[], figure: (judged: Judged[]) => number): string {
  const pages = new Map<string, Judged[]>();
  for (const one of judged) pages.set(one.text.page, [...(pages.get(one.text.page) ?? []), one]);
  const [low, high] = bootstrap([...pages.values()], (sample) => figure(sample.flat()));
  return `${low.toFixed(3)}–${high.toFixed(3)}`;
}

/** Whether a page that says this text among harmless ones is told of anything, its words judged without its page. */
function isServed({ text, dark, isTelling }: Judged): boolean {
  const said = text.text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
  const page = readPageModel(
    `<html lang="en"><title>Shop</title><main><h1>Our shop</h1><p>We make and sell fine things for house and garden.</p><p>${said}</p></main>`,
  );
  return (
    (isTelling && dark >= SURE) ||
    darkPatternsOf(page).findings.some(({ rule_id }) => !rule_id.endsWith(`/${WORDING}`))
  );
}

const servedShare = (judged: readonly Judged[], label: number): number =>
  shareOf(judged.filter(({ text }) => text.label === label).map(isServed));

function report(texts: readonly ShopText[]): { page: string; f1: number; macro: number } {
  const runs = SEEDS.map((seed) => scaledByHalves(crossValidate(texts, seed), seed));
  const plain = scaledByHalves(crossValidate(texts, SEEDS[0]!, judgePlainly), SEEDS[0]!);
  const dark = runs.map((judged) => judgeDark(judged, darkThreshold()));
  const kinds = runs.map((judged) => judgeKinds(judged, darkThreshold()));
  const plainKinds = judgeKinds(plain, darkThreshold());
  const rows = [NOT_DARK, ...KINDS].map((name) => {
    const of = kinds.map((one) => one.get(name)!);
    const interval = intervalOf(runs[0]!, (judged) => judgeKinds(judged, darkThreshold()).get(name)!.f1);
    return { name, rows: of[0]!.rows, f1: mean(of.map(({ f1 }) => f1)), interval };
  });
  const counted = rows.filter((row) => row.rows >= 10);
  const f1 = mean(dark.map((one) => one.f1));
  const macro = mean(counted.map((row) => row.f1));
  const page = `# Telling dark patterns in the texts of shop pages

\`npm run eval -- dark-pattern --write\` writes this page. Ruleset ${darkPatternRuleset()}, threshold ${darkThreshold()}. ec-darkpattern, ${texts.length} texts of
${new Set(texts.map(({ page: id }) => id)).size} English pages by others; five folds by page, so that no page's texts are both learned from and judged; means over
${SEEDS.length} ways to fold. No text of ours is learned from or judged.

| | Precision | Recall | F1 | 95 % interval |
| --- | --- | --- | --- | --- |
| Dark or not | ${mean(dark.map((one) => one.precision))} | ${mean(dark.map((one) => one.recall))} | ${f1} | ${intervalOf(runs[0]!, (judged) => judgeDark(judged, darkThreshold()).f1)} |
| The classifier without definitions | | | ${round(judgeDark(plain, darkThreshold()).f1)} | ${intervalOf(plain, (judged) => judgeDark(judged, darkThreshold()).f1)} |

In a page of harmless texts, a text of a dark pattern is told in **${round(servedShare(runs[0]!, 1))}**, a harmless one in ${round(servedShare(runs[0]!, 0))}. Probabilities are scaled
on texts of other pages (Platt), for half of the texts being dark; expected calibration error **${mean(runs.map(errorOf))}**.

| Kind | Texts | F1 | 95 % interval | Without definitions |
| --- | --- | --- | --- | --- |
${rows.map((row) => `| ${row.name} | ${row.rows} | ${row.f1} | ${row.interval} | ${round(plainKinds.get(row.name)!.f1)} |`).join("\n")}

Macro F1 of the ${counted.length} classes with ten texts or more: **${macro}**. The definitions (src/detectors/dark-pattern/texts.ts) were written with these texts at
hand: of strangers' texts expect less of Obstruction, Sneaking and Forced Action, 28 texts in all.
`;
  return { page, f1, macro };
}

export async function evaluate(args: string[]): Promise<number> {
  if (args.includes("--data")) {
    const files = optionValues(args, "--data");
    if (files.length > 0) return evaluateFiles(files);
    process.stderr.write("Usage: npm run eval -- dark-pattern --data FILE…\n");
    return 2;
  }
  const path = dataFile("dark-patterns/ec-darkpattern.jsonl");
  if (!path) {
    process.stderr.write(
      "dark-patterns/ is not in the data folder (BRIDGE_DATA_DIR): nothing was measured.\n",
    );
    return 2;
  }
  const texts = readLines(path).map((line) => JSON.parse(line) as ShopText);
  const { page, f1, macro } = report(texts);
  process.stdout.write(page);
  if (args.includes("--write")) writeFileSync(REPORT, page);
  return f1 >= 0.96 && macro >= 0.8 ? 0 : 1;
}
