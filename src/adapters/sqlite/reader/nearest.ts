/** Sites near to a query in meaning: chosen by the signs of their vectors, then by the vectors themselves. */
import { LEAST_SIMILARITY } from "../../../domain/search/embeddings/static-vectors.ts";
import { MAX_NEAREST } from "../../../ports/index.ts";
import { hashOf, tokenOf } from "../../index/tokens.ts";
import type { NearestQuery, PackedSites } from "../worker/messages.ts";
import type { Finder } from "./candidates.ts";
import { pack, similaritiesOf } from "./cards.ts";

/** Vectors that are read: those that differ least in signs. */
const READ = 4 * MAX_NEAREST;

/** At most MAX_NEAREST sites that pass the filter and are similar to the vector, the nearest first. */
export const nearest = (finder: Finder, { terms, filter, vector }: NearestQuery): PackedSites => {
  const { connection, roster } = finder;
  return connection.snapshot(() => {
    roster.refresh(connection);
    const chosen = roster.signs.nearest(vector, READ, roster.mask(connection, filter));
    const similarities = similaritiesOf(connection, chosen, vector);
    const ids = chosen
      .map((id, i) => ({ id, similarity: similarities[i]! }))
      .filter(({ similarity }) => similarity >= LEAST_SIMILARITY)
      .sort((a, b) => b.similarity - a.similarity || a.id - b.id)
      .slice(0, MAX_NEAREST)
      .map(({ id }) => id);
    const hashes = terms.map((term) => hashOf(tokenOf(term)));
    return pack(finder, ids, hashes, vector);
  });
};
