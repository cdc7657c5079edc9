/** `npm run eval -- search`: is search relevant, fair and proof against lies? */
import { parseArgs } from "node:util";
import { embeddingModel } from "../../../src/adapters/embedding-model.ts";
import { CollectionError, readCollection } from "./collection.ts";
import { ENGINES, type Engine, say } from "./engine.ts";
import { measureRelevance } from "./relevance.ts";

const USAGE = `Usage: npm run eval -- search [--write] [--no-meaning] [--engine sqlite|elasticsearch]
       npm run eval -- search --collection DIR [--no-meaning] [--engine sqlite|elasticsearch]
DIR holds docs.jsonl {id, title, text}, queries.jsonl {id, text} and qrels.jsonl {query, doc, gain}.
Searches find by meaning, too, as the service does by default; --no-meaning: by words alone.`;

/** One collection on one engine: prints one JSON line. */
const evaluateCollection = async (folder: string, engine: Engine, meaning: boolean): Promise<number> => {
  try {
    const collection = await readCollection(folder);
    const model = meaning ? embeddingModel() : undefined;
    const measured = await measureRelevance(folder, collection, engine, model);
    process.stdout.write(`${JSON.stringify(measured)}\n`);
    return 0;
  } catch (error) {
    if (!(error instanceof CollectionError)) throw error;
    say(error.message);
    return 2;
  }
};

const optionsOf = (args: string[]) => {
  const { values } = parseArgs({
    args,
    allowNegative: true,
    options: {
      collection: { type: "string" },
      engine: { type: "string", default: "sqlite" },
      meaning: { type: "boolean", default: true },
      write: { type: "boolean", default: false },
    },
  });
  const engine = ENGINES.find((name) => name === values.engine);
  if (engine === undefined) throw new Error(`There is no engine ${values.engine}.`);
  return { ...values, engine };
};

export const evaluate = async (args: string[]): Promise<number> => {
  let options: ReturnType<typeof optionsOf>;
  try {
    options = optionsOf(args);
  } catch (error) {
    say(`${(error as Error).message}\n${USAGE}`);
    return 2;
  }
  if (options.collection !== undefined)
    return evaluateCollection(options.collection, options.engine, options.meaning);
  say(USAGE);
  return 2;
};
