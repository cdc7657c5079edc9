/** Whether an attack in a page or a document is quoted, or only spoken of. */
import type { Opening } from "./openings.ts";

const CLOSING: Readonly<Record<string, string>> = {
  '"': '"',
  "“": "”",
  "„": "“",
  "«": "»",
  "「": "」",
  "`": "`",
};
/** Characters of a quotation before an opening, and after it. */
const LONGEST = 400;
/** Characters beside an opening, within the quotation, that ask for nothing more: "ignore previous instructions …". */
const MOST_BESIDE = 16;
/** Characters around the quotation in which it is said what it is. */
const NEAR = 160;
const SPOKEN_OF =
  /\b(?:never|not|don't|untrusted|injections?|inject\w*|attack\w*|malicious|adversarial|jailbreaks?|suspicious|patterns?|phrases?|such as|e\.g\.|detect\w*|flag(?:s|ged)?|scan\w*|filter\w*|block\w*|warn\w*|treat\w*|nicht|angriff\w*|attaque\w*|ataque\w*)\b/i;

const OPENING_MARK = /["“„«「`]/g;

/** @returns where quotations of a text may begin, in order */
export const quotationMarksIn = (text: string): number[] =>
  Array.from(text.matchAll(OPENING_MARK), ({ index }) => index);

/**
 * A quotation that asks for more than its opening does is quoted, whatever is said around it; one that asks for nothing more, beside
 * words of warning, is mentioned: it gives no order.
 * @param marks where quotations of the text may begin, in order
 */
export function quotationOf(
  text: string,
  marks: readonly number[],
  { from, to }: Opening,
): "quoted" | "mentioned" | undefined {
  const open = lastBefore(marks, from);
  if (open === undefined || open < from - LONGEST) return undefined;
  const close = text.slice(to, to + LONGEST).indexOf(CLOSING[text[open]!]!);
  if (close < 0) return undefined;
  if (from - open > MOST_BESIDE || close > MOST_BESIDE) return "quoted";
  const after = to + close + 1;
  const around = `${text.slice(Math.max(0, open - NEAR), open)} ${text.slice(after, after + NEAR)}`;
  return SPOKEN_OF.test(around) ? "mentioned" : "quoted";
}

/** The last of ascending numbers that is below a limit. */
function lastBefore(ascending: readonly number[], limit: number): number | undefined {
  let [low, high] = [0, ascending.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (ascending[middle]! < limit) low = middle + 1;
    else high = middle;
  }
  return ascending[low - 1];
}
