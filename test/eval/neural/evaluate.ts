/** `npm run eval -- neural`: are vectors near where meanings are, and confidences what they say? */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { embeddingModel } from "../../../src/classifiers/embedding-model.ts";
import { type Label, SITE_CATEGORIES } from "../../../workers/gateway/neural/categories.ts";
import {
  type Calibration,
  type Calibrations,
  Classifier,
} from "../../../workers/gateway/neural/classifier.ts";
import { readCalibrations } from "../../../workers/gateway/neural/tasks.ts";
import { fitCalibration, type Labelled, measureQuality, type Quality } from "./calibration.ts";
import {
  embedWith,
  hashedGrams,
  measureNearness,
  type Nearness,
  PRODUCT_SETS,
  readPairs,
} from "./products.ts";

const ROOT = join(import.meta.dirname, "..", "..", "..");
const CLASSIFIER = join(ROOT, "models", "neural", "classifier.json");
/** Written by `npm run train -- full-model`. */
const FULL_MODEL = join(ROOT, "models", "embeddings", "full-model.json");
const REPORT = join(ROOT, "docs", "evaluation", "neural.md");
const ZERO_SHOT_LABELS = 20;
/** A label is given when it is likelier right than wrong. */
const THRESHOLD = 0.5;
/** Gates: worse than this fails. */
const MOST_CALIBRATION_ERROR = 0.15;
const LEAST_PRECISION = 0.7;

/** Descriptions of sites of our own making; every other one is held out. */
export function readSites(): { fitted: Labelled[]; heldOut: Labelled[] } {
  const lines = readFileSync(join(import.meta.dirname, "sites.jsonl"), "utf8")
    .trim()
    .split("\n");
  const all = lines.map((line) => JSON.parse(line) as Labelled);
  return { fitted: all.filter((_, i) => i % 2 === 0), heldOut: all.filter((_, i) => i % 2 === 1) };
}

function fittedOn(labels: readonly Label[]): Calibration {
  const classifier = new Classifier(embeddingModel(), labels, { sharpness: 1, none: 0, threshold: 1 });
  const names = labels.map(({ name }) => name);
  return fitCalibration((text) => classifier.nearness(text), names, readSites().fitted, THRESHOLD);
}

const NAMED = SITE_CATEGORIES.map(({ name }) => ({ name, descriptions: [] }));

/** Labels that no parameter was fitted to: the commonest categories of one shop's offers. */
function zeroShot(calibration: Calibration): Quality | undefined {
  const offers = readPairs("walmart-amazon", Number.POSITIVE_INFINITY)?.map(({ left }) => left);
  if (!offers) return undefined;
  const unique = [...new Map(offers.map((offer) => [offer.title, offer])).values()];
  const counts = new Map<string, number>();
  for (const { category } of unique) counts.set(category, (counts.get(category) ?? 0) + 1);
  const labels = [...counts]
    // "General" says of nothing what it is.
    .filter(([category]) => category !== "" && !category.includes("general"))
    .sort((a, b) => b[1] - a[1])
    .slice(0, ZERO_SHOT_LABELS)
    .map(([name]) => ({ name, descriptions: [] }));
  const names = new Set(labels.map(({ name }) => name));
  const texts = unique
    .filter(({ category }) => names.has(category))
    .map(({ title, category }) => ({ text: title, label: category }));
  return measureQuality(new Classifier(embeddingModel(), labels, calibration), texts);
}

type Rows = Record<string, Record<string, Nearness>>;

function productRows(): Rows {
  const full = existsSync(FULL_MODEL)
    ? (JSON.parse(readFileSync(FULL_MODEL, "utf8")) as { products: Rows[string] })
    : undefined;
  const rows: Rows = {};
  for (const set of PRODUCT_SETS) {
    const pairs = readPairs(set);
    if (!pairs) continue;
    rows[set] = {
      "static, 256": measureNearness(pairs, embedWith(embeddingModel())),
      "hashed n-grams, 256": measureNearness(pairs, hashedGrams(256)),
      "hashed n-grams, 4096": measureNearness(pairs, hashedGrams(4_096)),
      ...(full?.products[set] && { "full model, 384": full.products[set] }),
    };
  }
  return rows;
}

