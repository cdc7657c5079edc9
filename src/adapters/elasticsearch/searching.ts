/** Several searches of one moment in one request. */
import type { Client, estypes } from "@elastic/elasticsearch";
import { SearchError } from "./connection.ts";
import type { Source } from "./schema.ts";
import type { Snapshot } from "./snapshots.ts";

export type Search = estypes.SearchSearchRequestBody;
export type Found = estypes.MsearchMultiSearchItem<Source>;

/**
 * @returns the replies by the names of their searches; undefined where there was no search
 * @throws SearchError of the first search that failed
 */
export async function searchAll<Names extends string>(
  client: Client,
  { pit, signal }: Snapshot,
  searches: Record<Names, Search | undefined>,
): Promise<Partial<Record<Names, Found>>> {
  const asked = (Object.entries(searches) as [Names, Search | undefined][]).filter(([, search]) => search);
  if (asked.length === 0) return {};
  const reply = await client.msearch<Source>(
    { searches: asked.flatMap(([, search]) => [{}, { ...search, pit }]) },
    // The engine ends a search whose connection was closed.
    signal ? { signal } : {},
  );
  const found: Partial<Record<Names, Found>> = {};
  reply.responses.forEach((item, i) => {
    if ("error" in item) {
      const { type, reason, root_cause: causes } = item.error;
      throw new SearchError(causes?.[0]?.type ?? type, item.status, reason ?? "");
    }
    found[asked[i]![0]] = item;
  });
  return found;
}
