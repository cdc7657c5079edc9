/** Names that are no misspellings of a brand's, from the words of models/embeddings. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { looksLike, type SuspectWord, slipOf, suspectOf } from "../../src/detectors/phishing/lookalikes.ts";
import { BRANDS } from "../../src/domain/names/brands.ts";

const VOCABULARY = join(import.meta.dirname, "..", "..", "models", "embeddings", "vocabulary.txt");
/** Its first lines are the commonest words; names are made of such. */
const COMMON_LINES = 20_000;
const LEAST_WORD = 4;
const ALPHABET = [..."abcdefghijklmnopqrstuvwxyz"];

/** @returns words, and names of two common words, within a slip of a brand's name */
export function readOrdinaryWords(): string[] {
  const brands = new Map(BRANDS.map(({ name }) => [name, suspectOf(name)]));
  const lines = readFileSync(VOCABULARY, "utf8").split("\n");
  const isWord = (line: string): boolean => line.length >= LEAST_WORD && /^[a-z]+$/.test(line);
  const words = lines.filter(isWord);
  const common = new Set(lines.slice(0, COMMON_LINES).filter((line) => isWord(line) && !brands.has(line)));
  const near = words.filter(
    (word) => !brands.has(word) && [...brands.values()].some((name) => isNear(word, name)),
  );
  const compounds = [...brands.values()].flatMap((name) =>
    // A doubled or exchanged letter is a slip, whatever two words it might be read as.
    edits(name.word).filter((word) => slipOf(word, name.word) === "other" && isCompound(word, common)),
  );
  return [...new Set([...near, ...compounds])].sort();
}

const isNear = (word: string, name: SuspectWord): boolean =>
  looksLike(suspectOf(word), name) || slipOf(word, name.word) !== undefined;

/** A name with another letter, one more or one less. */
const edits = (name: string): string[] =>
  Array.from({ length: name.length + 1 }, (_, at) => at).flatMap((at) => [
    name.slice(0, at) + name.slice(at + 1),
    ...ALPHABET.flatMap((letter) => [
      name.slice(0, at) + letter + name.slice(at + 1),
      name.slice(0, at) + letter + name.slice(at),
    ]),
  ]);

function isCompound(word: string, common: ReadonlySet<string>): boolean {
  for (let at = LEAST_WORD; at <= word.length - LEAST_WORD; at++)
    if (common.has(word.slice(0, at)) && common.has(word.slice(at))) return true;
  return false;
}
