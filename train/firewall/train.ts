/** The text classifiers of the Agent Firewall: attack or not, request or not, and the quick one that comes first. */
import { asModel, type Row, type TrainingOptions, trainLinear, writeModel } from "../linear.ts";
import { BIPIA, corpus, readRealTexts } from "./corpus.ts";

const SEED = 20_261_121;
/** Risk from which a page is warned of; one for all (docs/evaluation/firewall.md). */
export const THRESHOLD = 0.4;

const FULL = {
  features: { buckets: 1 << 16, words: 3, chars: [3, 5] },
  seed: SEED,
  epochs: 14,
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

export const train = async (): Promise<void> => {
  const real = readRealTexts();
  const { attack, request } = corpus(real, SEED);
  const trainedOn = [
    {
      data: "texts made by the templates of train/firewall",
      licence: "Apache-2.0",
      rows: attack.length - real.attacks.length - real.page.length,
    },
    { data: `BIPIA, training attacks (${BIPIA.join(", ")})`, licence: "MIT", rows: real.attacks.length },
    {
      data: "harmless texts: ec-darkpattern, descriptions of the MCP registry, offers of Amazon-Google and Walmart-Amazon (Ditto)",
      licence: "Apache-2.0, MIT",
      rows: real.page.length,
    },
  ];
  const make = (name: string, rows: Row[], options: TrainingOptions, about: string): void => {
    const trained = trainLinear(rows, options);
    const rest = {
      name,
      threshold: THRESHOLD,
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
    "Whether a text tries to steer the language model that reads it. For English; the commonest attacks in other languages too.",
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
};
