/** Why a result stands where it does. Pure. */
import type { z } from "zod";
import type { Listing } from "../../schemas/site.ts";
import { type RankedSite, textEvidence } from "../../src/domain/search/ranking.ts";
import type { search } from "./contract.ts";

type Explanation = NonNullable<
  z.input<(typeof search)["operations"]["searchSites"]["reply"]>["results"][number]["explain"]
>;

/**
 * The factors of a result's score with what each follows from.
 * @param terms those that were looked for
 */
export function explanationOf(
  { explain, score, candidate }: RankedSite,
  terms: string[],
  listing: Listing,
): Explanation {
  const words = textEvidence(candidate, terms).map(({ field, terms: held, onPages }) => ({
    signal: "text" as const,
    reason: onPages === false ? `words_in_${field}_unconfirmed` : `words_in_${field}`,
    terms: held,
  }));
  return {
    ...explain,
    score,
    evidence: [
      ...words,
      { signal: "trust" as const, reason: "ring", value: listing.trust_ring },
      ...(candidate.gravity === "none"
        ? []
        : [{ signal: "fairness" as const, reason: `conduct_${candidate.gravity}` }]),
      ...(listing.neutrality_reasons ?? []).map(({ reason, points }) => ({
        signal: "fairness" as const,
        reason,
        value: points,
      })),
    ],
  };
}
