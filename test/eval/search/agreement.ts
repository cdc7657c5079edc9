/** Do both engines answer alike? The first page of the same searches over the same sites on each. */
import type { IndexWrite, SiteIndex } from "../../../src/ports/index.ts";
import { findSites } from "../../../workers/search/find.ts";
import { documentOf } from "../../ports/index-document.ts";
import type { Doc } from "./collection.ts";
import { ENGINES, type Engine, fill, openEngine, say } from "./engine.ts";
import { mean, PAGE } from "./exposure.ts";
import type { Meaning } from "./meaning.ts";
import { kendallTau } from "./measures.ts";

const EPOCH = 490_000;

export interface Agreement {
  queries: number;
  /** Mean of Kendall's τ over the first twenty. */
  tau: number;
  /** Share of the queries with the very same first page. */
  same: number;
}

async function writeOf(
  { title, text }: Doc,
  place: number,
  meaning: Meaning | undefined,
): Promise<IndexWrite> {
  const document = documentOf({ domain: `d${place}.example`, name: title, text });
  const vector = await meaning?.site({ name: title, description: "", tags: [], text });
  return { kind: "put", document: { ...document, ...(vector && { vector }) } };
}

/** Asks all queries of each engine, holding the same documents. */
export async function measureAgreement(
  docs: readonly Doc[],
  queries: readonly string[],
  meaning: Meaning | undefined,
): Promise<Agreement> {
  const pagesOf = async (index: SiteIndex): Promise<string[][]> => {
    const pages: string[][] = [];
    for (const words of queries) {
      const asked = {
        words,
        ...(await meaning?.of(words)),
        filter: {},
        asTyped: false,
        secret: "evaluation",
        epoch: EPOCH,
      };
      const { ranked } = await findSites(index, asked);
      pages.push(ranked.slice(0, PAGE).map(({ siteId }) => siteId));
    }
    return pages;
  };
  const shown = {} as Record<Engine, string[][]>;
  for (const engine of ENGINES) {
    say(`agreement: ${queries.length} searches on ${engine} …`);
    const { index, close } = await openEngine(engine);
    try {
      await fill(index, await Promise.all(docs.map((doc, place) => writeOf(doc, place, meaning))));
      shown[engine] = await pagesOf(index);
    } finally {
      await close();
    }
  }
  const pairs = shown.sqlite.map((page, i) => [page, shown.elasticsearch[i]!] as const);
  return {
    queries: queries.length,
    tau: mean(pairs.map(([a, b]) => kendallTau(a, b, PAGE))),
    same: mean(pairs.map(([a, b]) => (a.join() === b.join() ? 1 : 0))),
  };
}
