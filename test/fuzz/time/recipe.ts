/** Inputs as recipes: what grows and what stands around it, so that one recipe makes an input of any length. */
import type { Random } from "../../../world/random.ts";

export interface Segment {
  text: string;
  /** Written again and again until the input is long enough; several share the length evenly. */
  grows: boolean;
}

/** What stands around all segments: the attribute, element or member that leads to the code in question. */
export interface Frame {
  before: string;
  after: string;
  /** Characters that would end the frame are written as the grammar has them. */
  encode?: (text: string) => string;
}

export interface Recipe {
  frame: number;
  segments: readonly Segment[];
}

/** The input of a recipe, at most `chars` UTF-16 units. What stands around is whole: where it does not fit, nothing is made. */
export function render(recipe: Recipe, frames: readonly Frame[], chars: number): string | undefined {
  const { before, after, encode = (text) => text } = frames[recipe.frame]!;
  const segments = recipe.segments.map(({ text, grows }) => ({ text: encode(text), grows }));
  const fixed = segments.filter(({ grows }) => !grows).reduce((sum, { text }) => sum + text.length, 0);
  const room = chars - before.length - after.length - fixed;
  const growing = segments.filter(({ text, grows }) => grows && text !== "");
  if (room < 0) return undefined;
  const share = growing.length === 0 ? 0 : Math.floor(room / growing.length);
  const body = segments.map(({ text, grows }) =>
    grows ? text.repeat(text === "" ? 0 : Math.floor(share / text.length)) : text,
  );
  return before + body.join("") + after;
}

/** A recipe as a person reads it: `<p style="` + (`a:  ;` …) + `!` */
export function describe(recipe: Recipe, frames: readonly Frame[]): string {
  const { before, after } = frames[recipe.frame]!;
  const parts = recipe.segments.map(({ text, grows }) =>
    grows ? `(${JSON.stringify(text)} …)` : JSON.stringify(text),
  );
  const around = (text: string): string[] => (text === "" ? [] : [JSON.stringify(text)]);
  return [...around(before), ...parts, ...around(after)].join(" ");
}

/** White space and punctuation that many expressions stop at, or do not. */
const COMMON = [
  " ",
  "\t",
  "\n",
  "  ",
  "\u00a0",
  ",",
  ";",
  ":",
  "=",
  '"',
  "'",
  "(",
  ")",
  "a",
  "1",
  "-",
  "/",
  "\\",
  "<",
  ">",
  "%",
  ".",
  "!",
  "x ",
  "\u0000",
  "é",
];

/** One to three tokens, put together. */
const word = (random: Random, tokens: readonly string[]): string =>
  Array.from({ length: 1 + random.below(3) }, () =>
    random.pick(random.below(3) === 0 ? COMMON : tokens),
  ).join("");

export function randomRecipe(random: Random, frames: number, tokens: readonly string[]): Recipe {
  const segments: Segment[] = [];
  if (random.below(2) === 0) segments.push({ text: word(random, tokens), grows: false });
  segments.push({ text: word(random, tokens), grows: true });
  // Opened often, closed often: nesting.
  if (random.below(4) === 0) segments.push({ text: word(random, tokens), grows: true });
  if (random.below(2) === 0) segments.push({ text: word(random, tokens), grows: false });
  return { frame: random.below(frames), segments };
}

/** A neighbour of a recipe: one thing changed. */
export function mutate(random: Random, recipe: Recipe, frames: number, tokens: readonly string[]): Recipe {
  const segments = recipe.segments.map((segment) => ({ ...segment }));
  const at = random.below(segments.length);
  const one = segments[at]!;
  switch (random.below(8)) {
    case 0:
      return { ...recipe, frame: random.below(frames) };
    case 1:
      one.text += word(random, tokens);
      break;
    case 2:
      one.text = word(random, tokens) + one.text;
      break;
    case 3:
      one.text = one.text.slice(0, Math.max(1, one.text.length - 1 - random.below(3)));
      break;
    case 4:
      one.text = word(random, tokens);
      break;
    case 5:
      segments.splice(at, 0, { text: word(random, tokens), grows: random.below(2) === 0 });
      break;
    case 6:
      if (segments.length > 1) segments.splice(at, 1);
      break;
    default: {
      const split = random.below(one.text.length + 1);
      one.text = one.text.slice(0, split) + random.pick(COMMON) + one.text.slice(split);
    }
  }
  if (!segments.some(({ grows }) => grows)) segments[random.below(segments.length)]!.grows = true;
  return { ...recipe, segments: segments.slice(0, 6) };
}
