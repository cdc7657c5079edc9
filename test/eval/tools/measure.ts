/** Tools in the index of the service, searched as it searches, beside plain BM25 over the same words. */
import { z } from "zod";
import { parametersOf } from "../../../src/agent-web/parameters.ts";
import {
  type DoableTexts,
  doableIndexDocument,
  meaningTexts,
} from "../../../src/agent-web/search/documents.ts";
import { findDoables, indexFilterOf } from "../../../src/agent-web/search/find.ts";
import { analyzeQuery, analyzeText } from "../../../src/domain/search/text-analysis.ts";
import { bm25 } from "../search/bm25.ts";
import { type Engine, fill, openEngine } from "../search/engine.ts";
import type { Meaning } from "../search/meaning.ts";
import { ndcg } from "../search/measures.ts";

const Text = z
  .string()
  .nullish()
  .transform((text) => text ?? "");
export const Tool = z.object({
  id: z.string(),
  server: Text,
  server_description: Text,
  name: z.string(),
  description: Text,
  input_schema: z.unknown(),
});
export const Query = z.object({ id: z.string(), query: z.string(), relevant: z.array(z.string()) });
type Tool = z.infer<typeof Tool>;
type Query = z.infer<typeof Query>;

const DEPTH = { recall: 5, ndcg: 10 };
/** So that a name meets another description in each round. */
const STRIDE = 7_919;
const OWNERS_OF_A_KIND = 8;
const ROUNDS = 4;
const SECRET = "evaluation";
const EPOCH = 490_000;
/** No server is known better than another here. */
const SEEN_AT = "2026-01-01T00:00:00.000Z";

export async function measureTools(
  tools: readonly Tool[],
  queries: readonly Query[],
  { engine, meaning }: { engine: Engine; meaning: Meaning },
) {
  const asked = queries.filter(({ relevant }) => relevant.length > 0);
  const servers = hostsOf(tools);
  const baseline = bm25(tools.map((tool) => [tool.id, analyzeText(wholeText(tool))]));
  const { index, close } = await openEngine(engine);
  const ours: string[][] = [];
  try {
    await fill(index, writesOf(tools, servers, meaning));
    const filter = indexFilterOf("tool", {});
    for (const { query } of asked) {
      const { meaning: meant } = await meaning.of(query);
      const { ranked } = await findDoables(index, {
        ...{ words: query, filter, meaning: meant, secret: SECRET, epoch: EPOCH },
      });
      ours.push(ranked.map(({ siteId }) => tools[placeOf(siteId)]!.id));
    }
  } finally {
    await close();
  }
  const plain = asked.map(({ query }) => baseline.search(analyzeQuery(query), DEPTH.ndcg));
  const [recall5, ndcg10] = meansOf(asked, ours);
  const [bm25Recall5, bm25Ndcg10] = meansOf(asked, plain);
  return {
    ...{ tools: tools.length, queries: asked.length, recall5, ndcg10 },
    ...{ bm25_recall5: bm25Recall5, bm25_ndcg10: bm25Ndcg10, encoder: meaning.encoder },
  };
}

/** How long a search takes in an index of so many tools, each of the name of one and the description of another; what a tool takes. */
export async function measureSpeed(
  tools: readonly Tool[],
  queries: readonly Query[],
  { engine, meaning, count }: { engine: Engine; meaning: Meaning; count: number },
) {
  const grown = Array.from({ length: count }, (_, i): Tool => {
    const round = Math.floor(i / tools.length);
    const [named, said] = [tools[i % tools.length]!, tools[(i + round * STRIDE) % tools.length]!];
    return { ...said, name: named.name, server: `${named.server} ${round % OWNERS_OF_A_KIND}` };
  });
  const { index, close } = await openEngine(engine);
  try {
    await fill(index, writesOf(grown, hostsOf(grown), meaning));
    const filter = indexFilterOf("tool", {});
    const times: number[] = [];
    for (let round = 0; round < ROUNDS; round++)
      for (const { query } of queries) {
        const { meaning: meant } = await meaning.of(query);
        const startedMs = performance.now();
        const { ranked } = await findDoables(index, {
          ...{ words: query, filter, meaning: meant, secret: SECRET, epoch: EPOCH },
        });
        await index.listings(ranked.slice(0, DEPTH.ndcg).map(({ siteId }) => siteId));
        // What is read for the first time is no search's time.
        if (round > 0) times.push(performance.now() - startedMs);
      }
    times.sort((a, b) => a - b);
    const at = (share: number) => Number(times[Math.floor(share * (times.length - 1))]!.toFixed(1));
    const { bytes } = await index.stats();
    const taken = { bytes_a_tool: Math.round(bytes / count), p50_ms: at(0.5), p99_ms: at(0.99) };
    return { tools: count, searches: times.length, ...taken, encoder: meaning.encoder };
  } finally {
    await close();
  }
}

/** One host a server. */
const hostsOf = (tools: readonly Tool[]): ReadonlyMap<string, string> =>
  new Map([...new Set(tools.map(({ server }) => server))].map((name, i) => [name, `s${i}.example`]));

async function* writesOf(tools: readonly Tool[], servers: ReadonlyMap<string, string>, meaning: Meaning) {
  for (const [place, tool] of tools.entries()) {
    const texts = textsOf(tool);
    const host = servers.get(tool.server)!;
    const document = doableIndexDocument(
      { id: `t${place}`, kind: "tool", doable: doableOf(tool, host), texts },
      { revision: place + 1, changedAt: place + 1 },
      { gravity: "none", secret: SECRET },
    );
    const vector = await meaning.site(meaningTexts(texts));
    yield { kind: "put", document: { ...document, ...(vector && { vector }) } } as const;
  }
}

const placeOf = (siteId: string): number => Number(siteId.slice(1));

const textsOf = (tool: Tool): DoableTexts => ({
  name: tool.name,
  description: tool.description.slice(0, 1_000),
  parameters: parametersOf(tool.input_schema),
  service: `${tool.server} ${tool.server_description}`,
});

const doableOf = ({ name, description }: Tool, host: string) => ({
  tool: { name, description, effect: "read" as const, screened: "clear" as const },
  service: {
    ...{
      host,
      protocol: "mcp" as const,
      endpoint: `https://${host}/mcp`,
      transports: [],
      auth: "none" as const,
    },
    ...{ payment: "not_stated" as const, name: "", description: "", screened: "clear" as const, by: "owner" },
    ...{ hosts: [host], level: "answers" as const, tools: 1, seen_at: SEEN_AT, seen_by: "answer" as const },
  },
});

/** All that is said of a tool, in one text. */
function wholeText(tool: Tool): string {
  const { name, description, parameters, service } = textsOf(tool);
  return [name, description, service, ...parameters].join("\n");
}

function meansOf(asked: readonly Query[], ranked: readonly string[][]): [recall: number, ndcg: number] {
  const mean = (of: (query: Query, found: string[]) => number) =>
    Number(
      (asked.reduce((sum, query, i) => sum + of(query, ranked[i]!), 0) / Math.max(1, asked.length)).toFixed(
        4,
      ),
    );
  return [
    mean(({ relevant }, found) => recall(found, relevant)),
    mean(({ relevant }, found) => ndcg(found, new Map(relevant.map((id) => [id, 1])), DEPTH.ndcg)),
  ];
}

function recall(found: readonly string[], relevant: readonly string[]): number {
  const right = new Set(relevant);
  return found.slice(0, DEPTH.recall).filter((id) => right.has(id)).length / right.size;
}
