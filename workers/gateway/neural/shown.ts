/** Labels, analyses and classifications between the words of the contract and ours. */
import { round } from "../../../src/detectors/risk.ts";
import type { PageAnalysis } from "./analysis.ts";
import type { Label } from "./categories.ts";
import type { Classification } from "./classifier.ts";

export const shownClassification = ({ label, confidence, none, ranked }: Classification) => ({
  label,
  confidence: round(confidence, 4),
  none_confidence: round(none, 4),
  abstained: label === null,
  ranked: ranked.map((one) => ({ label: one.label, confidence: round(one.confidence, 4) })),
});

export const shownAnalysis = (analysis: PageAnalysis) => ({
  ...analysis,
  language: { ...analysis.language, confidence: round(analysis.language.confidence) },
  topics: analysis.topics.map(({ topic, weight }) => ({ topic, weight: round(weight) })),
  category: shownClassification(analysis.category),
});

/** A label as a caller names it. */
export const labelOf = ({
  name,
  description,
}: {
  name: string;
  description?: string | undefined;
}): Label => ({
  name,
  descriptions: description ? [description] : [],
});
