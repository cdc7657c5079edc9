/** What every match of a regular expression has in it: of some literals, at least one. */
import { type AST, RegExpParser } from "@eslint-community/regexpp";

/** Parts that no match can be without are told by how much they say; of a set, its poorest member counts. */
const worthOf = (literals: readonly string[]): number =>
  Math.min(...literals.map((literal) => literal.replace(/\d/g, "").trim().length + literal.length / 8));

const better = (a: readonly string[] | undefined, b: readonly string[] | undefined) => {
  if (!a || !b) return a ?? b;
  const gain = worthOf(b) - worthOf(a);
  return gain > 0 || (gain === 0 && b.length < a.length) ? b : a;
};

/** What one element gives to the literal that it stands in: characters, nothing at all, or an end of it. */
type Part = { text: string } | { needed: readonly string[] | undefined };

const ENDS: Part = { needed: undefined };
const ZERO_WIDTH: Part = { text: "" };
/** A digit stands for all of them. */
const ANY_DIGIT: Part = { text: "0" };

const isDigit = (element: AST.CharacterClassElement): boolean =>
  element.type === "CharacterClassRange"
    ? isDigit(element.min) && isDigit(element.max)
    : element.type === "Character"
      ? /\d/.test(element.raw)
      : element.type === "CharacterSet" && element.kind === "digit" && !element.negate;

const characterOf = ({ value }: AST.Character): Part => {
  const char = String.fromCodePoint(value);
  if (/\d/.test(char)) return ANY_DIGIT;
  return /[ -~]/.test(char) ? { text: char.toLowerCase() } : ENDS;
};

const partOf = (element: AST.Element): Part => {
  switch (element.type) {
    case "Assertion":
      return ZERO_WIDTH;
    case "Group":
    case "CapturingGroup":
      return { needed: neededOf(element.alternatives) };
    case "Character":
      return characterOf(element);
    case "CharacterSet":
      return element.kind === "digit" && !element.negate ? ANY_DIGIT : ENDS;
    case "CharacterClass":
      return !element.negate && element.elements.every(isDigit) ? ANY_DIGIT : ENDS;
    default:
      return ENDS;
  }
};

const neededInTurn = ({ elements }: AST.Alternative): readonly string[] | undefined => {
  let best: readonly string[] | undefined;
  let run = "";
  const end = (): void => {
    if (run !== "") best = better(best, [run]);
    run = "";
  };
  for (const element of elements) {
    const isQuantified = element.type === "Quantifier";
    const { min, max } = isQuantified ? element : { min: 1, max: 1 };
    const part = partOf(isQuantified ? element.element : element);
    if (!("text" in part)) {
      end();
      if (min > 0) best = better(best, part.needed);
      continue;
    }
    if (min > 0) run += part.text;
    if (min === 0 || max > 1) end();
  }
  end();
  return best;
};

/** Each alternative must need something for the whole to need one of all. */
const neededOf = (alternatives: readonly AST.Alternative[]): readonly string[] | undefined => {
  const each = alternatives.map(neededInTurn);
  return each.every((one) => one !== undefined) ? [...new Set(each.flat())] : undefined;
};

/**
 * Literals of which every match has at least one: lower case, any digit as `0`. None goes over the end of a line.
 * @throws Error when there are none
 */
export const neededBy = (pattern: RegExp): readonly string[] => {
  const needed = neededOf(new RegExpParser().parseLiteral(String(pattern)).pattern.alternatives);
  if (!needed) throw new Error(`matches without a literal: ${pattern.source}`);
  return needed;
};
