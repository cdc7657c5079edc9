/** Synthetic sites whose words follow Zipf's law and whose meanings gather in topics, and what is looked for among them. */
import { type IndexFilter, type IndexWrite, MAX_NEAREST } from "../../src/ports/index.ts";
import { type Random, randomFrom } from "../../world/random.ts";
import { put, vectorOf } from "../ports/index-document.ts";

const VOCABULARY = 50_000;
const TOPICS = 500;
const COMPONENTS = 256;
/** How far sites of one topic lie apart; of unit-sized topics. */
const SPREAD = 1.2;
const CATEGORIES = 40;
const CITIES = 2_000;
const EXPIRES_AT = Date.UTC(2100);

export const MARKET = `sites of 100 terms and a vector; up to ${MAX_NEAREST} more candidates by meaning`;

/** Rank r is drawn with probability near 1/r: the commonest word stands in most sites. */
const zipf = ({ next }: Random): string => `q${Math.floor(VOCABULARY ** next() - 1).toString(36)}`;
const words = (random: Random, count: number): string =>
  Array.from({ length: count }, () => zipf(random)).join(" ");

const direction = ({ next }: Random): number[] =>
  Array.from({ length: COMPONENTS }, () => next() + next() + next() - 1.5);

const topics = (() => {
  const random = randomFrom("topics");
  return Array.from({ length: TOPICS }, () => direction(random));
})();

/** A vector near one of the topics. */
function vector(random: Random): Int8Array {
  const topic = random.pick(topics);
  const noise = direction(random);
  return vectorOf(
    topic.map((x, i) => Math.max(-127, Math.min(127, Math.round(40 * (x + SPREAD * noise[i]!))))),
  );
}

function site(random: Random, i: number): IndexWrite {
  const write = put({
    domain: `s${i}.example`,
    name: words(random, 3),
    description: words(random, 12),
    text: words(random, 80),
    tags: [zipf(random), zipf(random)],
    category: `category ${random.below(CATEGORIES)}`,
    city: `city ${random.below(CITIES)}`,
    lat: random.next() * 180 - 90,
    lon: random.next() * 360 - 180,
    sampleKey: random.below(2 ** 32),
    // What has no expiry is never found.
    expiresAt: EXPIRES_AT,
  });
  if (write.kind === "put") write.document.vector = vector(random);
  return write;
}

/** The sites of a market of `size` in batches: the same ones each time. */
export function* batchesOf(size: number, batch: number): Generator<IndexWrite[]> {
  const random = randomFrom("market");
  for (let from = 0; from < size; from += batch)
    yield Array.from({ length: Math.min(batch, size - from) }, (_, i) => site(random, from + i));
}

export interface Asked {
  words: string;
  vector: Int8Array;
  filter: Pick<IndexFilter, "category" | "place">;
}

/** One to four words by their frequency in text, so that very common ones are among them; a quarter with a filter. */
export function queriesOf(count: number): Asked[] {
  const random = randomFrom("queries");
  return Array.from({ length: count }, () => {
    const kind = random.next();
    return {
      words: words(random, 1 + random.below(4)),
      vector: vector(random),
      filter:
        kind < 0.15
          ? { category: `category ${random.below(CATEGORIES)}` }
          : kind < 0.25
            ? { place: `city ${random.below(CITIES)}` }
            : {},
    };
  });
}
