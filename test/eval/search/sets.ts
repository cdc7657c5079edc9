/** Sets of questions, each asked by words alone, by static vectors and with the sentence encoder: how often the right one is found. */
import { dataFile } from "../../support/data.ts";
import { say } from "./engine.ts";
import { type Meaning, openMeaning } from "./meaning.ts";
import {
  type Answered,
  EVERYDAY,
  LANGUAGES,
  measureQuestions,
  type Question,
  readEveryday,
  readLanguages,
  readPractice,
  readQuestions,
} from "./questions.ts";

export const SYSTEMS = ["words alone", "static vectors", "sentence encoder"] as const;

export interface AskedSet {
  name: string;
  about: string;
  answers: Partial<Record<(typeof SYSTEMS)[number], Answered>>;
}

/** A share of `count` that holds with 95 %: Wilson's interval. */
export const wilson = (share: number, count: number): [low: number, high: number] => {
  const z = 1.96;
  const middle = share + (z * z) / (2 * count);
  const spread = z * Math.sqrt((share * (1 - share)) / count + (z * z) / (4 * count * count));
  const scale = 1 + (z * z) / count;
  return [Math.max(0, (middle - spread) / scale), Math.min(1, (middle + spread) / scale)];
};

const SETS: { name: string; about: string; file: () => string | undefined; questions: () => Question[] }[] = [
  {
    name: "questions.jsonl",
    about: "real services, no word shared; nothing is chosen by it",
    file: () => dataFile("services/mcp-registry-2025-05.jsonl"),
    questions: readQuestions,
  },
  {
    name: "practice.jsonl",
    about: "harder ones, no word shared; vectors and ranking are chosen by it",
    file: () => dataFile("services/mcp-registry-2025-05.jsonl"),
    questions: readPractice,
  },
  {
    name: "everyday.jsonl",
    about: "seventy trades of our own, asked as people ask; no choice may lower it",
    file: () => EVERYDAY,
    questions: readEveryday,
  },
  {
    name: "languages.jsonl",
    about: "sites in five languages, asked in their own; ten of fifty is .20 by chance",
    file: () => LANGUAGES,
    questions: readLanguages,
  },
  {
    name: "the same",
    about: "asked in English",
    file: () => LANGUAGES,
    questions: () => readLanguages().map(({ host, english }) => ({ host, question: english })),
  },
];

/** @param meaning with the encoder, where it takes part */
export const measureSets = async (meaning: Meaning | undefined): Promise<AskedSet[]> => {
  const still = await openMeaning(false);
  const found: AskedSet[] = [];
  for (const { name, about, file: fileOf, questions } of SETS) {
    const file = fileOf();
    if (file === undefined) {
      say(`The services are missing (BRIDGE_DATA_DIR): ${name} is left out.`);
      continue;
    }
    const answers: AskedSet["answers"] = {
      "words alone": await measureQuestions(file, questions(), undefined),
      "static vectors": await measureQuestions(file, questions(), still.meaning),
    };
    if (meaning?.encoder) answers["sentence encoder"] = await measureQuestions(file, questions(), meaning);
    found.push({ name, about, answers });
  }
  await still.close();
  return found;
};