const figure = (value: number | null): string => (value === null ? "" : value.toFixed(3));

function report(rows: Rows, quality: Record<string, Quality>, calibration: Calibration): string {
  const nearness = Object.entries(rows).flatMap(([set, methods]) =>
    Object.entries(methods).map(
      ([method, { auc, firstPlace, mrr }]) =>
        `| ${set} | ${method} | ${figure(auc)} | ${figure(firstPlace)} | ${figure(mrr)} |`,
    ),
  );
  const classified = Object.entries(quality).map(
    ([what, { texts, accuracy, coverage, precision, abstention, calibrationError }]) =>
      `| ${what} | ${texts} | ${figure(accuracy)} | ${figure(coverage)} | ${figure(precision)} | ${figure(abstention)} | ${figure(calibrationError)} |`,
  );
  return `# Neural Engine

Made by \`npm run eval -- neural --write\`. Vectors are static: a row for each token, distilled once from all-MiniLM-L6-v2
(\`npm run train -- embeddings\`) and fitted so that the sum of a text's rows says what the model says of the text.

## Titles of the same product

The first 500 published pairs of offers of each validation part. AUC: a pair of one product is nearer than a pair of two. First place: of
all titles at the other shop, the right one is nearest. Hashed n-grams see the same letters; the static vectors see the
same meaning, which model numbers have none of: product matching is not what they are for.

| Set | Vectors | AUC | First place | MRR |
| --- | ------- | --- | ----------- | --- |
${nearness.join("\n")}

## Labels

Confidence is a softmax of cosines at a temperature of 1/${calibration.sharpness}, with "none of them" at a cosine of
${calibration.none}, fitted on half of the site descriptions (\`--fit\`). A label is given from a confidence of
${calibration.threshold}. Calibration error: mean distance between confidence and share of right answers, five bins.

| Texts | Count | Likeliest is right | Given a label | Given labels right | None given where none fits | Calibration error |
| ----- | ----- | ------------------ | ------------- | ------------------ | -------------------------- | ----------------- |
${classified.join("\n")}

The site descriptions are of our own making, short, in English, and easier than pages are. The offers' titles are
classified among labels nothing was fitted to, ${ZERO_SHOT_LABELS} categories of one shop that overlap.
`;
}

export async function evaluate(args: string[]): Promise<number> {
  const { values } = parseArgs({
    args,
    options: { write: { type: "boolean", default: false }, fit: { type: "boolean", default: false } },
  });
  const calibrations: Calibrations = values.fit
    ? { described: fittedOn(SITE_CATEGORIES), named: fittedOn(NAMED) }
    : readCalibrations();
  if (values.fit) writeFileSync(CLASSIFIER, `${JSON.stringify(calibrations, null, 2)}\n`);
  const sites = new Classifier(embeddingModel(), SITE_CATEGORIES, calibrations.described);
  const named = new Classifier(embeddingModel(), NAMED, calibrations.named);
  const { fitted, heldOut } = readSites();
  const offers = zeroShot(calibrations.named);
  const quality = {
    "site descriptions, fitted on": measureQuality(sites, fitted),
    "site descriptions, held out": measureQuality(sites, heldOut),
    "site descriptions, held out, names of labels alone": measureQuality(named, heldOut),
    ...(offers && { "offers' titles, labels never seen": offers }),
  };
  const rows = productRows();
  for (const [set, methods] of Object.entries(rows))
    for (const [vectors, measured] of Object.entries(methods))
      process.stdout.write(`${JSON.stringify({ set, vectors, ...measured })}\n`);
  for (const [texts, measured] of Object.entries(quality))
    process.stdout.write(`${JSON.stringify({ classified: texts, ...measured })}\n`);
  if (offers === undefined) process.stderr.write("No product data: set BRIDGE_DATA_DIR to measure on it.\n");
  if (values.write) writeFileSync(REPORT, report(rows, quality, calibrations.described));
  const { calibrationError, precision } = quality["site descriptions, held out"];
  return calibrationError <= MOST_CALIBRATION_ERROR && precision >= LEAST_PRECISION ? 0 : 1;
}
