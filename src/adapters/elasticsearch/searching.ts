/** Several searches of one moment in one request. */
import type { Client, estypes } from "@elastic/elasticsearch";
import { SearchError } from "./connection.ts";
import type { DocumentSource } from "./schema.ts";
import type { IndexSnapshot } from "./snapshots.ts";

export type SearchBody = estypes.SearchSearchRequestBody;
export type SearchResponse = estypes.MsearchMultiSearchItem<DocumentSource>;

/**
 * @returns the replies by the names of their searches; undefined where there was no search
 * @throws SearchError of the first search that failed
 */
export async function searchAll<Names extends string>(
  client: Client,
  { pit, signal }: IndexSnapshot,
  searches: Record<Names, SearchBody | undefined>,
): Promise<Partial<Record<Names, SearchResponse>>> {
  const asked = (Object.entries(searches) as [Names, SearchBody | undefined][]).filter(
    ([, search]) => search,
  );
  if (asked.length === 0) return {};
  const reply = await client.msearch<DocumentSource>(
    { searches: asked.flatMap(([, search]) => [{}, { ...search, pit }]) },
    // The engine ends a search whose connection was closed.
    signal ? { signal } : {},
  );
  const found: Partial<Record<Names, SearchResponse>> = {};
  reply.responses.forEach((item, i) => {
    if ("error" in item) {
      const { type, reason, root_cause: causes } = item.error;
      throw new SearchError(causes?.[0]?.type ?? type, item.status, reason ?? "");
    }
    found[asked[i]![0]] = item;
  });
  return found;
}
