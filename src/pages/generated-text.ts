/** Text that style sheets write: the `content` of ::before and ::after (CSS Generated Content 3), as far as a page says it plainly. */

export const MAX_CONTENT_CHARS = 4_096;
/** Strings, attributes and variables of one value, those of variables among them: variables multiply. */
const MAX_PARTS = 256;
/** Variables that lead to others. */
const MAX_DEPTH = 3;

/** A string, or a function with what stands in its brackets. */
const PART = /"((?:[^"\\]|\\[\s\S])*)"?|'((?:[^'\\]|\\[\s\S])*)'?|(attr|var)\(([^()]*)\)/gi;
const ESCAPE = /\\(?:([\da-f]{1,6})(?:\r\n|\s)?|\r\n|[\n\f\r]|([\s\S]))/gi;

/** Where the names in a value lead. */
export interface ContentNames {
  /** An attribute of the element. */
  attribute(name: string): string | undefined;
  /** A custom property, as written: the last of its name, whoever it is declared for. */
  variable(name: string): string | undefined;
}

/**
 * The strings of a `content` value together, with attributes and variables put in; counters, quotes and pictures say nothing.
 * @param value as written
 */
export function generatedText(value: string, names: ContentNames): string {
  let text = "";
  let left = MAX_PARTS;
  const read = (part: string, depth: number): void => {
    for (const [, double, single, call, inside = ""] of part.slice(0, MAX_CONTENT_CHARS).matchAll(PART)) {
      if (--left < 0 || text.length >= MAX_CONTENT_CHARS) return;
      const comma = inside.indexOf(",");
      const name = (comma === -1 ? inside : inside.slice(0, comma)).trim();
      if (double !== undefined || single !== undefined) text += unescaped(double ?? single!);
      // A type may follow the name: attr(data-x type(<string>)).
      else if (call?.toLowerCase() === "attr")
        text += names.attribute(name.split(/\s/, 1)[0]!.toLowerCase()) ?? "";
      else if (depth < MAX_DEPTH)
        read(names.variable(name) ?? (comma === -1 ? "" : inside.slice(comma + 1)), depth + 1);
    }
  };
  read(value, 0);
  return text.slice(0, MAX_CONTENT_CHARS);
}

/** A string's text (CSS Syntax 3 section 4.3.7). */
const unescaped = (text: string): string =>
  text.replace(ESCAPE, (_, hex: string | undefined, char: string | undefined) => {
    const code = hex === undefined ? undefined : Number.parseInt(hex, 16);
    if (code === undefined) return char ?? "";
    return code === 0 || code > 0x10_ff_ff ? "\ufffd" : String.fromCodePoint(code);
  });
