/**
 * Whether a path lies below one that an owner closes, however it is written. Also a part of the bridge script, which runs in
 * browsers: nothing of Node's, and no imports.
 */

/** Layers of percent-encoding that are taken off; a path with more of them is closed where any path is. */
const MAX_LAYERS = 8;

const isIgnoredAtEnd = (character: string): boolean => character === "." || character <= " ";

/** A segment as servers read it that drop parameters (RFC 3986 section 3.3), or final dots, blanks and what follows a NUL. */
const plainSegment = (written: string): string => {
  const segment = written.split(";", 1)[0]!.split("\0", 1)[0]!;
  if (segment === "." || segment === "..") return segment;
  let end = segment.length;
  while (end > 0 && isIgnoredAtEnd(segment[end - 1]!)) end--;
  return segment.slice(0, end);
};

/**
 * The one form that paths are compared in: decoded until nothing changes, since a server may decode more than once.
 * @returns undefined for a path that is still encoded after as many rounds as are made
 */
const plainPath = (path: string): string | undefined => {
  let text = path;
  for (let round = 0; ; round++) {
    const decoded = text.replace(/(?:%[0-9a-f]{2})+/gi, (run) =>
      new TextDecoder().decode(Uint8Array.from(run.slice(1).split("%"), (byte) => Number.parseInt(byte, 16))),
    );
    if (decoded === text) break;
    if (round === MAX_LAYERS) return undefined;
    text = decoded;
  }
  const segments: string[] = [];
  for (const written of text.replaceAll("\\", "/").split("/")) {
    const segment = plainSegment(written);
    if (segment === "..") segments.pop();
    else if (segment !== "." && segment !== "") segments.push(segment);
  }
  return `/${segments.join("/")}`.normalize("NFC").toLowerCase();
};

/** Undefined is no path that could be read, and so below each. */
const isBelow = (path: string | undefined, prefix: string | undefined): boolean =>
  path === undefined ||
  prefix === undefined ||
  prefix === "/" ||
  path === prefix ||
  path.startsWith(`${prefix}/`);

/**
 * The first of an owner's prefixes that closes a path.
 * @param path a URL's `pathname`
 */
export const closingPrefix = (path: string, prefixes: readonly string[]): string | undefined => {
  const asked = plainPath(path);
  return prefixes.find((prefix) => isBelow(asked, plainPath(prefix)));
};
