/** What the module computes, in a thread. Pure. */
import { embeddingModel } from "../../../src/classifiers/embedding-model.ts";
import { round } from "../../../src/detectors/risk.ts";
import type { StaticVectors } from "../../../src/domain/search/embeddings/static-vectors.ts";
import { decoded } from "../common/decoded-text.ts";
import { pageDigest } from "../common/digest.ts";
import type { SentText } from "../common/page-text.ts";
import { analyzePage } from "./analysis.ts";
import { type Label, SITE_CATEGORIES } from "./categories.ts";
import {
  type Calibrations,
  type Classification,
  Classifier,
  labelTexts,
  readCalibrations,
} from "./classifier.ts";

interface AnalysisInput {
  html: SentText | undefined;
  text: SentText | undefined;
  url: string;
}

interface ClassifyInput {
  text: string;
  labels: readonly Label[];
}

interface Embedded {
  /** Unit length, rounded to six digits. */
  vector: number[];
  tokens: number;
}

type NeuralTasks = ReturnType<typeof neuralTasks>;

export const loadTasks = (): NeuralTasks => neuralTasks(embeddingModel(), readCalibrations());

function neuralTasks(model: StaticVectors, calibrations: Calibrations) {
  const classifierOf = (labels: readonly Label[]): Classifier => {
    const directions = (label: Label) => labelTexts(label).map((text) => model.embed(text));
    return new Classifier(
      labels.map((label) => ({ name: label.name, directions: directions(label) })),
      calibrations.static,
    );
  };
  const sites = classifierOf(SITE_CATEGORIES);
  return {
    analyze: ({ url, ...page }: AnalysisInput) => {
      const [html, text] = [decoded(page.html), decoded(page.text)];
      return {
        analysis: analyzePage(model, sites, { html, text }),
        input_sha256: pageDigest(url, html, text),
      };
    },
    classify: ({ text, labels }: ClassifyInput): Classification =>
      classifierOf(labels).classify(model.embed(text)),
    embed: (texts: string[]): Embedded[] =>
      texts.map((text) => {
        const pieces = model.tokenizer.pieces(text);
        const vector = Array.from(model.embedPieces(pieces), (component) => round(component, 6));
        return { vector, tokens: pieces.length };
      }),
  };
}
