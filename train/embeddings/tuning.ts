/** Fine-tunes the sentence encoder of English on questions of our own: tuning.py says how, docs/decisions/0084 why. */
import { join } from "node:path";
import { encoderText } from "../../src/domain/search/embeddings/site-meaning.ts";
import { dataFile } from "../../test/support/data.ts";
import { readRows } from "../data.ts";
import { runPython } from "../python.ts";

const here = import.meta.dirname;
const root = join(here, "..", "..");
const evaluation = join(root, "test", "eval", "search");

interface Site {
  name: string;
  host: string;
  description?: string;
}
interface Question {
  question: string;
  host: string;
}
interface Imagined {
  name: string;
  description: string;
  questions: string[];
}
/** Sites as the encoder reads them, and questions with the place of the right one. */
interface Asked<Kind extends unknown[]> {
  sites: string[];
  questions: [text: string, site: number, ...Kind][];
}

/**
 * Writes models/encoder/tuning.bin anew, after the projection (thirty-five minutes of two cores), and prints how often the right
 * one of the real services, of which nothing is learned, is first and in the first ten, before and after.
 */
export async function trainTuning(): Promise<void> {
  const said = runPython(
    join(here, "tuning.requirements.txt"),
    join(here, "tuning.py"),
    [join(root, "models", "encoder")],
    JSON.stringify({ ...readTraining(), asked: readAsked() }),
  );
  process.stdout.write(said);
}

/** Imagined sites, and imagined connectors of products that exist: no site that anything is measured with. */
function readTraining(): Asked<[]> {
  const imagined = ["imagined-sites.jsonl", "imagined-connectors.jsonl"].flatMap((file) =>
    readRows<Imagined>(join(here, file)),
  );
  return {
    sites: imagined.map(textOf),
    questions: imagined.flatMap(({ questions }, i) =>
      questions.map((question): [string, number] => [question, i]),
    ),
  };
}

const textOf = ({ name, description = "" }: Pick<Site, "name" | "description">): string =>
  encoderText({ name, description, tags: [], text: "" });

/** The real services but those that are measured with, and what is asked of them; nothing where they are missing. */
function readAsked(): Asked<[kind: string]> {
  const file = dataFile("services/mcp-registry-2025-05.jsonl");
  if (file === undefined) return { sites: [], questions: [] };
  const measured = new Set(readRows<Question>(join(evaluation, "questions.jsonl")).map(({ host }) => host));
  const services = readRows<Site>(file).filter(({ host }) => !measured.has(host));
  const places = new Map(services.map(({ host }, place) => [host, place]));
  const placeOf = (host: string): number => {
    const place = places.get(host);
    if (place === undefined) throw new Error(`${host} is no service that may be asked for.`);
    return place;
  };
  const questions = ["services", "practice"].flatMap((kind) =>
    readRows<Question>(join(evaluation, `${kind}.jsonl`)).map(
      ({ question, host }): [string, number, string] => [question, placeOf(host), kind],
    ),
  );
  return { sites: services.map(textOf), questions };
}
