/** How sure a judgement is, as every judge says it. */
import { z } from "zod";

/** Share of what is judged that is what the judge looks for, where probabilities are meant. */
export const BASE_RATE = 0.1;
/** Between these a judge would be wrong more than one time of five, whichever way it said: it abstains. */
export const ABSTAIN_BAND: readonly [from: number, to: number] = [0.2, 0.8];

export const Certainty = z
  .object({
    probability: z.number().min(0).max(1).meta({
      description: "Probability that it is what is looked for, fitted on texts that were not learned from",
    }),
    base_rate: z.number().min(0).max(1).meta({
      description: "Share of such inputs that the probability assumes; where there are fewer, it is lower",
    }),
    abstain: z.boolean().meta({
      description: "Too close to call: leave the decision to a person, or treat it as the stricter of both",
    }),
    band: z
      .array(z.number())
      .length(2)
      .meta({ description: "Probabilities between which abstain is true: from, to" }),
  })
  .meta({ id: "Certainty" });
export type Certainty = z.infer<typeof Certainty>;
