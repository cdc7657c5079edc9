/**
 * Quotations of attacks: what an article, a report or a guide says that attackers write. What is quoted so is no reason for a
 * warning, and is still cut from what an agent is given (docs/decisions/0095-quoted-attacks.md).
 *
 * A quotation counts as reported where all of this holds, since each by itself costs an attacker nothing: it is marked at both ends
 * (quotation marks, or an element for quotations or code), short, and without an address; and what stands around it reports an attack
 * and means nothing of it (framing.ts).
 * Whoever calls asks of open text alone, and takes everything back where another text of the page tells to obey.
 */
import type { Segment } from "../../pages/page-model.ts";
import { isIntroduced, isListed, isMeant, isReported, type Surroundings } from "./framing.ts";
import type { Span } from "./span.ts";

const LONGEST = 400;
const MOST = 8;

const CLOSING: Readonly<Record<string, string>> = { '"': '"', "“": "”", "„": "“", "«": "»", "「": "」" };
const MARKS = /["“„«「]/g;
const MAY_OPEN = /[\s([{:;,\u2013\u2014\u3001\uff0c\uff1a]/;
const IS_WORD = /[\p{L}\p{N}]/u;

const INLINE = new Set(["q", "code", "kbd", "samp"]);
const BLOCK = new Set(["blockquote", "pre"]);
const DEEPEST = 4;

const ANY_MARK = /["“„«「]/;

const HAS_ADDRESS = /https?:|www\.|\w@\w|\]\(|\w\.(?:com|net|org|io|example|test)\b/i;

const FILLER = " ";

/** Elements whose texts a sentence before them introduces together. */
const ITEMS = new Set(["li", "td", "th", "dd"]);

const COLON = 58;

/** Whether a segment quotes anything at all: most do not, and are not asked more. */
export const mayQuote = ({ element, pieces }: Segment, text: string): boolean =>
  ANY_MARK.test(text) ||
  pieces.length > 1 ||
  (element !== null && (INLINE.has(element.tagName) || BLOCK.has(element.tagName)));

/** Stretches of an open text that are quoted, whoever says so. */
export function quotedIn(segment: Segment, text: string): Span[] {
  const elements = text === segment.text ? inElements(segment) : [];
  return elements.length > 0 ? elements : marked(text);
}

/** Texts in elements for quotations and code, within a paragraph. */
function inElements({ pieces }: Segment): Span[] {
  const spans: Span[] = [];
  let at = 0;
  for (const piece of pieces) {
    const to = at + piece.value.length;
    if (spans.length < MOST && piece.value.length <= LONGEST && isIn(piece, INLINE))
      spans.push({ from: at, to });
    at = to;
  }
  return spans;
}

/** Whether a node stands in one of the elements, at most so deep. */
function isIn(node: Segment["pieces"][number], names: ReadonlySet<string>): boolean {
  let above = node.parentNode;
  for (let depth = 0; depth < DEEPEST && above && "tagName" in above; depth++) {
    if (names.has(above.tagName)) return true;
    above = above.parentNode;
  }
  return false;
}

/** Stretches between quotation marks, the marks left out. One that does not end is none, and ends the search. */
export function marked(text: string): Span[] {
  const spans: Span[] = [];
  MARKS.lastIndex = 0;
  for (let match = MARKS.exec(text); match && spans.length < MOST; match = MARKS.exec(text)) {
    const { index } = match;
    if (index > 0 && !MAY_OPEN.test(text[index - 1]!)) continue;
    const end = text.indexOf(CLOSING[match[0]]!, index + 1);
    if (end < 0) break;
    MARKS.lastIndex = end + 1;
    const isClosed = end + 1 === text.length || !IS_WORD.test(text[end + 1]!);
    if (isClosed && end - index > 8 && end - index <= LONGEST) spans.push({ from: index + 1, to: end });
  }
  return spans;
}

/** Those of the stretches that are quoted which the text approves of, or gives as words of who has a say on the page. */
export function meantOf(quoted: readonly Span[], text: string): Span[] {
  const around = without(text, quoted);
  return quoted.filter((span) => isMeant(around, span));
}

/** The text with its stretches blank, so that places stay what they are. */
export function without(text: string, spans: readonly Span[], filler?: string): string {
  let rest = "";
  let at = 0;
  for (const { from, to } of spans) {
    rest += text.slice(at, from) + (filler ?? FILLER.repeat(to - from));
    at = to;
  }
  return rest + text.slice(at);
}

/** Whether a text ends with a colon. */
export function introduces(text: string): boolean {
  let end = text.length - 1;
  while (end >= 0 && text.charCodeAt(end) <= 32) end--;
  return text.charCodeAt(end) === COLON;
}

/** Whether what introduced a segment introduces the next one as well: items of a list are introduced together. */
export const isItem = ({ pieces }: Segment): boolean => pieces.some((piece) => isIn(piece, ITEMS));

/**
 * Stretches of an open text that report an attack, in order.
 * @param text of the segment as it is judged; where it is not the segment's own, elements are not asked
 * @param quoted what is quoted of it
 * @param introduction what introduces blocks and items, if anything does: a text that ends with a colon
 */
export function reportedQuotations(
  segment: Segment,
  text: string,
  quoted: readonly Span[],
  surroundings: Surroundings,
  introduction: string | undefined,
): Span[] {
  const isOwn = text === segment.text;
  const { pieces } = segment;
  const isAll = (names: ReadonlySet<string>): boolean =>
    isOwn && pieces.length > 0 && pieces.every((piece) => isIn(piece, names));
  if (isAll(BLOCK)) {
    if (text.length > LONGEST || HAS_ADDRESS.test(text) || introduction === undefined) return [];
    return isIntroduced(introduction, surroundings) ? [{ from: 0, to: text.length }] : [];
  }
  const spans = quoted.filter(({ from, to }) => !HAS_ADDRESS.test(text.slice(from, to)));
  if (spans.length === 0) return [];
  const around = without(text, spans);
  if (isBare(around)) {
    if (introduction !== undefined) return isIntroduced(introduction, surroundings) ? spans : [];
    return isAll(ITEMS) && isListed(surroundings) ? spans : [];
  }
  return spans.filter((span) => isReported(around, span, surroundings));
}

/** Whether a text is nothing but what it quotes. */
const isBare = (around: string): boolean => !/\p{L}{2}/u.test(around);
