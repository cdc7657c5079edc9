/** What is said of a site's meaning: which of its texts make its vector. */
import { hash } from "node:crypto";
import type { Encoder } from "../../../ports/encoder.ts";
import type { DirectionsBy } from "../ranking.ts";
import { foreignness } from "./foreign.ts";
import { quantize, type StaticVectors } from "./static-vectors.ts";

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

/** A word in more pieces is one that the model does not know: a name, a typing error, another language. */
const KNOWN_WORD_PIECES = 2;
/** At least this share of what a query says must come from words that are known. */
const KNOWN_SHARE = 0.5;

/** What a query means. */
export interface QueryMeaning {
  vector: Int8Array;
  /** Whose direction it is: what nearness to it is held against (ranking.ts). */
  by: DirectionsBy;
}

/** How long a search waits for the encoder before it goes on with the static vectors. */
const QUERY_WAIT_MS = 40;

/** The direction of a site; undefined when nothing it says means anything. */
export function siteVector(model: StaticVectors, { name, description, tags, text }: SiteTexts) {
  const parts = [name, description, tags.join(" "), text].map((part) => part.slice(0, MAX_PART));
  return nonZero(quantize(model.embed(parts.join("\n"))));
}

const nonZero = (vector: Int8Array): Int8Array | undefined =>
  vector.some((component) => component !== 0) ? vector : undefined;

/** What an encoder reads of a site: what it does before what it is called, since the beginning counts where the text is cut. */
export const encoderText = ({ name, description, tags, text }: SiteTexts): string =>
  [description, name.replaceAll(BETWEEN_WORDS, " "), tags.join(" "), text]
    .map((part) => part.slice(0, MAX_PART).trim())
    .filter((part) => part !== "")
    .join(" ");

/** Of which text by which encoder a vector is: two of one digest are the same. */
export const textDigest = (encoder: string, text: string): string =>
  `${encoder} ${hash("sha256", text, "base64url").slice(0, MARK_CHARACTERS)}`;

/**
 * What a query means, by the encoder where there is one and it answers in time, else by the static vectors: both lie in one
 * space. Undefined: it says nothing in any language.
 */
export async function queryMeaning(
  model: StaticVectors,
  encoder: Encoder | undefined,
  query: string,
): Promise<QueryMeaning | undefined> {
  const text = query.slice(0, MAX_QUERY);
  const known = queryVector(model, text);
  const { foreign, surely } = foreignness(model, text);
  // The encoder knows words of other languages that the table does not; a name says nothing, in no language.
  const encoded =
    known !== undefined || surely
      ? await encoder?.encode(text, { for: "query", waitMs: QUERY_WAIT_MS, foreign })
      : undefined;
  const vector = encoded === undefined ? known : quantize(encoded);
  return vector && { vector, by: foreign ? "foreign" : encoded === undefined ? "static" : "encoder" };
}

/**
 * The direction of what somebody looks for; undefined when it means nothing that the model knows: the pieces of an
 * unknown name lie near to anything.
 */
export function queryVector(model: StaticVectors, query: string): Int8Array | undefined {
  const words = model.tokenizer.words(query.slice(0, MAX_QUERY));
  return isKnown(model, words) ? nonZero(quantize(model.embedPieces(words.flat()))) : undefined;
}

function isKnown(model: StaticVectors, words: readonly number[][]): boolean {
  const known = words.filter((pieces) => pieces.length <= KNOWN_WORD_PIECES);
  return model.strength(known.flat()) >= KNOWN_SHARE * model.strength(words.flat());
}
