/** What is said of a site's meaning: which of its texts make its vector. */
import { hash } from "node:crypto";
import type { Encoder } from "../../../ports/encoder.ts";
import { ENGLISH_TOKENS, quantize, type StaticVectors } from "./static-vectors.ts";

/** Characters of each part: the beginning of a page says best what it is about (docs/evaluation/neural.md). */
const MAX_PART = 500;
/** Characters of a query that are read. */
const MAX_QUERY = 2_000;

/** What names of packages have in place of spaces. */
const BETWEEN_WORDS = /[-_/.]+/g;
/** Of a digest: enough that no two texts of a site share them. */
const MARK_CHARACTERS = 16;

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

/** What an encoder reads of a site: what it does before what it is called, since the beginning counts where the text is cut. */
export const encoderText = ({ name, description, tags, text }: SiteTexts): string =>
  [description, name.replaceAll(BETWEEN_WORDS, " "), tags.join(" "), text]
    .map((part) => part.slice(0, MAX_PART).trim())
    .filter((part) => part !== "")
    .join(" ");

/** Of which text by which encoder a vector is: two of one mark are the same. */
export const textMark = (encoder: string, text: string): string =>
  `${encoder} ${hash("sha256", text, "base64url").slice(0, MARK_CHARACTERS)}`;

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
  return isKnown(model, text) ? directionOf(model, text) : undefined;
};

const isKnown = (model: StaticVectors, text: string): boolean => {
  const words = model.tokenizer.words(text);
  const known = words.filter((pieces) => pieces.length <= KNOWN_WORD_PIECES);
  return model.strength(known.flat()) >= KNOWN_SHARE * model.strength(words.flat());
};

/** Words without a subject, by which languages are told apart. None of the ones is a word of the others. */
const ENGLISH = "the and of to for with my is are your our that this from by you can what how where which";
const FOREIGN =
  "der das und ein eine ich mein meine wer wo wie nicht mit fur von zu auf bei le les un une des du je mon ma qui ou et est pour avec dans " +
  "el los las una mi y que con por para del quien donde como il lo gli di della uma het een bir ve icin bu ile mi kim nerede";
/** At least so many words are foreign (or all there are), this share of all, and more than so many times those that are English. */
const [FOREIGN_WORDS, FOREIGN_SHARE, AGAINST_ENGLISH] = [2, 0.3, 2];
const LETTER = /\p{L}/gu;
const LATIN = /\p{Script=Latin}/gu;
const countOf = (text: string, sign: RegExp): number => text.match(sign)?.length ?? 0;

const tellers = new WeakMap<StaticVectors, { english: Set<number>; others: Set<number> }>();

/** The words by which languages are told apart, as a model's tokens; made once. */
const tellersOf = (model: StaticVectors) => {
  const idsOf = (words: string): Set<number> => new Set(model.tokenizer.pieces(words));
  const known = tellers.get(model) ?? { english: idsOf(ENGLISH), others: idsOf(FOREIGN) };
  tellers.set(model, known);
  return known;
};

/**
 * Whether a text is in another language: the encoder reads English alone, and the table knows words of some others, too.
 * A text is read to its first 2,000 characters.
 */
export const isForeign = (model: StaticVectors, text: string): boolean => {
  const read = text.slice(0, MAX_QUERY);
  if (2 * countOf(read, LATIN) < countOf(read, LETTER)) return true;
  const { english, others } = tellersOf(model);
  const words = model.tokenizer.words(read);
  let [foreign, own] = [0, 0];
  for (const pieces of words) {
    if (pieces.length === 1 && english.has(pieces[0]!)) own++;
    else if (pieces.some((id) => id >= ENGLISH_TOKENS) || (pieces.length === 1 && others.has(pieces[0]!)))
      foreign++;
  }
  const least = Math.max(Math.min(FOREIGN_WORDS, words.length), FOREIGN_SHARE * words.length);
  return foreign > 0 && foreign >= least && foreign > AGAINST_ENGLISH * own;
};

/** How long a search waits for the encoder before it goes on with the static vectors. */
const QUERY_WAIT_MS = 40;

/** The same by the encoder where it answers in time and knows the language; both lie in one space. */
export const encodedQueryVector = async (
  model: StaticVectors,
  encoder: Encoder | undefined,
  query: string,
): Promise<Int8Array | undefined> => {
  const known = queryVector(model, query);
  if (known === undefined || encoder === undefined || isForeign(model, query)) return known;
  const text = query.slice(0, MAX_QUERY);
  const encoded = await encoder.encode(text, { for: "query", waitMs: QUERY_WAIT_MS });
  return encoded === undefined ? known : quantize(encoded);
};
