/** Score and grade of a scan, and the version of its rules and models; apart from the rules, which parse pages. */
import type { PatternJudgement } from "../../../schemas/dark-pattern.ts";
import { readCard } from "../../classifiers/model-card.ts";

const RULES_VERSION = "1";

export const rulesetVersion = (): string =>
  `dark-pattern-${RULES_VERSION}+${readCard("dark-pattern").version}.${readCard("dark-pattern-kind").version}`;

export interface Grade {
  /** 0 to 100; null when no page was seen. */
  score: number | null;
  grade: "A" | "B" | "C" | "D" | "E" | "F" | null;
}

/** A likely deceptive pattern costs 20 at its confidence, one that is merely present 6; each pattern counts once. */
export const gradeOf = ({ patterns }: { readonly patterns: readonly PatternJudgement[] }): Grade => {
  if (patterns.every(({ verdict }) => verdict === "not_determinable")) return { score: null, grade: null };
  const lost = patterns.reduce((sum, { verdict, confidence }) => {
    const cost = verdict === "likely_deceptive" ? 20 : verdict === "present" ? 6 : 0;
    return sum + cost * confidence;
  }, 0);
  const score = Math.round(Math.max(0, 100 - lost));
  const grades = ["F", "F", "F", "F", "E", "D", "C", "C", "B", "A", "A"] as const;
  return { score, grade: grades[Math.floor(score / 10)]! };
};
