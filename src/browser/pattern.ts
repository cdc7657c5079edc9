/**
 * A field's own `pattern`, matched in linear time. A stranger's regular expression is a program; of them the plain ones are
 * read here, as sequences of classes of characters with their repetitions, and matched without going back: for each part
 * of the pattern, the places that it can end at. A value of 16 Ki characters takes a few million steps at most.
 */

const MAX_PATTERN_CHARS = 200;
const MAX_REPETITIONS = 8;

/**
 * A page's own pattern, where every engine reads it alike and matches it in linear time: characters, classes of them and
 * their repetitions; no groups, no alternatives, at most one repetition without an end.
 */
const PLAIN_PATTERN =
  /^(?:(?:[A-Za-z0-9 _@#:,%&=;!~'"<>-]|\\[dws.+*?()[\]{}^$|\\/]|\[\^?(?:a-z|A-Z|0-9|[A-Za-z0-9 _.,:;@#%&+=!'"]|\\[dws.-])+\])(?:\{\d{1,3}(?:,\d{1,3})?\}|[?*+])?)*$/;

/** A pair of these in brackets, and a range that ends before it begins, are errors: browsers leave such a pattern out. */
const DOUBLED = /([&!#%,.:;=@+])\1/;

type Class = (character: string) => boolean;
/** One class of characters, so many times. */
interface Part {
  takes: Class;
  least: number;
  most: number;
}

const isIn =
  (from: string, to: string): Class =>
  (character) =>
    character >= from && character <= to;
const isDigit = isIn("0", "9");
const NAMED: Readonly<Record<string, Class>> = {
  d: isDigit,
  w: (character) =>
    isDigit(character) || isIn("a", "z")(character) || isIn("A", "Z")(character) || character === "_",
  s: (character) => character.trim() === "",
};
const RANGES: Readonly<Record<string, Class>> = {
  "a-z": isIn("a", "z"),
  "A-Z": isIn("A", "Z"),
  "0-9": isDigit,
};

/** The items of a class in brackets. */
const ITEM = /a-z|A-Z|0-9|\\.|[^\\]/gy;

const PART = /(\[(?:\\.|[^\\\]])+\]|\\.|[^\\[])(?:\{(\d{1,3})(,\d{1,3})?\}|([?*+]))?/gy;
const MARKS: Readonly<Record<string, [least: number, most: number]>> = {
  "?": [0, 1],
  "*": [0, Number.POSITIVE_INFINITY],
  "+": [1, Number.POSITIVE_INFINITY],
};

/** The pattern as JSON Schema has it; undefined where it is not plain. */
export const plainPattern = (pattern: string): string | undefined =>
  isPlain(pattern) ? `^${pattern}$` : undefined;

function isPlain(pattern: string): boolean {
  if (pattern.length > MAX_PATTERN_CHARS || !PLAIN_PATTERN.test(pattern)) return false;
  if (DOUBLED.test(pattern) || isBackward(pattern)) return false;
  const repetitions = pattern.match(/[?*+}]/g) ?? [];
  const endless = repetitions.filter((each) => each === "*" || each === "+");
  return repetitions.length <= MAX_REPETITIONS && endless.length <= 1;
}

const isBackward = (pattern: string): boolean =>
  (pattern.match(/\d{1,3},\d{1,3}(?=\})/g) ?? []).some((range) => {
    const [from, to] = range.split(",");
    return Number(from) > Number(to);
  });

/**
 * Whether a value is what a field's pattern asks for, as a whole (HTML section 4.10.5.3.6); undefined where the pattern is
 * not plain, and nobody here can say.
 */
export function fitsPattern(pattern: string, value: string): boolean | undefined {
  if (!isPlain(pattern)) return undefined;
  const characters = [...value];
  let places = new Uint8Array(characters.length + 1);
  places[0] = 1;
  for (const part of partsOf(pattern)) places = endsOf(part, characters, places) as typeof places;
  return places[characters.length] === 1;
}

const partsOf = (pattern: string): Part[] =>
  [...pattern.matchAll(PART)].map(([, one = "", count, upTo, mark]) => {
    const [least, most] =
      mark !== undefined
        ? MARKS[mark]!
        : [Number(count ?? 1), upTo === undefined ? Number(count ?? 1) : Number(upTo.slice(1))];
    return { takes: one.startsWith("[") ? bracketed(one.slice(1, -1)) : classOf(one), least, most };
  });

function bracketed(inner: string): Class {
  const isNegated = inner.startsWith("^");
  const items = ((isNegated ? inner.slice(1) : inner).match(ITEM) ?? []).map(classOf);
  return (character) => items.some((takes) => takes(character)) !== isNegated;
}

/** One character, escaped or not, or a range of RANGES. */
function classOf(text: string): Class {
  const range = RANGES[text];
  if (range) return range;
  const escaped = text.startsWith("\\") ? text.slice(1) : undefined;
  if (escaped !== undefined && Object.hasOwn(NAMED, escaped)) return NAMED[escaped]!;
  const literal = escaped ?? text;
  return (character) => character === literal;
}

/**
 * The places at which a part can end, from those at which it can begin.
 * @param starts by place, 0 to the number of characters: whether it may begin there
 */
function endsOf({ takes, least, most }: Part, characters: readonly string[], starts: Uint8Array): Uint8Array {
  const ends = new Uint8Array(starts.length);
  // How many places before this one it may begin at.
  const before = new Uint32Array(starts.length + 1);
  for (let place = 0; place < starts.length; place++) before[place + 1] = before[place]! + starts[place]!;
  let run = 0;
  for (let place = 0; place < starts.length; place++) {
    if (place > 0) run = takes(characters[place - 1]!) ? run + 1 : 0;
    const from = Math.max(place - run, place - most, 0);
    const to = place - least;
    if (to >= from && before[to + 1]! > before[from]!) ends[place] = 1;
  }
  return ends;
}
