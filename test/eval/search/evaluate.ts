/** `npm run eval -- search`: is search relevant, fair and proof against lies? */
import { parseArgs } from "node:util";
import { CollectionError, readCollection } from "./collection.ts";
import { ENGINES, type Engine, say } from "./engine.ts";
import { measureRelevance } from "./relevance.ts";

const USAGE = `Usage: npm run eval -- search [--write] [--engine sqlite|elasticsearch]
       npm run eval -- search --collection DIR [--engine sqlite|elasticsearch]
DIR holds docs.jsonl {id, title, text}, queries.jsonl {id, text} and qrels.jsonl {query, doc, gain}.`;

/** One collection on one engine: prints one JSON line. */
const evaluateCollection = async (folder: string, engine: Engine): Promise<number> => {
  try {
    const collection = await readCollection(folder);
    process.stdout.write(`${JSON.stringify(await measureRelevance(folder, collection, engine))}\n`);
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
    options: {
      collection: { type: "string" },
      engine: { type: "string", default: "sqlite" },
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
  if (options.collection !== undefined) return evaluateCollection(options.collection, options.engine);
  say(USAGE);
  return 2;
};
