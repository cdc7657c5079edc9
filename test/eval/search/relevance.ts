/** Is relevance kept? nDCG@10 of the registry's own search over a labelled collection, beside plain BM25 of the same words. */
import { basename, resolve } from "node:path";
import { analyzeQuery, analyzeText } from "../../../src/domain/search/text-analysis.ts";
import type { IndexWrite, SiteIndex } from "../../../src/ports/index.ts";
import { findSites } from "../../../workers/search/find.ts";
import { documentOf } from "../../ports/index-document.ts";
import { bm25 } from "./bm25.ts";
import type { Collection, Doc } from "./collection.ts";
import { type Engine, fill, openEngine, say } from "./engine.ts";
import type { Meaning } from "./meaning.ts";
import { ndcg } from "./measures.ts";

const DEPTH = 10;
/** Hours over which the turns are averaged. */
const EPOCHS = 4;
/** An hour to begin with: any would do. */
const FIRST_EPOCH = 490_000;
const SECRET = "evaluation";
const SAID_EVERY = 250;

export interface Relevance {
  collection: string;
  engine: Engine;
  docs: number;
  /** Those with a relevant document. */
  queries: number;
  ndcg10_bm25: number;
  ndcg10_ours: number;
  ratio: number;
  /** Share of the queries with a relevant document first, and in the first ten. */
  first: number;
  first10: number;
  encoder: string | null;
}

const hostOf = (place: number): string => `d${place}.example`;

/** A document as a site: its title is the name, its own domain says nothing, and every document has another owner. */
async function* writesOf(docs: Doc[], meaning: Meaning | undefined): AsyncGenerator<IndexWrite> {
  for (const [place, { title, text }] of docs.entries()) {
    const sketch = { domain: hostOf(place), name: title, text: `${title}\n${text}` };
    const document = documentOf(sketch);
    const vector = await meaning?.site({ name: title, description: "", tags: [], text });
    const terms = { ...document.terms, domain: [] };
    yield { kind: "put", document: { ...document, terms, ...(vector && { vector }) } };
  }
}

async function search(
  index: SiteIndex,
  words: string,
  means: Awaited<ReturnType<Meaning["of"]>> | undefined,
  epoch: number,
): Promise<string[]> {
  const filter = { status: "enabled" };
  const asked = { words, ...means, filter, asTyped: false, secret: SECRET, epoch };
  const { ranked } = await findSites(index, asked);
  return ranked.slice(0, DEPTH).map(({ siteId }) => siteId);
}

/** Queries with something to find: without judgements, or with none above 0, there is nothing to measure. */
const askable = ({ queries, judged }: Collection) =>
  queries.filter(({ id }) => [...(judged.get(id)?.values() ?? [])].some((gain) => gain > 0));

const rounded = (value: number): number => Math.round(value * 1e4) / 1e4;

/**
 * Indexes the collection in a new index of the engine and asks every judged query there.
 * @param meaning undefined: by words alone
 */
export async function measureRelevance(
  folder: string,
  collection: Collection,
  engine: Engine,
  meaning: Meaning | undefined,
  epochs = EPOCHS,
): Promise<Relevance> {
  const { docs, judged } = collection;
  const queries = askable(collection);
  const baseline = bm25(
    (function* (): Generator<[string, string[]]> {
      for (const { id, title, text } of docs) yield [id, analyzeText(`${title}\n${text}`)];
    })(),
  );
  const ids = new Map(docs.map(({ id }, place) => [hostOf(place), id]));
  const { index, close } = await openEngine(engine);
  const sums = { bm25: 0, ours: 0, first: 0, first10: 0 };
  try {
    await fill(index, writesOf(docs, meaning));
    for (const [place, { id, text }] of queries.entries()) {
      const gains = judged.get(id)!;
      sums.bm25 += ndcg(baseline.search(analyzeQuery(text), DEPTH), gains, DEPTH);
      const means = await meaning?.of(text);
      for (let epoch = FIRST_EPOCH; epoch < FIRST_EPOCH + epochs; epoch++) {
        const found = await search(index, text, means, epoch);
        const documents = found.map((host) => ids.get(host)!);
        sums.ours += ndcg(documents, gains, DEPTH);
        const best = documents.findIndex((document) => (gains.get(document) ?? 0) > 0);
        if (best === 0) sums.first++;
        if (best >= 0) sums.first10++;
      }
      if ((place + 1) % SAID_EVERY === 0) say(`${place + 1} of ${queries.length} queries …`);
    }
  } finally {
    await close();
  }
  const count = Math.max(1, queries.length);
  const [plain, ours] = [sums.bm25 / count, sums.ours / count / epochs];
  return {
    collection: basename(resolve(folder)),
    engine,
    docs: docs.length,
    queries: queries.length,
    ndcg10_bm25: rounded(plain),
    ndcg10_ours: rounded(ours),
    ratio: plain === 0 ? (ours === 0 ? 1 : 0) : rounded(ours / plain),
    first: rounded(sums.first / count / epochs),
    first10: rounded(sums.first10 / count / epochs),
    encoder: meaning?.encoder ?? null,
  };
}
