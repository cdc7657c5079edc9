/** Sets of questions, each asked by words alone, by static vectors and with the sentence encoder: how often the right one is found. */
import { dataFile } from "../../support/data.ts";
import { say } from "./engine.ts";
import { type Meaning, openMeaning } from "./meaning.ts";
import {
  type Answered,
  measureQuestions,
  type Question,
  readEveryday,
  readLanguages,
  readOthers,
  readPractice,
  readQuestions,
  readServices,
  type Service,
} from "./questions.ts";

export const SYSTEMS = ["words alone", "static vectors", "sentence encoder"] as const;

export interface AskedSet {
  name: string;
  about: string;
  answers: Partial<Record<(typeof SYSTEMS)[number], Answered>>;
}

/** A share of `count` that holds with 95 %: Wilson's interval. */
export function wilson(share: number, count: number): [low: number, high: number] {
  const z = 1.96;
  const middle = share + (z * z) / (2 * count);
  const spread = z * Math.sqrt((share * (1 - share)) / count + (z * z) / (4 * count * count));
  const scale = 1 + (z * z) / count;
  return [Math.max(0, (middle - spread) / scale), Math.min(1, (middle + spread) / scale)];
}

interface AskableSet {
  name: string;
  about: string;
  services: () => readonly Service[] | undefined;
  questions: () => Question[];
}

function realServices(): Service[] | undefined {
  const file = dataFile("services/mcp-registry-2025-05.jsonl");
  return file === undefined ? undefined : readServices(file);
}

const LANGUAGES = {
  de: "German",
  fr: "French",
  es: "Spanish",
  tr: "Turkish",
  ja: "Japanese",
  // Written when all was chosen, to measure with.
  it: "Italian",
  ko: "Korean",
};

/** Forty sites in one language: by chance, a quarter of the right ones is in the first ten. */
function setsOf(language: string, called: string): AskableSet[] {
  const sites = readLanguages().filter((site) => site.language === language);
  const english = sites.map(({ host, english }) => ({ host, question: english }));
  return [
    { about: `${called} sites, asked in ${called}`, questions: () => sites },
    { about: `${called} sites, asked in English`, questions: () => english },
  ].map((set) => ({ name: "languages.jsonl", services: () => sites, ...set }));
}

const SETS: AskableSet[] = [
  {
    name: "questions.jsonl",
    about: "real services, no word shared; nothing is chosen by it",
    services: realServices,
    questions: readQuestions,
  },
  {
    name: "practice.jsonl",
    about: "harder ones, no word shared; vectors and ranking are chosen by it",
    services: realServices,
    questions: readPractice,
  },
  {
    name: "services.jsonl",
    about: "the other real services; the encoder learned of none of them, and how it learns is chosen by it",
    services: realServices,
    questions: readOthers,
  },
  {
    name: "everyday.jsonl",
    about: "seventy trades of our own, asked as people ask; no choice may lower it",
    services: readEveryday,
    questions: readEveryday,
  },
  ...Object.entries(LANGUAGES).flatMap(([language, called]) => setsOf(language, called)),
];

/** @param meaning with the encoder, where it takes part */
export async function measureSets(meaning: Meaning | undefined): Promise<AskedSet[]> {
  const still = await openMeaning(false);
  const found: AskedSet[] = [];
  for (const { name, about, services: servicesOf, questions } of SETS) {
    const services = servicesOf();
    if (services === undefined) {
      say(`The services are missing (BRIDGE_DATA_DIR): ${name} is left out.`);
      continue;
    }
    const ask = (by: Meaning | undefined) => measureQuestions(services, questions(), by);
    const answers: AskedSet["answers"] = {
      "words alone": await ask(undefined),
      "static vectors": await ask(still.meaning),
    };
    if (meaning?.encoder) answers["sentence encoder"] = await ask(meaning);
    found.push({ name, about, answers });
  }
  await still.close();
  return found;
}
