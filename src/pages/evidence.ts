/** Where a finding stands: its place in the source, a selector, a snippet. Worked out for findings alone. */

import type { Evidence } from "../../schemas/finding.ts";
import { evidenceSelector } from "./element.ts";
import type { PageModel, Segment } from "./page-model.ts";
import type { Element, Text } from "./parse-html.ts";
import { snippetOf } from "./snippet.ts";

const REFERENCE = /^&(?:#(\d{1,7})|#x([\da-f]{1,6})|[a-z][a-z\d]{1,31});?/i;

const BLANKS = /[\t\n\f\r ]*/y;

/** Evidence for a finding in a segment, or in a part of it (UTF-16 units of its text). */
export function evidenceIn(page: PageModel, segment: Segment, from = 0, to = segment.text.length): Evidence {
  const selector = segment.element ? evidenceSelector(segment.element, page.idCounts) : undefined;
  const leading = /^\s*/.exec(segment.text.slice(from, to))![0].length;
  const start = sourceIndex(page.source, segment, from + leading);
  const last = sourceIndex(page.source, segment, Math.max(from + leading, to - 1));
  return {
    snippet: snippetOf(segment.text.slice(from, to)),
    start,
    end: Math.min(page.source.length, Math.max(start, last) + 1),
    ...(selector !== undefined && { selector }),
    ...(segment.pointer !== undefined && { pointer: segment.pointer }),
  };
}

/** Place in the source of the `index`-th unit of a segment's text. */
function sourceIndex(source: string, segment: Segment, index: number): number {
  let left = index;
  for (const piece of segment.pieces) {
    if (left < piece.value.length || piece === segment.pieces.at(-1)) return placeIn(source, piece, left);
    left -= piece.value.length;
  }
  const { element, channel } = segment;
  if (!element || channel === "comment" || channel === "json-ld") {
    const written = channel === "json-ld" ? JSON.stringify(segment.text).slice(1, -1) : segment.text;
    const found = source.indexOf(written.slice(0, 400), segment.at);
    return (found < 0 ? segment.at : found) + index;
  }
  const tag = source.slice(element.at, element.until);
  const found = tag.indexOf(segment.text.slice(0, 200));
  return found < 0 ? element.at : element.at + found + index;
}

/** Where the `index`-th unit of a text node stands in the source: a named character reference counts as one unit. */
function placeIn(source: string, node: Text, index: number): number {
  const begin = beginOf(source, node);
  if (source.startsWith(node.value.slice(0, index + 1), begin)) return begin + index;
  let at = begin;
  for (let units = 0; units < index && at < source.length; ) {
    const reference = source[at] === "&" ? REFERENCE.exec(source.slice(at, at + 34)) : null;
    const isLineEnd = source[at] === "\r" && source[at + 1] === "\n";
    at += reference ? reference[0].length : isLineEnd ? 2 : 1;
    const code = Number(reference?.[1] ?? `0x${reference?.[2] ?? 0}`);
    units += code > 0xff_ff ? 2 : 1;
  }
  return at;
}

/** Where a text node's value begins: a parser drops the blanks before the first text of a body (HTML, section 13.2.6.4.6). */
function beginOf(source: string, { value, at }: Text): number {
  if (/^\s/.test(value)) return at;
  BLANKS.lastIndex = at;
  return at + (BLANKS.exec(source)?.[0].length ?? 0);
}

/** Evidence for a finding that is an element: its opening tag. */
export function evidenceAt(page: PageModel, element: Element, snippet?: string): Evidence {
  const selector = evidenceSelector(element, page.idCounts);
  return {
    snippet: snippetOf(snippet ?? page.source.slice(element.at, element.until)),
    start: element.at,
    end: element.until,
    ...(selector !== undefined && { selector }),
  };
}
