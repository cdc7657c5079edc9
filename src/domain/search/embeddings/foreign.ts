/** Whether a text is in another language than English: words say so by how much likelier each is elsewhere. */
import { ENGLISH_TOKENS, type StaticVectors } from "./static-vectors.ts";

/** Characters of a text that are read. */
const MAX_CHARACTERS = 2_000;
/** What 127 stands for in the table (train/embeddings/foreign.py): a logarithm of likelihoods. */
const MOST = 3;
const HIGHEST = 127;
/** A word of several pieces, one of which other languages brought into the table: a compound, an ending, or a name. */
const FOREIGN_PIECES = 1;
/** A piece of so many letters that other languages have is there by no accident: it is no name. */
const TELLING_LETTERS = 5;
/** A letter of Latin script that English has not. */
const ACCENTED = 1;
/** A text has at least so much against English: a name alone, or a word that all languages have, has less. */
const LEAST = 1;

const LETTER = /\p{L}/gu;
const LATIN = /\p{Script=Latin}/gu;
const WITH_ACCENT = /[ß-öø-ÿœıłğşąćęńśźżăâîșțčďěňřšťůžőűãõāēģīķļņū]/giu;

interface Evidence {
  /** Of words that the table has, of long parts of others, and of letters. */
  sure: number;
  /** Of short pieces of others, which may be names as well. */
  pieces: number;
}

const ANOTHER_SCRIPT: Evidence = { sure: Number.POSITIVE_INFINITY, pieces: 0 };

/** The first of both. */
export const isForeign = (model: StaticVectors, text: string): boolean => foreignness(model, text).foreign;

/**
 * Whether a text is in another language than English, read to its first 2,000 characters; `surely` where it is no name either,
 * since names that nobody knows are cut into pieces of any language. Of another script it is where most letters are; in Latin
 * script the words decide together, so that one in a name does not.
 */
export function foreignness(model: StaticVectors, text: string): { foreign: boolean; surely: boolean } {
  const { sure, pieces } = evidenceOf(model, text);
  return { foreign: sure + pieces >= LEAST, surely: sure >= LEAST };
}

function evidenceOf(model: StaticVectors, text: string): Evidence {
  const read = text.slice(0, MAX_CHARACTERS);
  if (2 * countOf(read, LATIN) < countOf(read, LETTER)) return ANOTHER_SCRIPT;
  const against = { sure: ACCENTED * countOf(read, WITH_ACCENT), pieces: 0 };
  for (const pieces of model.tokenizer.words(read)) {
    if (pieces.length === 1) against.sure += (MOST / HIGHEST) * model.foreignness(pieces[0]!);
    else if (pieces.some((id) => isTelling(model, id))) against.sure += FOREIGN_PIECES;
    else if (pieces.some((id) => id >= ENGLISH_TOKENS)) against.pieces += FOREIGN_PIECES;
  }
  return against;
}

const countOf = (text: string, sign: RegExp): number => text.match(sign)?.length ?? 0;

const isTelling = (model: StaticVectors, id: number): boolean =>
  model.tokenizer.lengthOf(id) >= TELLING_LETTERS &&
  (id >= ENGLISH_TOKENS || (MOST / HIGHEST) * model.foreignness(id) >= LEAST);
