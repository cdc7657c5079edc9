/** `npm run eval -- neural [--fit] [--write]`: are labels right, and confidences what they say? */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { installedEncoder } from "../../../deploy/encoder.ts";
import { EncoderProcess } from "../../../src/adapters/encoder/encoder-process.ts";
import { embeddingModel } from "../../../src/classifiers/embedding-model.ts";
import { guessLanguage } from "../../../src/pages/language.ts";
import { type Calibrations, readCalibrations } from "../../../workers/gateway/neural/classifier.ts";
import { fitCalibration, measureQuality, type NearSet, nearSets, type Quality } from "./calibration.ts";
import { type LabelledSet, readLabelledSets } from "./labelled.ts";

const ROOT = join(import.meta.dirname, "..", "..", "..");
const CLASSIFIER = join(ROOT, "models", "neural", "classifier.json");
const REPORT = join(ROOT, "docs", "evaluation", "neural.md");
const ENCODE_WAIT_MS = 30_000;
/** Gate: worse than this fails. */
const MOST_CALIBRATION_ERROR = 0.25;

/** Sets of texts with how near each is to each label: by the encoder where it is installed, and by static vectors. */
async function readNearSets(
  sets: readonly LabelledSet[],
): Promise<Partial<Record<keyof Calibrations, NearSet[]>>> {
  const model = embeddingModel();
  const byEncoder = await encoded(sets);
  return {
    ...(byEncoder && { encoder: byEncoder }),
    static: await nearSets(sets, async (text) => model.embed(text)),
  };
}

async function encoded(sets: readonly LabelledSet[]): Promise<NearSet[] | undefined> {
  const installed = installedEncoder();
  if (!installed) return undefined;
  const encoder = new EncoderProcess({ ...installed, onFailure: (why) => process.stderr.write(`${why}\n`) });
  // An encoder keeps no process alive.
  const alive = setInterval(() => undefined, 1_000);
  while (encoder.state === "starting") await new Promise((resolve) => setTimeout(resolve, 100));
  const near = await nearSets(sets, async (text) => {
    const { language } = guessLanguage(text);
    const foreign = language !== null && language !== "en";
    const direction = await encoder.encode(text, { for: "query", waitMs: ENCODE_WAIT_MS, foreign });
    if (!direction) throw new Error("The sentence encoder did not answer.");
    return direction;
  });
  await encoder.close();
  clearInterval(alive);
  return near;
}

/** Each set judged by what was fitted to the others. */
const leftOut = (sets: readonly NearSet[]): Quality[] =>
  sets.map((set) => measureQuality(set, fitCalibration(sets.filter((other) => other !== set))));

const figure = (value: number | null): string => (value === null ? "" : value.toFixed(3));

function report(quality: readonly (readonly [by: string, Quality])[]): string {
  const classified = quality.map(
    ([by, q]) =>
      `| ${q.name} | ${q.labels} | ${by} | ${q.likeliestIsRight} | ${q.given} | ${q.givenIsRight} | ${q.noneIsRight} | ${figure(q.calibrationError)} |`,
  );
  return `# Neural Engine

Made by \`npm run eval -- neural --write\`. Vectors are static: a row for each token, distilled once from all-MiniLM-L6-v2
(\`npm run train -- embeddings\`) and fitted so that the sum of a text's rows says what the model says of the text.

## Labels

Zero-shot: a text is as near to a label as their directions are, the text's by the sentence encoder where it is installed; a softmax of the
cosines, with "none of them" as one more outcome, is the confidence. **Strangers' texts and labels** (tools of toolsdk's registry, LiveMCPBench and
ToolEmu with their categories, offers of a shop with theirs; no label is described); each set is judged by a temperature and a level of "none" that were fitted to the
others (\`--fit\` fits to all). 95 % bootstrap intervals; looked at two to six times while this was made. Texts that fit no label are the other trade's.

| Texts | Labels | By | Likeliest is right | Given a label | Given labels right | None given where none fits | Calibration error |
| ----- | ------ | -- | ------------------ | ------------- | ------------------ | -------------------------- | ----------------- |
${classified.join("\n")}

It knows what a text is about, not what it is for: of "complaint", "question" and "praise" it tells little.
`;
}

export async function evaluate(args: string[]): Promise<number> {
  const { values } = parseArgs({
    args,
    options: { write: { type: "boolean", default: false }, fit: { type: "boolean", default: false } },
  });
  const sets = readLabelledSets();
  if (!sets) {
    process.stderr.write("The data folder (BRIDGE_DATA_DIR) has no labeled texts: nothing was measured.\n");
    return 2;
  }
  const near = await readNearSets(sets);
  const by = Object.keys(near) as (keyof Calibrations)[];
  if (values.fit) {
    const fitted = by.map((vectors) => [vectors, fitCalibration(near[vectors]!)]);
    const calibrations = { ...readCalibrations(), ...Object.fromEntries(fitted) };
    writeFileSync(CLASSIFIER, `${JSON.stringify(calibrations, null, 2)}\n`);
  }
  const quality = by.flatMap((vectors) => leftOut(near[vectors]!).map((one) => [vectors, one] as const));
  for (const [vectors, measured] of quality)
    process.stdout.write(`${JSON.stringify({ vectors, ...measured })}\n`);
  if (values.write) writeFileSync(REPORT, report(quality));
  return quality.every(([, { calibrationError }]) => calibrationError <= MOST_CALIBRATION_ERROR) ? 0 : 1;
}
