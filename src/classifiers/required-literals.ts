/** The required literals of a regular expression: every match contains at least one of them. */
import { type AST, RegExpParser } from "@eslint-community/regexpp";

/** How selective a set of required literals is: by its least selective member. */
const worthOf = (literals: readonly string[]): number =>
  Math.min(...literals.map((literal) => literal.replace(/\d/g, "").trim().length + literal.length / 8));

const better = (a: readonly string[] | undefined, b: readonly string[] | undefined) => {
  if (!a || !b) return a ?? b;
  const gain = worthOf(b) - worthOf(a);
  return gain > 0 || (gain === 0 && b.length < a.length) ? b : a;
};

/** What one element adds to the literal around it: characters, nothing at all, or its end. */
type Part = { text: string } | { required: readonly string[] | undefined };

const ENDS: Part = { required: undefined };
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
      return { required: requiredOf(element.alternatives) };
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

const requiredInTurn = ({ elements }: AST.Alternative): readonly string[] | undefined => {
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
      if (min > 0) best = better(best, part.required);
      continue;
    }
    if (min > 0) run += part.text;
    if (min === 0 || max > 1) end();
  }
  end();
  return best;
};

/** The whole has required literals only if each alternative has: those of all together. */
const requiredOf = (alternatives: readonly AST.Alternative[]): readonly string[] | undefined => {
  const each = alternatives.map(requiredInTurn);
  return each.every((one) => one !== undefined) ? [...new Set(each.flat())] : undefined;
};

/**
 * Literals of which every match has at least one: lower case, any digit as `0`. None goes over the end of a line.
 * @throws Error when there are none
 */
export const requiredLiterals = (pattern: RegExp): readonly string[] => {
  const required = requiredOf(new RegExpParser().parseLiteral(String(pattern)).pattern.alternatives);
  if (!required) throw new Error(`matches without a literal: ${pattern.source}`);
  return required;
};
