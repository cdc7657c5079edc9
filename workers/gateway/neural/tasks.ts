/** What the module computes, in a thread. Pure. */

import { round } from "../../../src/detectors/risk.ts";
import type { StaticVectors } from "../../../src/domain/search/embeddings/static-vectors.ts";
import { pageDigest } from "../common/digest.ts";
import { decoded, type PageText } from "../common/page-text.ts";
import { analyzePage } from "./analysis.ts";
import { type Label, SITE_CATEGORIES } from "./categories.ts";
import { type Calibrations, type Classification, Classifier } from "./classifier.ts";

export interface AnalysisInput {
  html: PageText | undefined;
  text: PageText | undefined;
  url: string;
}

export interface Embedded {
  /** Unit length, rounded to six digits. */
  vector: number[];
  tokens: number;
}

export const neuralTasks = (model: StaticVectors, calibrations: Calibrations) => {
  const sites = new Classifier(model, SITE_CATEGORIES, calibrations.described);
  const calibrationFor = (labels: Label[]) =>
    labels.every(({ descriptions }) => descriptions.length > 0) ? calibrations.described : calibrations.named;
  return {
    analyze: ({ url, ...page }: AnalysisInput) => {
      const [html, text] = [decoded(page.html), decoded(page.text)];
      return {
        analysis: analyzePage(model, sites, { html, text, url }),
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
};

export type NeuralTasks = ReturnType<typeof neuralTasks>;
