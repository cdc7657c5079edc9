/**
 * What a regular expression is slow for, guessed from its own grammar: for each quantifier a text that leads to it, the
 * repeated part many times, and an end that does not match. The expressions are those that a parser was seen to run.
 */
import { type AST, RegExpParser } from "@eslint-community/regexpp";
import type { Random } from "../../../world/random.ts";
import type { Segment } from "./recipe.ts";

export interface SeenExpression {
  source: string;
  flags: string;
}

const MAX_SAMPLE = 60;
/** Stands for "any character" and for what a negated class lets through, the first that fits. */
const FILLERS = 'x 1-<"\n';

function inSet(element: AST.ClassRangesCharacterClassElement, point: number): boolean {
  const char = String.fromCodePoint(point);
  switch (element.type) {
    case "Character":
      return element.value === point;
    case "CharacterClassRange":
      return element.min.value <= point && point <= element.max.value;
    default:
      return new RegExp(`^${element.raw}$`, element.kind === "property" ? "u" : "").test(char);
  }
}

function sampleOfSet(raw: string): string {
  const expression = new RegExp(`^${raw}$`, raw.includes("{") ? "u" : "");
  return [..."x1 -ä"].find((char) => expression.test(char)) ?? "";
}

function sampleOfClass(node: AST.CharacterClass, random: Random): string {
  if (node.unicodeSets) return "x";
  const points = node.elements.map((element) =>
    element.type === "Character"
      ? element.value
      : element.type === "CharacterClassRange"
        ? element.min.value
        : sampleOfSet(element.raw).codePointAt(0),
  );
  if (!node.negate) return String.fromCodePoint((points.length > 0 && random.pick(points)) || 0x78);
  const free = [...FILLERS].filter(
    (char) => !node.elements.some((element) => inSet(element, char.codePointAt(0)!)),
  );
  return free.length > 0 ? random.pick(free) : "\u00ff";
}

function sampleOf(node: AST.Element, random: Random): string {
  switch (node.type) {
    case "Character":
      return String.fromCodePoint(node.value);
    case "CharacterSet":
      return node.kind === "any" ? random.pick([..."x ;"]) : sampleOfSet(node.raw);
    case "CharacterClass":
      return sampleOfClass(node, random);
    case "Group":
    case "CapturingGroup":
      return sampleOfAlternative(random.pick(node.alternatives), random);
    case "Quantifier":
      return sampleOf(node.element, random).repeat(
        Math.min(node.max, Math.max(node.min, random.below(3)), 8),
      );
    default:
      return "";
  }
}

const sampleOfAlternative = (alternative: AST.Alternative, random: Random): string =>
  alternative.elements
    .map((element) => sampleOf(element, random))
    .join("")
    .slice(0, MAX_SAMPLE);

/** Texts that lead to each quantifier of the alternatives, with the quantifier. */
function* quantifiersIn(
  alternatives: readonly AST.Alternative[],
  before: string,
  random: Random,
): Generator<[before: string, quantifier: AST.Quantifier]> {
  for (const { elements } of alternatives) {
    let lead = before;
    for (const element of elements) {
      if (element.type === "Quantifier") {
        yield [lead, element];
        if ("alternatives" in element.element)
          yield* quantifiersIn(element.element.alternatives, lead, random);
      } else if ("alternatives" in element) yield* quantifiersIn(element.alternatives, lead, random);
      lead = (lead + sampleOf(element, random)).slice(-MAX_SAMPLE);
    }
  }
}

const grown = (before: string, pump: string, end: string): Segment[] => [
  ...(before === "" ? [] : [{ text: before, grows: false }]),
  { text: pump, grows: true },
  ...(end === "" ? [] : [{ text: end, grows: false }]),
];

/** What may stand at the end so that a match fails: each stops some expressions and suits others. */
const ENDS = ["!", "\u0001", ";", '"', "", "a", " ", "\n", ">", "-"];

/** Texts against one expression: other ones each time. */
export function attacksOn({ source, flags }: SeenExpression, random: Random): Segment[][] {
  let pattern: AST.Pattern;
  try {
    pattern = new RegExpParser().parsePattern(source, 0, source.length, {
      unicode: flags.includes("u"),
      unicodeSets: flags.includes("v"),
    });
  } catch {
    return [];
  }
  const bodies = new Map<string, Segment[]>();
  const note = (segments: Segment[]): void => void bodies.set(JSON.stringify(segments), segments);
  const last = random.pick(ENDS);
  for (const [before, quantifier] of quantifiersIn(pattern.alternatives, "", random)) {
    if (quantifier.max < 8) continue;
    const pump = sampleOf(quantifier.element, random);
    if (pump === "") continue;
    note(grown(before, pump, last));
    note(grown("", before + pump, last));
  }
  // A whole match, over and over: what is searched for from every place.
  for (const alternative of pattern.alternatives.slice(0, 4)) {
    const whole = sampleOfAlternative(alternative, random);
    if (whole !== "") note(grown("", whole, last));
  }
  return [...bodies.values()];
}
