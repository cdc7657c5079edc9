/** Fine-tunes the sentence encoder of English on questions of our own: tuning.py says how, docs/decisions/0098 why. */
import { join } from "node:path";
import { encoderText } from "../../src/domain/search/embeddings/site-meaning.ts";
import { readRows } from "../data.ts";
import { runPython } from "../python.ts";

const here = import.meta.dirname;
const root = join(here, "..", "..");
const MEASURED = join(root, "test", "eval", "search", "questions.jsonl");
const PRACTICE = join(root, "test", "eval", "search", "practice.jsonl");
const FOLDS = 5;

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
type Asked = [text: string, site: number, kind: "service" | "imagined" | "practice"];

const textOf = ({ name, description = "" }: Pick<Site, "name" | "description">): string =>
  encoderText({ name, description, tags: [], text: "" });

/** Sites as the encoder reads them, the real ones first, and questions with their places. No site that is measured with takes part. */
const readTraining = (): { sites: string[]; real: number; questions: Asked[] } => {
  const measured = new Set(readRows<Question>(MEASURED).map(({ host }) => host));
  const services = readRows<Site>("services/mcp-registry-2025-05.jsonl").filter(
    ({ host }) => !measured.has(host),
  );
  const imagined = readRows<Imagined>(join(here, "imagined-sites.jsonl"));
  const places = new Map(services.map(({ host }, place) => [host, place]));
  const about =
    (kind: Asked[2]) =>
    ({ question, host }: Question): Asked => {
      const place = places.get(host);
      if (place === undefined) throw new Error(`${host} is no service that may be learned from.`);
      return [question, place, kind];
    };
  return {
    sites: [...services, ...imagined].map(textOf),
    real: services.length,
    questions: [
      ...readRows<Question>(join(here, "service-questions.jsonl")).map(about("service")),
      ...readRows<Question>(PRACTICE).map(about("practice")),
      ...imagined.flatMap(({ questions }, i) =>
        questions.map((question): Asked => [question, services.length + i, "imagined"]),
      ),
    ],
  };
};

const run = (folds: number): string =>
  runPython(
    join(here, "tuning.requirements.txt"),
    join(here, "tuning.py"),
    [join(root, "models", "encoder")],
    JSON.stringify({ ...readTraining(), folds }),
  );

/** Writes models/encoder/tuning.bin anew (some minutes of one core), after the projection. Needs the services. */
export const trainTuning = async (): Promise<void> => void run(0);

/** Prints how often the right one is first and in the first ten, of services held out, before and after (half an hour of one core). */
export const checkTuning = async (): Promise<void> => void process.stdout.write(run(FOLDS));
