/** A retrieval collection in the form of docs.jsonl, queries.jsonl and qrels.jsonl, one JSON object a line. */
import { createReadStream, existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { z } from "zod";

const Id = z.union([z.string(), z.number()]).transform(String);
const Text = z
  .string()
  .nullish()
  .transform((text) => text ?? "");
const Doc = z.object({ id: Id, title: Text, text: Text });
const Query = z.object({ id: Id, text: z.string() });
/** A judgement without a gain says relevant; negative gains (TREC's spam) count as none. */
const Judgement = z.object({
  query: Id,
  doc: Id,
  gain: z
    .union([z.number(), z.string().transform(Number)])
    .nullish()
    .transform((gain) => Math.max(0, gain ?? 1))
    .refine(Number.isFinite, "not a number"),
});

export type Doc = z.output<typeof Doc>;
export type Query = z.output<typeof Query>;
export interface Collection {
  docs: Doc[];
  queries: Query[];
  /** Of each query that was judged: document to gain. */
  judged: Map<string, Map<string, number>>;
}

/** A collection that cannot be read; the message is for who named it. */
export class CollectionError extends Error {
  override name = "CollectionError";
}

async function readLines<T>(folder: string, name: string, schema: z.ZodType<T>): Promise<T[]> {
  const path = join(folder, name);
  if (!existsSync(path)) throw new CollectionError(`${folder} has no ${name}.`);
  const found: T[] = [];
  let number = 0;
  for await (const line of createInterface({ input: createReadStream(path), crlfDelay: Infinity })) {
    number++;
    const text = line.replace(/^\ufeff/, "").trim();
    if (text === "") continue;
    let value: unknown;
    try {
      value = JSON.parse(text);
    } catch {
      throw new CollectionError(`${path}, line ${number}: not JSON.`);
    }
    const parsed = schema.safeParse(value);
    if (!parsed.success) {
      const [issue] = parsed.error.issues;
      throw new CollectionError(`${path}, line ${number}: ${issue!.path.join(".")}: ${issue!.message}.`);
    }
    found.push(parsed.data);
  }
  return found;
}

/**
 * Reads the collection in `folder`: docs {id, title?, text?}, queries {id, text}, qrels {query, doc, gain?}; ids are
 * strings or numbers. A doubled document or query counts once, as it stands last.
 * @throws CollectionError that says which file or line is wrong
 */
export async function readCollection(folder: string): Promise<Collection> {
  if (!existsSync(folder)) throw new CollectionError(`There is no folder ${folder}.`);
  if (!statSync(folder).isDirectory()) throw new CollectionError(`${folder} is not a folder.`);
  const docs = await readLines(folder, "docs.jsonl", Doc);
  const queries = await readLines(folder, "queries.jsonl", Query);
  const judgements = await readLines(folder, "qrels.jsonl", Judgement);
  const judged = new Map<string, Map<string, number>>();
  for (const { query, doc, gain } of judgements) {
    const gains = judged.get(query) ?? new Map<string, number>();
    judged.set(query, gains.set(doc, gain));
  }
  const once = <T extends { id: string }>(rows: T[]): T[] => [
    ...new Map(rows.map((row) => [row.id, row])).values(),
  ];
  if (docs.length === 0) throw new CollectionError(`${join(folder, "docs.jsonl")} holds no document.`);
  return { docs: once(docs), queries: once(queries), judged };
}
