/** The two text classifiers of the Dark Pattern Detector: dark or not, and which kind. */
import { asModel, trainLinear, writeModel } from "../linear.ts";
import { crossValidate, fitScaling, judgeDark, judgeKinds, scaledByHalves } from "./cross-validate.ts";
import { ownTemplateTexts } from "./own-templates.ts";
import { OWN_TEXTS } from "./own-texts.ts";
import { DARK_TRAINING, darkRows, KIND_TRAINING, kindRows, readShopTexts, SHOP_TEXTS } from "./rows.ts";

const THRESHOLD = 0.5;

export async function train(): Promise<void> {
  const texts = readShopTexts();
  const judged = crossValidate(texts, DARK_TRAINING.seed);
  const calibration = fitScaling(judged);
  const scaled = scaledByHalves(judged, DARK_TRAINING.seed);
  const { precision, recall, f1 } = judgeDark(scaled, THRESHOLD);
  const kinds = [...judgeKinds(scaled, THRESHOLD)].map(([kind, scores]) => [kind, round(scores.f1)]);
  const trainedOn = [
    { data: `ec-darkpattern (${SHOP_TEXTS})`, licence: "Apache-2.0", rows: texts.length },
    {
      data: "sentences of our own (train/dark-pattern/own-texts.ts)",
      licence: "Apache-2.0",
      rows: OWN_TEXTS.length,
    },
  ];
  const common = { threshold: THRESHOLD, trainedOn };
  const made = {
    data: "sentences of our own templates (train/dark-pattern/own-templates.ts)",
    licence: "Apache-2.0",
    rows: ownTemplateTexts().length,
  };
  const dark = trainLinear(darkRows(texts), DARK_TRAINING);
  const crossValidated = { precision: round(precision), recall: round(recall), f1: round(f1) };
  writeModel(
    asModel(dark, { ...common, name: "dark-pattern", calibration, measured: { crossValidated } }),
    dark.weights,
    "Whether a short text of a shop's page is one of the kinds of dark pattern that Mathur and others (2019) named. For English.",
    "dark-pattern",
  );
  const kind = trainLinear(kindRows(texts), KIND_TRAINING);
  writeModel(
    asModel(kind, {
      ...common,
      trainedOn: [...trainedOn, made],
      name: "dark-pattern-kind",
      measured: { crossValidatedF1: Object.fromEntries(kinds) },
    }),
    kind.weights,
    "Which kind of dark pattern a text is that is one. For English.",
    "dark-pattern",
  );
  process.stderr.write(`dark-pattern: cross-validated by page, F1 ${f1.toFixed(4)}\n`);
}

const round = (value: number): number => Number(value.toFixed(4));
