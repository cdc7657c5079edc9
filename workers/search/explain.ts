/** Why a result stands where it does. Pure. */
import type { z } from "zod";
import type { Listing } from "../../schemas/site.ts";
import { textEvidence } from "../../src/domain/ranking.ts";
import type { search } from "./contract.ts";
import type { Placed } from "./find.ts";

type Explanation = NonNullable<
  z.input<(typeof search)["operations"]["search"]["reply"]>["results"][number]["explain"]
>;

/** The factors of a result's score with what each follows from. */
export const explanationOf = (placed: Placed, listing: Listing): Explanation => {
  const { explain, score, candidate, terms } = placed;
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
      ...(listing.neutrality_reasons ?? []).map(({ reason, points }) => ({
        signal: "fairness" as const,
        reason,
        value: points,
      })),
    ],
  };
};
