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

/**
 * A quotation that asks for more than its opening does is quoted, whatever is said around it; one that asks for nothing more, beside
 * words of warning, is mentioned: it gives no order.
 */
export function quotationOf(text: string, { from, to }: Opening): "quoted" | "mentioned" | undefined {
  for (let open = from - 1; open >= Math.max(0, from - LONGEST); open--) {
    const closing = CLOSING[text[open]!];
    if (closing === undefined) continue;
    const close = text.slice(to, to + LONGEST).indexOf(closing);
    if (close < 0) return undefined;
    const isBare = from - open <= MOST_BESIDE && close <= MOST_BESIDE;
    const after = to + close + 1;
    const around = `${text.slice(Math.max(0, open - NEAR), open)} ${text.slice(after, after + NEAR)}`;
    return isBare && SPOKEN_OF.test(around) ? "mentioned" : "quoted";
  }
  return undefined;
}
