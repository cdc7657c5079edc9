/** The names that the Dark Pattern Detector judges by: its patterns, verdicts and jurisdictions. */
import { z } from "zod";

export const PATTERN_IDS = [
  "fake-urgency",
  "fake-scarcity",
  "fake-social-proof",
  "hidden-costs",
  "trick-wording",
  "preselection",
  "hard-to-cancel",
  "confirmshaming",
  "hidden-subscription",
  "visual-interference",
  "disguised-ads",
  "nagging",
  "sneak-into-basket",
  "bait-and-switch",
  "privacy-zuckering",
  "forced-action",
  "pressured-selling",
] as const;
export type PatternId = (typeof PATTERN_IDS)[number];

const PATTERN_VERDICTS = ["likely_deceptive", "present", "not_found", "not_determinable"] as const;

export const JURISDICTIONS = ["EU", "UK", "US", "US-CA", "IN"] as const;
export type Jurisdiction = (typeof JURISDICTIONS)[number];

/** What is said of one pattern. */
export const PatternJudgement = z.object({
  pattern: z.enum(PATTERN_IDS),
  verdict: z.enum(PATTERN_VERDICTS).meta({
    description:
      "present: it is there, which is not yet deception; likely_deceptive: there is evidence beyond presence; not_found: nothing of it in the input; not_determinable: judging it takes more input",
  }),
  confidence: z.number().min(0).max(1),
  abstain: z.boolean().optional().meta({
    description:
      "Too close to call, or not determinable: confidence of what was found is between 0.35 and 0.65. Leave the decision to a person",
  }),
  reason: z.string(),
});
export type PatternJudgement = z.infer<typeof PatternJudgement>;
