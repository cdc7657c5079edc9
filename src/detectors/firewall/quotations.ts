/**
 * Quotations of attacks: what an article, a report or a guide says that attackers write. What is quoted so is no reason for a
 * warning, and is still cut from what an agent is given (docs/decisions/0095-quoted-attacks.md).
 *
 * A quotation counts as reported where all of this holds, since each by itself costs an attacker nothing:
 * it is marked at both ends (quotation marks, or an element for quotations or code) and short; beside it stand a word of reporting
 * and a word of the subject; nothing around it speaks to the reader or to a machine; it holds no address.
 * Whoever calls asks of open text alone, and takes everything back where another text of the page tells to obey.
 */
import type { Segment } from "../../pages/page-model.ts";

export interface Span {
  readonly from: number;
  readonly to: number;
}

const LONGEST = 400;
const MOST = 8;
/** Characters before and after a quotation in which it is said to be one. */
const NEAR_BEFORE = 200;
const NEAR_AFTER = 140;

const CLOSING: Readonly<Record<string, string>> = { '"': '"', "“": "”", "„": "“", "«": "»", "「": "」" };
const MARKS = /["“„«「]/g;
const MAY_OPEN = /[\s([{:;,\u2013\u2014\u3001\uff0c\uff1a]/;
const IS_WORD = /[\p{L}\p{N}]/u;

/** Stretches between quotation marks, the marks left out. One that does not end is none, and ends the search. */
const marked = (text: string): Span[] => {
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
};

const INLINE = new Set(["q", "code", "kbd", "samp"]);
const BLOCK = new Set(["blockquote", "pre"]);
const DEEPEST = 4;

/** Whether a node stands in one of the elements, at most so deep. */
const isIn = (node: Segment["pieces"][number], names: ReadonlySet<string>): boolean => {
  let above = node.parentNode;
  for (let depth = 0; depth < DEEPEST && above && "tagName" in above; depth++) {
    if (names.has(above.tagName)) return true;
    above = above.parentNode;
  }
  return false;
};

const ANY_MARK = /["“„«「]/;

/** Whether a segment quotes anything at all: most do not, and are not asked more. */
export const mayQuote = ({ element, pieces }: Segment, text: string): boolean =>
  ANY_MARK.test(text) ||
  pieces.length > 1 ||
  (element !== null && (INLINE.has(element.tagName) || BLOCK.has(element.tagName)));

/** Texts in elements for quotations and code, within a paragraph. */
const inElements = ({ pieces }: Segment): Span[] => {
  const spans: Span[] = [];
  let at = 0;
  for (const piece of pieces) {
    const to = at + piece.value.length;
    if (spans.length < MOST && piece.value.length <= LONGEST && isIn(piece, INLINE))
      spans.push({ from: at, to });
    at = to;
  }
  return spans;
};

const REPORTS =
  /\b(?:show(?:s|ed|n)?|reads?|wr(?:ote|ites?|itten)|quot(?:e|es|ed|ing)|sa(?:id|ys)|tells?|explain(?:s|ed)?|describ(?:e|es|ed)|demonstrat\w+|such as|like|phrases?|sentences?|strings?|lines?|contain(?:s|ed)|typ(?:es|ed)|enter(?:s|ed)|found|examples?|hid(?:es|den)?|put|plant(?:s|ed)|embed(?:s|ded)|print(?:s|ed)|lists?|listed|block(?:s|ed)?|catch(?:es)?|caught|detect(?:s|ed)?|report(?:s|ed)?|use(?:s|d)?|frequent|\w{3,12}ed|sent|broke|took|made|gave|answers?|treats?|compares?|works?|had|was|were)\b/i;
const SUBJECT =
  /\b(?:injections?|jailbreaks?|attack(?:s|er|ers|ed)?|exploits?|payloads?|adversar\w+|malicious|researchers?|security|vulnerabilit\w+|hackers?|filters?|models?|chatbots?|bots?|LLMs?|prompts|audits?|moderators?|screenshots?|red teams?|(?:many|most|the|some|several) (?:AI )?assistants?|hidden (?:texts?|prompts?|sentences?|instructions?))\b/i;
/** Words that speak to somebody, and orders that open a sentence or follow on one. */
const ADDRESSES =
  /\b(?:you|your|yours|yourself|please|must|should|shall|have to|dear|hereby)\b|(?:^|[.!?:;…]\s{0,4}|\b(?:and|now|then|to|also) )(?:follow|obey|comply|do|execute|carry|perform|apply|act|answer|reply|respond|send|say|write|treat|consider|accept|remember|repeat|continue|ignore|forget|disregard)\b|^\W{0,4}(?:AI|assistants?|agents?|chatbots?|bots?|models?)\s{0,3}[,:!]|\b(?:note|notice|message|attention|instructions?) (?:to|for) (?:the |all |any )?(?:AI|assistants?|agents?|models?|bots?|LLMs?)\b/i;
const HAS_ADDRESS = /https?:|www\.|\w@\w|\]\(|\w\.(?:com|net|org|io|example|test)\b/i;

const FILLER = " ";
/** The text with its stretches blank, so that places stay what they are. */
export const without = (text: string, spans: readonly Span[], filler?: string): string => {
  let rest = "";
  let at = 0;
  for (const { from, to } of spans) {
    rest += text.slice(at, from) + (filler ?? FILLER.repeat(to - from));
    at = to;
  }
  return rest + text.slice(at);
};

/** Whether what stands around a stretch says that somebody reports it. */
const isReported = (around: string, { from, to }: Span): boolean => {
  const near = `${around.slice(Math.max(0, from - NEAR_BEFORE), from)} … ${around.slice(to, to + NEAR_AFTER)}`;
  return REPORTS.test(near) && SUBJECT.test(near);
};

/**
 * Stretches of an open text that report an attack, in order.
 * @param text of the segment as it is judged; where it is not the segment's own, elements are not asked
 * @param before the open text before it, that may introduce a whole block
 */
export const reportedQuotations = (segment: Segment, text: string, before: string): Span[] => {
  if (!SUBJECT.test(text) && !SUBJECT.test(before.slice(-NEAR_BEFORE))) return [];
  const isOwn = text === segment.text;
  const isBlock = isOwn && segment.pieces.length > 0 && segment.pieces.every((piece) => isIn(piece, BLOCK));
  if (isBlock) {
    const introduced = before.trimEnd();
    const whole = { from: 0, to: text.length };
    if (text.length > LONGEST || HAS_ADDRESS.test(text) || !introduced.endsWith(":")) return [];
    const near = introduced.slice(-NEAR_BEFORE);
    return REPORTS.test(near) && SUBJECT.test(near) && !ADDRESSES.test(near) ? [whole] : [];
  }
  const elements = isOwn ? inElements(segment) : [];
  const spans = elements.length > 0 ? elements : marked(text);
  if (spans.length === 0) return [];
  const around = without(text, spans);
  if (ADDRESSES.test(around)) return [];
  return spans.filter(
    (span) => isReported(around, span) && !HAS_ADDRESS.test(text.slice(span.from, span.to)),
  );
};

const ENDORSES =
  /(?:^|[.!?:;"”]\s{0,4}|\b(?:and|now|then|please|must|should|shall|will|to|you) )(?:follow|obey|execute|carry out|comply with|act on|perform|heed)\b[^.!?\n]{0,30}\b(?:it|that|this|these|those|them|above|quoted|quotations?|instructions?|orders?|commands?|sentences?|lines?)\b|\bdo (?:exactly )?(?:what|as) (?:it|that|they|he|she|the|is)\b/i;

/** Whether a text tells to obey what another one quotes. */
export const endorses = (text: string): boolean => ENDORSES.test(text);
