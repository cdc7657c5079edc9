/** The text classifier of the Dark Pattern Detector: which kind of dark pattern a text is. */
import { asModel, writeModel } from "../linear.ts";
import { crossValidate, fitScaling, judgeDark, judgeKinds, scaledByHalves } from "./cross-validate.ts";
import { readShopTexts, SEED, SHOP_TEXTS, trainTexts } from "./rows.ts";

const THRESHOLD = 0.5;

export async function train(): Promise<void> {
  const texts = readShopTexts();
  const judged = crossValidate(texts, SEED);
  const scaled = scaledByHalves(judged, SEED);
  const { precision, recall, f1 } = judgeDark(scaled, THRESHOLD);
  const kinds = [...judgeKinds(scaled, THRESHOLD)].map(([kind, scores]) => [kind, round(scores.f1)]);
  const crossValidated = { precision: round(precision), recall: round(recall), f1: round(f1) };
  const trained = trainTexts(texts);
  const card = {
    name: "dark-pattern",
    threshold: THRESHOLD,
    trainedOn: [{ data: `ec-darkpattern (${SHOP_TEXTS})`, license: "Apache-2.0", rows: texts.length }],
    calibration: fitScaling(judged),
    measured: { crossValidated, crossValidatedF1: Object.fromEntries(kinds) },
  };
  writeModel(
    asModel(trained, card),
    trained.weights,
    "Which kind of dark pattern of Mathur and others (2019) a short text of a shop's page is, if any. For English.",
    "dark-pattern",
  );
  process.stderr.write(`dark-pattern: cross-validated by page, F1 ${f1.toFixed(4)}\n`);
}

const round = (value: number): number => Number(value.toFixed(4));
