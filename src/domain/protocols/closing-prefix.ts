/**
 * Whether a path lies below one that the owner denies, in any encoding. Also part of the bridge script, which runs in
 * browsers: no Node APIs and no imports.
 */

/** Layers of percent-encoding that are decoded; a path with more of them is denied if any path is. */
const MAX_LAYERS = 8;

/**
 * The first denied prefix that covers a path.
 * @param path a URL's `pathname`
 */
export function closingPrefix(path: string, prefixes: readonly string[]): string | undefined {
  const asked = plainPath(path);
  return prefixes.find((prefix) => isBelow(asked, plainPath(prefix)));
}

/**
 * The normal form for comparing paths: decoded to a fixed point, since a server may decode more than once.
 * @returns undefined for a path that is still encoded after MAX_LAYERS rounds
 */
function plainPath(path: string): string | undefined {
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
}

/**
 * A segment as lenient servers read it: without parameters (RFC 3986 section 3.3), trailing dots and blanks, and what
 * follows a NUL.
 */
function plainSegment(written: string): string {
  const segment = written.split(";", 1)[0]!.split("\0", 1)[0]!;
  if (segment === "." || segment === "..") return segment;
  let end = segment.length;
  while (end > 0 && isIgnoredAtEnd(segment[end - 1]!)) end--;
  return segment.slice(0, end);
}

const isIgnoredAtEnd = (character: string): boolean => character === "." || character <= " ";

/** An undefined path could not be decoded, and so counts as below every prefix. */
const isBelow = (path: string | undefined, prefix: string | undefined): boolean =>
  path === undefined ||
  prefix === undefined ||
  prefix === "/" ||
  path === prefix ||
  path.startsWith(`${prefix}/`);
