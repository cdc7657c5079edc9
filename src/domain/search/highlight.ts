/** Shows where in a text the terms of a query stand. Text of strangers goes in; what comes out is safe inside HTML. */
import { escapeHtml } from "../protocols/html.ts";
import { analyzeText } from "./text-analysis.ts";

/** Most characters of a text that are looked through. */
const MAX_READ = 10_000;
/** Characters kept before the first match when a text is cut. */
const LEAD = 40;

/** A word, or words joined by single signs, as analysis sees them. */
const WORDS = /[\p{L}\p{N}\p{M}]+(?:[-_.'’@&][\p{L}\p{N}\p{M}]+)*(?:\+\+|#)?/gu;
const PARTS = /[\p{L}\p{N}\p{M}]+/gu;
const BIGRAM_SCRIPTS = /^[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}ー々〆]$/u;

type Span = [from: number, to: number];

/**
 * HTML of a text with the words that hold one of the terms inside `<mark>`; everything else is escaped. A text longer
 * than `maxLength` (characters, without the marks) is cut to what surrounds the first match, with "…" where it was cut.
 *
 * @param terms analyzed terms (analyzeQuery)
 * @returns null when no term stands in the first 10,000 characters
 */
export function highlight(text: string, terms: ReadonlySet<string>, maxLength: number): string | null {
  const read = text.slice(0, MAX_READ);
  const spans = merged([...read.matchAll(WORDS)].flatMap((word) => spansOf(word[0], word.index, terms)));
  if (spans.length === 0) return null;
  const [from, to] = windowOf(read, spans[0]![0], maxLength);
  let html = from > 0 ? "…" : "";
  let at = from;
  for (const [start, end] of spans) {
    const last = Math.min(end, to);
    if (start < at || last <= start) continue;
    html += `${escapeHtml(read.slice(at, start))}<mark>${escapeHtml(read.slice(start, last))}</mark>`;
    at = last;
  }
  return html + escapeHtml(read.slice(at, to)) + (to < text.length ? "…" : "");
}

function merged(spans: Span[]): Span[] {
  const joined: Span[] = [];
  for (const [from, to] of spans) {
    const last = joined.at(-1);
    if (last !== undefined && from <= last[1]) last[1] = Math.max(last[1], to);
    else joined.push([from, to]);
  }
  return joined;
}

/** Matches within one word: neighbors in scripts without spaces, else its parts, else the whole of it. */
function spansOf(word: string, at: number, terms: ReadonlySet<string>): Span[] {
  const spans: Span[] = [];
  const chars = Array.from(word);
  let offset = at;
  let spaceless = false;
  for (const [i, char] of chars.entries()) {
    const next = chars[i + 1] ?? "";
    if (BIGRAM_SCRIPTS.test(char)) {
      spaceless = true;
      if (terms.has(char.normalize("NFKC"))) spans.push([offset, offset + char.length]);
      if (BIGRAM_SCRIPTS.test(next) && holds(char + next, terms))
        spans.push([offset, offset + char.length + next.length]);
    }
    offset += char.length;
  }
  if (spaceless) return spans;
  for (const part of word.matchAll(PARTS))
    if (holds(part[0], terms)) spans.push([at + part.index, at + part.index + part[0].length]);
  if (spans.length === 0 && holds(word, terms)) spans.push([at, at + word.length]);
  return spans;
}

const holds = (text: string, terms: ReadonlySet<string>): boolean =>
  analyzeText(text).some((term) => terms.has(term));

/** The part of a text to show: all of it, or about `maxLength` characters around `at`, cut between words if it can be. */
function windowOf(text: string, at: number, maxLength: number): Span {
  if (text.length <= maxLength) return [0, text.length];
  let from = Math.max(0, Math.min(at - LEAD, text.length - maxLength));
  if (from > 0) {
    const space = text.indexOf(" ", from);
    if (space !== -1 && space < at) from = space + 1;
  }
  let to = Math.min(text.length, from + maxLength);
  if (to < text.length) {
    const space = text.lastIndexOf(" ", to);
    if (space > at) to = space;
  }
  return [from, to];
}
