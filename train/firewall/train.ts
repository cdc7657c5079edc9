/** The text classifier of the Agent Firewall, and what its logits mean by what a text is to the agent that reads it. */
import { createHash } from "node:crypto";
import { WindowModel } from "../../src/classifiers/window-model.ts";
import { writeModel } from "../linear.ts";
import { fitWindows } from "./fit.ts";
import { calibrate, type LeftOut, leaveOneOut, withoutCopies } from "./left-out.ts";
import { readMeasured } from "./measured.ts";
import { readSources, type Source, type SourcedText } from "./sources.ts";

export async function train(): Promise<void> {
  const sources = readSources();
  const apart = readMeasured().flatMap(({ texts }) => texts);
  const folds: LeftOut[] = [];
  for (const fold of leaveOneOut(sources, apart)) {
    process.stderr.write(`left out: ${fold.name}\n`);
    folds.push(fold);
  }
  trainWith(folds, sources, apart);
}

/** @param folds of the sources, to calibrate by; @param apart texts that nothing learns from */
export function trainWith(
  folds: readonly LeftOut[],
  sources: readonly Source[],
  apart: readonly SourcedText[],
): void {
  const calibrations = calibrate(folds);
  process.stderr.write(`${JSON.stringify(calibrations)}\n`);
  const texts = withoutCopies(sources, apart);
  const { model, weights } = fitWindows(texts);
  const weightsSha256 = createHash("sha256").update(weights).digest("hex");
  const card = {
    ...model.card,
    version: weightsSha256.slice(0, 12),
    calibrations,
    trainedOn: sources.map(({ name, license, texts: { length } }) => ({ data: name, license, rows: length })),
    measured: { report: "docs/evaluation/firewall.md" },
    weightsSha256,
  };
  writeModel(
    new WindowModel(card, weights),
    weights,
    "Whether a text wants something of the machine that reads it, against whom the machine serves. For English; in other languages with less.",
    "firewall",
  );
  process.stderr.write(`trained on ${texts.length} texts\n`);
}
