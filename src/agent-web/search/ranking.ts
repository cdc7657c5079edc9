/**
 * Orders what can be done by what was asked for. Words by BM25F (Robertson, Zaragoza and Taylor 2004: the fields are weighed before a
 * term's count saturates), and meaning beside them; then level, conduct and turns (docs/decisions/0205). Pure.
 */
import { LEVELS } from "../../../schemas/agent-web.ts";
import {
  type DirectionsBy,
  LEAST_OF_WORDS,
  NEAR_ENOUGH,
  WORDS_IN_FULL,
} from "../../domain/search/ranking.ts";
import { idf } from "../../domain/search/term-weight.ts";
import type { Rotation } from "../../domain/trust/rotation.ts";
import { type Candidate, type CandidateSet, INDEX_FIELDS, type IndexField } from "../../ports/index.ts";

/** What a field counts for, and how much its length takes from that (b of BM25). The text holds name, description and parameters. */
const FIELDS: Readonly<Record<IndexField, { weight: number; b: number }>> = {
  name: { weight: 2, b: 0.3 },
  domain: { weight: 1, b: 0.75 },
  tags: { weight: 0, b: 0 },
  description: { weight: 0, b: 0 },
  text: { weight: 1, b: 0.5 },
};
const K1 = 1.2;
/** More repeats of a term than this say nothing more. */
const MAX_TERM_FREQUENCY = 6;
/** What the same meaning counts for, in texts that hold every word of the query once: */
const MEANING_WEIGHT = { encoder: 1.5, static: 0.6, foreign: 1.5 } as const satisfies Record<
  DirectionsBy,
  number
>;
/** ln of what each level below the highest takes: equals come by level, */
const STEP_A_LEVEL = 0.02;
/** and what poor conduct does. What is critical comes behind all else. */
const STEP_OF_POOR_CONDUCT = 0.4;
/** Less than a level: the rotation decides between equals alone. */
const ROTATION_WEIGHT = 0.9 * STEP_A_LEVEL;

export interface RankedDoable {
  siteId: string;
  owner: string;
  score: number;
  /** Fields that hold words of the query, the strongest first. */
  fields: IndexField[];
  /** What share of the words asked for it holds, by their weights. */
  held: number;
  similarity: number;
}

interface Asked {
  terms: readonly string[];
  /** Whose direction the query's vector is; absent: it has none. */
  by?: DirectionsBy | undefined;
}

/** Those that answer, best first; each owner's in turns, and of several that say the same the first. */
export function rankDoables(set: CandidateSet, asked: Asked, rotation: Rotation): RankedDoable[] {
  const weights = set.documentFrequencies.map((frequency) =>
    frequency > 0 ? idf(set.documents, frequency) : 0,
  );
  const all = weights.reduce((sum, weight) => sum + weight, 0);
  const ranked = set.candidates.map((candidate) => {
    const words = wordsOf(candidate, set, weights);
    const similarity = Math.max(0, candidate.similarity ?? 0);
    const meaning = asked.by ? MEANING_WEIGHT[asked.by] * Math.max(1, all) * similarity : 0;
    const text = words.score + meaning;
    const { siteId, owner, ring, gravity, exactName: twin } = candidate;
    const levels = STEP_A_LEVEL * (ring - LEVELS.length + 1);
    const conduct = gravity === "none" ? 0 : -STEP_OF_POOR_CONDUCT;
    const turn = ROTATION_WEIGHT * (rotation.position(owner) - 0.5);
    const score = text * Math.exp(levels + conduct + turn);
    const held = all > 0 ? words.held / all : 0;
    return { siteId, owner, twin, gravity, score, fields: words.fields, held, similarity };
  });
  const inOrder = fitting(ranked, asked).sort(
    (a, b) => b.score - a.score || rotation.tie(a.siteId) - rotation.tie(b.siteId),
  );
  const critical = inOrder.filter(({ gravity }) => gravity === "critical");
  const others = inOrder.filter(({ gravity }) => gravity !== "critical");
  return [...twinsLast(others), critical].flatMap(inTurns).map(({ twin: _, gravity: __, ...shown }) => shown);
}

function wordsOf({ counts, lengths }: Candidate, { meanLengths }: CandidateSet, weights: readonly number[]) {
  let [score, held] = [0, 0];
  const byField = new Map<IndexField, number>();
  for (let term = 0; term < weights.length; term++) {
    let frequency = 0;
    let isHeld = false;
    for (const field of INDEX_FIELDS) {
      const count = Math.min(counts[field][term]!, MAX_TERM_FREQUENCY);
      if (count === 0) continue;
      isHeld = true;
      byField.set(field, (byField.get(field) ?? 0) + weights[term]!);
      const { weight, b } = FIELDS[field];
      frequency += (weight * count) / (1 - b + (b * lengths[field]) / Math.max(1, meanLengths[field]));
    }
    score += (weights[term]! * frequency * (K1 + 1)) / (frequency + K1);
    if (isHeld) held += weights[term]!;
  }
  const fields = [...byField].sort((a, b) => b[1] - a[1]).map(([field]) => field);
  return { score, held, fields };
}

/** What has enough of the words, or is near enough: a nonsense query finds nothing. */
function fitting<T extends { held: number; similarity: number }>(ranked: T[], { terms, by }: Asked): T[] {
  const ofWords = LEAST_OF_WORDS * Math.min(1, WORDS_IN_FULL / Math.max(1, terms.length));
  const nearest = Math.max(0, ...ranked.map(({ similarity }) => similarity));
  const near = by && NEAR_ENOUGH[by];
  const isNear = ({ similarity }: T) =>
    near !== undefined && nearest >= near.nearest && similarity >= near.share * nearest;
  return ranked.filter((each) => each.held >= Math.max(ofWords, Number.EPSILON) || isNear(each));
}

/** What says the same as one before it comes behind all others: mirrors of a tool are no more tools. */
function twinsLast<T extends { twin: string }>(ranked: readonly T[]): [first: T[], others: T[]] {
  const seen = new Set<string>();
  const [first, others]: [T[], T[]] = [[], []];
  for (const each of ranked) {
    (seen.has(each.twin) ? others : first).push(each);
    seen.add(each.twin);
  }
  return [first, others];
}

/** An owner's hits beyond this many of a page wait for others, */
const FULL_HITS = 2;
/** as if each had this share of the one before. */
const SHARE_OF_FURTHER = 0.95;
const PAGE = 10;

/** A hit of an owner with two on the page of ten already counts less, and less again for each more. @param ranked by falling score */
function inTurns<T extends { owner: string; score: number }>(ranked: readonly T[]): T[] {
  const waiting = [...ranked];
  const taken: T[] = [];
  while (waiting.length > 0) {
    const hits = new Map<string, number>();
    for (let place = 0; place < PAGE && waiting.length > 0; place++) {
      const next = bestOf(waiting, hits);
      const [hit] = waiting.splice(next, 1);
      taken.push(hit!);
      hits.set(hit!.owner, (hits.get(hit!.owner) ?? 0) + 1);
    }
  }
  return taken;
}

function bestOf<T extends { owner: string; score: number }>(
  waiting: readonly T[],
  hits: ReadonlyMap<string, number>,
): number {
  let [best, most] = [0, Number.NEGATIVE_INFINITY];
  for (const [place, { owner, score }] of waiting.entries()) {
    // In order already: none behind it has more.
    if (score <= most) break;
    const counted = score * SHARE_OF_FURTHER ** Math.max(0, (hits.get(owner) ?? 0) - FULL_HITS + 1);
    if (counted > most) [best, most] = [place, counted];
  }
  return best;
}
