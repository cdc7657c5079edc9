/** What the parts of the suite of the index share. */
import { afterAll, beforeAll } from "vitest";
import type { Listing } from "../../../schemas/site.ts";
import { analyzeQuery } from "../../../src/domain/search/text-analysis.ts";
import type { CandidateQuery, IndexFilter, ListQuery, SiteIndex } from "../../../src/ports/index.ts";
import { put, type SiteSketch } from "../index-document.ts";

/** Gives a fresh, empty index each time. */
export type Open = () => Promise<SiteIndex>;

export const asked = (text: string, more: Partial<CandidateQuery> = {}): CandidateQuery => ({
  terms: analyzeQuery(text),
  filter: {},
  limit: 300,
  ...more,
});

export const search = async (
  index: SiteIndex,
  text: string,
  more: Partial<CandidateQuery> = {},
): Promise<string[]> =>
  (await index.candidates(asked(text, more))).candidates.map((candidate) => candidate.siteId);

/** A page with its listings read. */
export async function pageOf(index: SiteIndex, query: ListQuery) {
  const page = await index.list(query);
  return { ...page, listings: JSON.parse(Buffer.from(page.listings).toString()) as Listing[] };
}

export const listed = async (index: SiteIndex, filter: IndexFilter): Promise<string[]> =>
  (await pageOf(index, { filter, offset: 0, limit: 100 })).listings.map((listing) => listing.siteId);

/** Opens one index for the tests of a block, with the sites given. */
export function indexOf(open: Open, sites: SiteSketch[]): () => SiteIndex {
  let index: SiteIndex;
  beforeAll(async () => {
    index = await open();
    await index.apply(sites.map(put));
  });
  afterAll(async () => index.close());
  return () => index;
}
