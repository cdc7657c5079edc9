/** Sites near to a query in meaning: chosen by binary vectors, then by the vectors themselves. */
import { LEAST_SIMILARITY } from "../../../domain/search/embeddings/static-vectors.ts";
import { type CandidateQuery, MAX_NEAREST } from "../../../ports/index.ts";
import { hashOf, tokenOf } from "../../index/tokens.ts";
import { type PackedSites, readCards, similaritiesOf } from "./cards.ts";
import type { Searcher } from "./searcher.ts";

/** Vectors that are read: those whose binary vectors are nearest. */
const READ = 4 * MAX_NEAREST;

/** The sites nearest to a vector, with counts of these terms. */
type NearestQuery = Required<Pick<CandidateQuery, "terms" | "filter" | "vector">>;

/** At most MAX_NEAREST sites that pass the filter and are similar to the vector, the nearest first. */
export const nearest = (searcher: Searcher, { terms, filter, vector }: NearestQuery): PackedSites => {
  const { connection, columns } = searcher;
  return connection.snapshot(() => {
    columns.refresh(connection);
    const chosen = columns.vectors.nearest(vector, READ, columns.mask(connection, filter));
    const similarities = similaritiesOf(connection, chosen, vector);
    const ids = chosen
      .map((id, i) => ({ id, similarity: similarities[i]! }))
      .filter(({ similarity }) => similarity >= LEAST_SIMILARITY)
      .sort((a, b) => b.similarity - a.similarity || a.id - b.id)
      .slice(0, MAX_NEAREST)
      .map(({ id }) => id);
    const hashes = terms.map((term) => hashOf(tokenOf(term)));
    return readCards(searcher, ids, hashes, vector);
  });
};
