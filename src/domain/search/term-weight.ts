/**
 * What a term of a query weighs on one site. Stated once: ranking weighs by it with exact counts and lengths
 * (ranking.ts), and engines choose candidates by what they know of the same figures (src/adapters/*).
 */
import { OWNER_FIELDS, type OwnerField } from "../../ports/index.ts";

/** Presence weights of what owners write: said once or ten times, it counts once. */
export const PRESENCE: Readonly<Record<OwnerField, number>> = {
  name: 2,
  domain: 1,
  tags: 1.5,
  description: 0.5,
};
/** What is left of a tag's or a name's weight when the crawl did not find the term on the site. */
export const UNCONFIRMED = 0.25;
/** BM25 of the crawled text. A low b: long pages are not worse pages. */
export const K1 = 1.6;
export const B = 0.3;
/** More repeats of a term than this say nothing more. */
const MAX_TERM_FREQUENCY = 6;
/** What the text counts for at most: a short one that repeats the term. */
const FULL_TEXT = ((K1 + 1) * MAX_TERM_FREQUENCY) / (MAX_TERM_FREQUENCY + K1 * (1 - B));
const TAGS = OWNER_FIELDS.indexOf("tags");
/** Fields that cost their owner nothing to fill, and that pages can bear out. */
const CLAIMED = new Set([TAGS, OWNER_FIELDS.indexOf("name")]);

/** Inverse document frequency as BM25+ and Lucene have it: never negative. */
export const idf = (documents: number, frequency: number): number =>
  Math.log(1 + (Math.max(documents, frequency) - frequency + 0.5) / (frequency + 0.5));

/** BM25's saturation of a text of this length. @param mean length of a text; 0: unknown */
export const saturationOf = (length: number, mean: number): number =>
  K1 * (1 - B + B * (mean > 0 ? length / mean : 1));

/**
 * What a term weighs on a site, before its idf.
 * @param frequency in the crawled text
 * @param saturation of that text (saturationOf)
 * @param held in which owner-written fields it stands, one bit a field, in the order of OWNER_FIELDS
 * @param presences what standing in each of these fields counts for: PRESENCE, or less where a field is stuffed
 */
export const termWeight = (
  frequency: number,
  saturation: number,
  held: number,
  presences: ArrayLike<number>,
): number =>
  textWeight(frequency, saturation, held, presences) + declaredWeight(frequency > 0, held, presences);

/** The part of that which pages say. */
export function textWeight(
  frequency: number,
  saturation: number,
  held: number,
  presences: ArrayLike<number>,
): number {
  const inText = Math.min(frequency, MAX_TERM_FREQUENCY);
  const weight = (inText * (K1 + 1)) / (inText + saturation);
  // What a site declares and its pages bear out is so: how often they say it depends on how much they say.
  return inText > 0 && (held & (1 << TAGS)) !== 0
    ? Math.max(weight, (FULL_TEXT * presences[TAGS]!) / PRESENCE.tags)
    : weight;
}

/** And that which owners do. @param isConfirmed whether pages say it, too */
export function declaredWeight(isConfirmed: boolean, held: number, presences: ArrayLike<number>): number {
  let weight = 0;
  for (let field = 0; field < presences.length; field++) {
    if ((held & (1 << field)) === 0) continue;
    weight += presences[field]! * (!isConfirmed && CLAIMED.has(field) ? UNCONFIRMED : 1);
  }
  return weight;
}
