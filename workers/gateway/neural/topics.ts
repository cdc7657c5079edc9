/**
 * What a text is about in its own words: the words between a language's stop words, and runs of them (RAKE: Rose and others
 * 2010, doi:10.1002/9780470689646.ch1). Those said often, in places that count, and near to the whole in meaning come first.
 */
import { cosine, type StaticVectors } from "../../../src/domain/search/embeddings/static-vectors.ts";
import { analyzeText } from "../../../src/domain/search/text-analysis.ts";
import { readTable } from "../../../src/tables/read-table.ts";

export interface PageTopic {
  /** One to three words as the text writes them, lower case. */
  topic: string;
  /** Of the first topic 1; of the others in proportion. */
  weight: number;
}

/** A part of a text and how much what it says counts. */
export interface Passage {
  text: string;
  weight: number;
}

const MAX_WORDS = 5_000;
/** Candidates that are compared in meaning. */
const MAX_COMPARED = 200;
const MAX_TOPICS = 10;
const MAX_RUN = 3;
/** A word that the model does not know, or that is far from the rest, may still be what it is about. */
const LEAST_NEARNESS = 0.1;
const WORD = /\p{L}[\p{L}\p{N}]*(?:[-'’][\p{L}\p{N}]+)*/gu;
/** Written without spaces: words take a dictionary. */
const SPACELESS: ReadonlySet<string | null> = new Set(["ja", "zh", "th"]);

interface Word {
  /** Its spelling in lower case. */
  word: string;
  /** What its forms have in common; undefined: a stop word, or no noun. */
  term: string | undefined;
  at: number;
  end: number;
}

interface Candidate {
  /** Spellings by how often they occur. */
  spellings: Map<string, number>;
  count: number;
  weight: number;
}

const { languages: STOP_WORDS } = readTable("stop-words");
const stopWords = new Map<string, ReadonlySet<string>>();

/**
 * At most ten topics, the strongest first.
 * @param language of the passages; null or without stop words of its own: as English
 */
export function topicsOf(
  model: StaticVectors,
  passages: readonly Passage[],
  language: string | null,
): PageTopic[] {
  const whole = model.embed(passages.map(({ text }) => text).join("\n"));
  const scored = [...candidatesOf(passages, language)]
    // A run that is said once is an accident of order.
    .filter(([key, { count: times }]) => !key.includes(" ") || times > 1)
    .sort((a, b) => b[1].weight - a[1].weight || (a[0] < b[0] ? -1 : 1))
    .slice(0, MAX_COMPARED)
    .map(([key, candidate]) => {
      const topic = spellingOf(candidate);
      const nearness = Math.max(LEAST_NEARNESS, cosine(model.embed(topic), whole));
      return { key, topic, weight: Math.log1p(candidate.weight) * nearness };
    })
    .sort((a, b) => b.weight - a.weight || (a.topic < b.topic ? -1 : 1));
  const chosen: typeof scored = [];
  for (const one of scored) {
    if (chosen.length === MAX_TOPICS) break;
    // "table booking" says what "table" would say again.
    if (!chosen.some(({ key }) => ` ${key} `.includes(` ${one.key} `))) chosen.push(one);
  }
  const most = chosen[0]?.weight ?? 1;
  return chosen.map(({ topic, weight }) => ({ topic, weight: weight / most }));
}

/** Words and runs of words by their terms, so that "bakery" and "bakeries" are one. */
function candidatesOf(passages: readonly Passage[], language: string | null): Map<string, Candidate> {
  const candidates = new Map<string, Candidate>();
  const gap = SPACELESS.has(language) ? "" : " ";
  let left = MAX_WORDS;
  for (const { text, weight } of passages) {
    let run: Word[] = [];
    for (const word of wordsOf(text, language)) {
      if (left-- <= 0) return candidates;
      const last = run.at(-1);
      if (last && text.slice(last.end, word.at) !== gap) run = [];
      if (word.term === undefined) {
        run = [];
        continue;
      }
      run = [...run.slice(1 - MAX_RUN), word];
      for (let from = 0; from < run.length; from++) count(candidates, run.slice(from), weight);
    }
  }
  return candidates;
}

function* wordsOf(text: string, language: string | null): Generator<Word> {
  const stops = stopWordsOf(language);
  for (const [written, at] of SPACELESS.has(language) ? segmentsOf(text, language!) : matchesOf(text)) {
    const word = written.toLowerCase();
    // German writes its nouns with a capital.
    const isNoun = language !== "de" || word !== written;
    const isSaid = isNoun && written.length > 1 && !stops.has(word);
    yield { word, term: isSaid ? analyzeText(word).at(-1) : undefined, at, end: at + written.length };
  }
}

function stopWordsOf(language: string | null): ReadonlySet<string> {
  const known = language !== null && language in STOP_WORDS ? language : "en";
  const words = stopWords.get(known) ?? new Set(STOP_WORDS[known]);
  stopWords.set(known, words);
  return words;
}

function* matchesOf(text: string): Generator<[word: string, at: number]> {
  for (const { 0: word, index } of text.matchAll(WORD)) yield [word, index];
}

function* segmentsOf(text: string, language: string): Generator<[word: string, at: number]> {
  const segmenter = new Intl.Segmenter(language, { granularity: "word" });
  for (const { segment, index, isWordLike } of segmenter.segment(text))
    if (isWordLike && /\p{L}/u.test(segment)) yield [segment, index];
}

function count(candidates: Map<string, Candidate>, words: readonly Word[], weight: number): void {
  const key = words.map(({ term }) => term).join(" ");
  const spelling = words.map(({ word }) => word).join(" ");
  const known = candidates.get(key) ?? { spellings: new Map<string, number>(), count: 0, weight: 0 };
  candidates.set(key, known);
  known.count++;
  known.weight += weight;
  known.spellings.set(spelling, (known.spellings.get(spelling) ?? 0) + 1);
}

const spellingOf = ({ spellings }: Candidate): string =>
  [...spellings].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1))[0]![0];
