/** What the module computes, in a thread. Pure. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { embeddingModel } from "../../../src/classifiers/embedding-model.ts";
import { round } from "../../../src/detectors/risk.ts";
import type { StaticVectors } from "../../../src/domain/search/embeddings/static-vectors.ts";
import { decoded } from "../common/decoded-text.ts";
import { pageDigest } from "../common/digest.ts";
import type { SentText } from "../common/page-text.ts";
import { analyzePage } from "./analysis.ts";
import { type Label, SITE_CATEGORIES } from "./categories.ts";
import { type Calibrations, type Classification, Classifier } from "./classifier.ts";

interface AnalysisInput {
  html: SentText | undefined;
  text: SentText | undefined;
  url: string;
}

interface Embedded {
  /** Unit length, rounded to six digits. */
  vector: number[];
  tokens: number;
}

type NeuralTasks = ReturnType<typeof neuralTasks>;

export const loadTasks = (): NeuralTasks => neuralTasks(embeddingModel(), readCalibrations());

function neuralTasks(model: StaticVectors, calibrations: Calibrations) {
  const sites = new Classifier(model, SITE_CATEGORIES, calibrations.described);
  const calibrationFor = (labels: Label[]) =>
    labels.every(({ descriptions }) => descriptions.length > 0) ? calibrations.described : calibrations.named;
  return {
    analyze: ({ url, ...page }: AnalysisInput) => {
      const [html, text] = [decoded(page.html), decoded(page.text)];
      return {
        analysis: analyzePage(model, sites, { html, text }),
        input_sha256: pageDigest(url, html, text),
      };
    },
    classify: ({ text, labels }: { text: string; labels: Label[] | undefined }): Classification =>
      (labels ? new Classifier(model, labels, calibrationFor(labels)) : sites).classify(text),
    embed: (texts: string[]): Embedded[] =>
      texts.map((text) => {
        const pieces = model.tokenizer.pieces(text);
        const vector = Array.from(model.embedPieces(pieces), (component) => round(component, 6));
        return { vector, tokens: pieces.length };
      }),
  };
}

/** Temperature and threshold as they were fitted (models/neural/classifier.json). */
export const readCalibrations = (): Calibrations =>
  JSON.parse(
    readFileSync(join(import.meta.dirname, "..", "..", "..", "models", "neural", "classifier.json"), "utf8"),
  ) as Calibrations;
