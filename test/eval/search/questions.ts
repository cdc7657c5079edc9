/** Does meaning find what words cannot? Questions about real services that share no word with the right one's. */
import { readFileSync } from "node:fs";
import type { RankedSite } from "../../../src/domain/search/ranking.ts";
import type { IndexWrite } from "../../../src/ports/index.ts";
import { findSites } from "../../../workers/search/find.ts";
import { documentOf } from "../../ports/index-document.ts";
import { fill, openEngine } from "./engine.ts";
import type { Meaning } from "./meaning.ts";

const DEPTH = 10;
const EPOCHS = 4;
const FIRST_EPOCH = 490_000;

export interface Service {
  name: string;
  host: string;
  description?: string;
}
export interface Question {
  question: string;
  host: string;
}

export const linesOf = <T>(file: string): T[] =>
  readFileSync(file, "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as T);

/** Eighty to measure with, written before anything was scored: nothing is chosen by them. */
export const readQuestions = (): Question[] => linesOf(`${import.meta.dirname}/questions.jsonl`);
/** About other services: vectors and ranking may be chosen by these. */
export const readPractice = (): Question[] => linesOf(`${import.meta.dirname}/practice.jsonl`);
/** About every service but those of the eighty: how the encoder learns may be chosen by these. */
export const readOthers = (): Question[] => linesOf(`${import.meta.dirname}/services.jsonl`);
/** Sites of our own, each with a question about it. */
export const readEveryday = (): (Service & Question)[] => linesOf(`${import.meta.dirname}/everyday.jsonl`);
/** A site of ours in another language, asked for in its own language and in English. */
export interface Foreign extends Service, Question {
  language: string;
  english: string;
}
/** The same forty trades in German, French, Spanish, Turkish, Japanese, Italian and Korean each. */
export const readLanguages = (): Foreign[] => linesOf(`${import.meta.dirname}/languages.jsonl`);
/** @param file services/mcp-registry-2025-05.jsonl */
export const readServices = (file: string): Service[] => linesOf(file);

async function writeOf(
  { name, host, description = "" }: Service,
  meaning: Meaning | undefined,
): Promise<IndexWrite> {
  const vector = await meaning?.site({ name, description, tags: [], text: "" });
  const document = documentOf({ domain: host, name, description });
  return { kind: "put", document: { ...document, ...(vector && { vector }) } };
}

/** Sites that meaning alone found, of one tenth of relevance. */
export interface Band {
  /** Tenths: from this one to the next. */
  tenth: number;
  shown: number;
  right: number;
}

export interface Answered {
  services: number;
  questions: number;
  /** Share of the questions with the right service in the first ten, the mean of some hours. */
  share: number;
  /** The same of the right one first. */
  first: number;
  /** Questions that no hour answered. */
  missed: Question[];
  bands: Band[];
}

const TENTHS = [0, 1, 2, 3, 4, 5];

/** Adds what meaning alone found for a question to the bands of its relevance. */
function addTo(bands: Band[], ranked: readonly RankedSite[], host: string): void {
  for (const { siteId, explain } of ranked) {
    if (explain.match !== "meaning") continue;
    const band = bands[Math.floor(10 * explain.relevance)]!;
    band.shown++;
    if (siteId === host) band.right++;
  }
}

/** Asks every question of an index of these services. @param meaning undefined: by words alone */
export async function measureQuestions(
  services: readonly Service[],
  questions: readonly Question[],
  meaning: Meaning | undefined,
): Promise<Answered> {
  const { index, close } = await openEngine("sqlite");
  let [answered, first] = [0, 0];
  const missed: Question[] = [];
  const bands = TENTHS.map((tenth): Band => ({ tenth, shown: 0, right: 0 }));
  try {
    await fill(index, await Promise.all(services.map((service) => writeOf(service, meaning))));
    for (const asked of questions) {
      const means = await meaning?.of(asked.question);
      let hours = 0;
      for (let epoch = FIRST_EPOCH; epoch < FIRST_EPOCH + EPOCHS; epoch++) {
        const search = {
          words: asked.question,
          ...means,
          filter: {},
          asTyped: false,
          secret: "e",
          epoch,
        };
        const { ranked } = await findSites(index, search);
        if (epoch === FIRST_EPOCH) addTo(bands, ranked, asked.host);
        if (ranked[0]?.siteId === asked.host) first += 1 / EPOCHS;
        if (ranked.slice(0, DEPTH).some(({ siteId }) => siteId === asked.host)) hours++;
      }
      answered += hours / EPOCHS;
      if (hours === 0) missed.push(asked);
    }
  } finally {
    await close();
  }
  return {
    services: services.length,
    questions: questions.length,
    share: answered / questions.length,
    first: first / questions.length,
    missed,
    bands: bands.filter(({ shown }) => shown > 0),
  };
}
