/** `npm run eval -- tools`: does a search by what can be done find the tools of a task? */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { z } from "zod";
import { ENGINES, say } from "../search/engine.ts";
import { openMeaning } from "../search/meaning.ts";
import { linesOf } from "../search/questions.ts";
import { measureSpeed, measureTools, Query, Tool } from "./measure.ts";

const USAGE = `Usage: npm run eval -- tools --data DIR [--engine=sqlite|elasticsearch] [--no-encoder] [--grown=N]
DIR holds tools.jsonl {id, server, server_description, name, description, input_schema} and queries.jsonl {id, query, relevant}.
Prints one JSON line: recall@5 and nDCG@10 of the search, and of plain BM25 over the same words. With --grown, those are
N tools, of a name and a description of two each, and it prints how long a search takes and what a tool takes.`;

function optionsOf(args: string[]) {
  const { values } = parseArgs({
    args,
    allowNegative: true,
    options: {
      data: { type: "string" },
      engine: { type: "string", default: "sqlite" },
      encoder: { type: "boolean", default: true },
      grown: { type: "string" },
    },
  });
  const engine = ENGINES.find((name) => name === values.engine);
  if (engine === undefined) throw new Error(`There is no engine ${values.engine}.`);
  const { data } = values;
  if (data === undefined) throw new Error("--data is missing.");
  for (const name of ["tools.jsonl", "queries.jsonl"])
    if (!existsSync(join(data, name))) throw new Error(`${data} has no ${name}.`);
  const read = <T>(name: string, schema: z.ZodType<T>): T[] =>
    z.array(schema).parse(linesOf<unknown>(join(data, name)));
  return {
    engine,
    encoder: values.encoder,
    grown: values.grown === undefined ? undefined : z.coerce.number().int().min(1).parse(values.grown),
    tools: read("tools.jsonl", Tool),
    queries: read("queries.jsonl", Query),
  };
}

/** @returns 0, or 2 for wrong usage */
export async function evaluate(args: string[]): Promise<number> {
  let options: ReturnType<typeof optionsOf>;
  try {
    options = optionsOf(args);
  } catch (error) {
    say(`${(error as Error).message}\n${USAGE}`);
    return 2;
  }
  const { engine, encoder, grown, tools, queries } = options;
  // The encoder's process keeps no other alive.
  const alive = setInterval(() => undefined, 1_000);
  const { meaning, close } = await openMeaning(encoder);
  try {
    const given = { engine, meaning };
    const measured =
      grown === undefined
        ? await measureTools(tools, queries, given)
        : await measureSpeed(tools, queries, { ...given, count: grown });
    process.stdout.write(`${JSON.stringify(measured)}\n`);
  } finally {
    clearInterval(alive);
    await close();
  }
  return 0;
}
