/** What searches and discovery share: what they need, and how they refuse. */
import type { QueryMeaning } from "../../src/domain/search/embeddings/site-meaning.ts";
import type { SiteIndex } from "../../src/ports/index.ts";
import { fail } from "../../src/rpc/errors.ts";
import { siteDigests } from "./rules.ts";

export interface SearchDeps {
  index: SiteIndex;
  /** What a query means; absent: words alone find sites. */
  meaningOf?: (words: string) => Promise<QueryMeaning | undefined>;
  /** Whether a word is one of a language (find.ts). */
  isWord?: (word: string) => boolean;
  now: () => number;
  publicUrl: string;
  /** Signs cursors and draws the rotation: the same in every process of a registry. */
  secret: string;
  ownRing: () => Promise<number>;
}

export const invalidLocation = () =>
  fail("invalid_request", "location: use a place, or lat,lon,km with km from 0 to 20000.", {
    errors: [{ pointer: "/query/location", code: "invalid_place", message: "not lat,lon,km" }],
  });

export const badSearchCursor = () =>
  fail("invalid_cursor", "Start again without a cursor; cursors last an hour and belong to one search.");

/** What comes after those that were shown: the best of the others. */
export function pageOf<T extends { siteId: string }>(
  secret: string,
  ranked: readonly T[],
  shown: ReadonlySet<number>,
  { offset, limit }: { offset: number; limit: number },
) {
  const digestOf = siteDigests(secret);
  const others = ranked
    .map((site) => ({ site, digest: digestOf(site.siteId) }))
    .filter(({ digest }) => !shown.has(digest));
  const page = others.slice(offset, offset + limit).map(({ site }) => site);
  const next = new Set([...shown, ...others.slice(0, offset + limit).map(({ digest }) => digest)]);
  return { page, next, more: Math.max(0, others.length - offset - limit) };
}
