/** What is said of a site's meaning: which of its texts make its vector. */
import { quantize, type StaticVectors } from "./static-vectors.ts";

/** Characters of each part: the beginning of a page says best what it is about (docs/evaluation/neural.md). */
const MAX_PART = 500;
/** Characters of a query that are read. */
const MAX_QUERY = 2_000;

export interface SiteTexts {
  name: string;
  description: string;
  tags: readonly string[];
  /** Title and text of its pages. */
  text: string;
}

const directionOf = (model: StaticVectors, text: string): Int8Array | undefined => {
  const vector = quantize(model.embed(text));
  return vector.some((component) => component !== 0) ? vector : undefined;
};

/** The direction of a site; undefined when nothing it says means anything. */
export const siteVector = (model: StaticVectors, { name, description, tags, text }: SiteTexts) =>
  directionOf(
    model,
    [name, description, tags.join(" "), text].map((part) => part.slice(0, MAX_PART)).join("\n"),
  );

/** A word in more pieces is one that the model does not know: a name, a typing error, another language. */
const KNOWN_WORD_PIECES = 2;
/** At least this share of what a query says must come from words that are known. */
const KNOWN_SHARE = 0.5;

/**
 * The direction of what somebody looks for; undefined when it means nothing that the model knows: the pieces of an
 * unknown name lie near to anything.
 */
export const queryVector = (model: StaticVectors, query: string): Int8Array | undefined => {
  const text = query.slice(0, MAX_QUERY);
  const words = model.tokenizer.words(text);
  const known = words.filter((pieces) => pieces.length <= KNOWN_WORD_PIECES);
  const isKnown = model.strength(known.flat()) >= KNOWN_SHARE * model.strength(words.flat());
  return isKnown ? directionOf(model, text) : undefined;
};
