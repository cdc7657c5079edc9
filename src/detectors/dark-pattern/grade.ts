/** Score and grade of a scan, and the version of its rules and models; apart from the rules, which parse pages. */
import type { PatternJudgement } from "../../../schemas/dark-pattern.ts";
import { readCard } from "../../classifiers/model-card.ts";

const RULES_VERSION = "6";

export interface Grade {
  /** 0 to 100; null when too little was seen. */
  score: number | null;
  grade: "A" | "B" | "C" | "D" | "E" | "F" | null;
  /** Why there is no grade. */
  grade_reason: string | null;
}

const COST_OF_DECEPTION = 30;
const COST_OF_PRESENCE = 6;

/** Patterns of which a page must show something, found or not, before it is called free of them. */
const ENOUGH = 8;
const LEAST_A = 90;
const GRADES = ["F", "F", "F", "F", "E", "D", "C", "C", "B", "A", "A"] as const;

export const darkPatternRuleset = (): string =>
  `dark-pattern-${RULES_VERSION}+${readCard("dark-pattern").version}`;

/** What was found grades a page however little was seen of it; that nothing was found needs enough to judge by. */
export function gradeOf({ patterns }: { readonly patterns: readonly PatternJudgement[] }): Grade {
  const judged = patterns.filter(({ verdict }) => verdict !== "not_determinable").length;
  const score = scoreOf(patterns);
  if (judged < ENOUGH && score >= LEAST_A) {
    const reason = `Only ${judged} of ${patterns.length} patterns can be judged by what was seen, ${ENOUGH} are needed: each pattern's reason says what is missing.`;
    return { score: null, grade: null, grade_reason: reason };
  }
  return { score, grade: GRADES[Math.floor(score / 10)]!, grade_reason: null };
}

/** 0 to 100: each pattern that was found counts once, at its confidence. */
export function scoreOf(patterns: readonly Pick<PatternJudgement, "verdict" | "confidence">[]): number {
  const lost = patterns.reduce((sum, { verdict, confidence }) => {
    const cost =
      verdict === "likely_deceptive" ? COST_OF_DECEPTION : verdict === "present" ? COST_OF_PRESENCE : 0;
    return sum + cost * confidence;
  }, 0);
  return Math.round(Math.max(0, 100 - lost));
}
