/** Strangers' words, cut and cleaned before anybody reads them: the one place for scripts of sites, sessions and tools. */

/** Controls, formats (zero-width and bidirectional characters, tags), private use, surrogates and line separators. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]+/gu;

const MAX_LABEL = 80;

export interface Bounds {
  /** What becomes of a text. */
  text: (text: string) => string;
  /** Entries of a list, and members of an object. */
  items: number;
  depth: number;
}

/** Prose of several lines without what nobody sees. */
export const prose = (text: string): string =>
  text
    .replaceAll("\t", " ")
    .split("\n")
    .map((line) => line.replace(UNSEEN, ""))
    .join("\n");

/** A structure that holds strangers' words: its texts and members' names cleaned, lists and depth bounded. */
export function cleaned(value: unknown, bounds: Bounds, depth = 0): unknown {
  if (typeof value === "string") return bounds.text(value);
  if (typeof value !== "object" || value === null) return value;
  if (depth >= bounds.depth) return null;
  const inner = (each: unknown) => cleaned(each, bounds, depth + 1);
  if (Array.isArray(value)) return value.slice(0, bounds.items).map(inner);
  return Object.fromEntries(
    Object.entries(value)
      .slice(0, bounds.items)
      .map(([name, each]) => [label(name), inner(each)]),
  );
}

/** A name or label in one line: what nobody sees is taken out of it. @param most characters, an ellipsis included */
export function label(text: string, most = MAX_LABEL): string {
  const plain = [
    ...text
      .slice(0, most * 8)
      .replace(UNSEEN, " ")
      .replace(/\s+/g, " ")
      .trim(),
  ];
  return plain.length <= most ? plain.join("") : `${plain.slice(0, most - 1).join("")}…`;
}
