/**
 * Which law speaks of which pattern. Which of them applies to a site depends on facts that no page shows (size, audience,
 * seat); this names what to check.
 */
import { JURISDICTIONS, type Jurisdiction, type PatternId } from "../../../schemas/dark-pattern.ts";
import { readTable } from "../../tables/read-table.ts";

export const { laws: LAWS } = readTable("dark-pattern-laws");
type Law = (typeof LAWS)[number];

export interface Obligation extends Omit<Law, "patterns"> {
  patterns: PatternId[];
}

/** The laws that speak of these patterns, in the jurisdictions asked for. */
export const obligationsFor = (
  found: readonly PatternId[],
  jurisdictions: readonly Jurisdiction[] = JURISDICTIONS,
): Obligation[] =>
  LAWS.filter(({ jurisdiction }) => jurisdictions.includes(jurisdiction))
    .map((law) => ({ ...law, patterns: law.patterns.filter((pattern) => found.includes(pattern)) }))
    .filter(({ patterns }) => patterns.length > 0);
