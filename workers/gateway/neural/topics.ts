/** What a text is about in its own words: those said often, in places that count, and near to the whole in meaning. */
import { cosine, type StaticVectors } from "../../../src/domain/search/embeddings/static-vectors.ts";
import { analyzeText } from "../../../src/domain/search/text-analysis.ts";

export interface PageTopic {
  /** A word or two as the text writes them, lower case. */
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
/** A word that the model does not know, or that is far from the rest, may still be what it is about. */
const LEAST_NEARNESS = 0.1;
const WORD = /\p{L}[\p{L}\p{N}]*(?:[-'’][\p{L}\p{N}]+)*/gu;

interface Candidate {
  /** Spellings by how often they occur. */
  spellings: Map<string, number>;
  count: number;
  weight: number;
}

/** At most ten topics, the strongest first. */
export function topicsOf(model: StaticVectors, passages: readonly Passage[]): PageTopic[] {
  const whole = model.embed(passages.map(({ text }) => text).join("\n"));
  const scored = [...candidatesOf(passages)]
    // A pair that is said once is an accident of order.
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
    if (!chosen.some(({ key }) => key.split(" ").includes(one.key))) chosen.push(one);
  }
  const most = chosen[0]?.weight ?? 1;
  return chosen.map(({ topic, weight }) => ({ topic, weight: weight / most }));
}

/** Words and pairs of neighbouring words by their terms, so that "bakery" and "bakeries" are one. */
function candidatesOf(passages: readonly Passage[]): Map<string, Candidate> {
  const candidates = new Map<string, Candidate>();
  const terms = new Map<string, string | undefined>();
  let left = MAX_WORDS;
  for (const { text, weight } of passages) {
    let before: { term: string; word: string; end: number } | undefined;
    for (const match of text.matchAll(WORD)) {
      if (left-- <= 0) return candidates;
      const word = match[0].toLowerCase();
      if (!terms.has(word)) terms.set(word, termOf(word));
      const term = terms.get(word);
      if (term === undefined) {
        before = undefined;
        continue;
      }
      count(candidates, term, word, weight);
      if (before && text.slice(before.end, match.index) === " ")
        count(candidates, `${before.term} ${term}`, `${before.word} ${word}`, weight);
      before = { term, word, end: match.index + match[0].length };
    }
  }
  return candidates;
}

/** The first term of a word that carries meaning (no stop word, no single letter), or undefined. */
const termOf = (word: string): string | undefined => (word.length < 3 ? undefined : analyzeText(word).at(-1));

function count(candidates: Map<string, Candidate>, key: string, spelling: string, weight: number): void {
  const known = candidates.get(key) ?? { spellings: new Map<string, number>(), count: 0, weight: 0 };
  candidates.set(key, known);
  known.count++;
  known.weight += weight;
  known.spellings.set(spelling, (known.spellings.get(spelling) ?? 0) + 1);
}

const spellingOf = ({ spellings }: Candidate): string =>
  [...spellings].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1))[0]![0];
