/** Whether an attack is only spoken of: its opening is quoted by itself, by a text that warns of it or lists it. */
import type { Opening } from "./openings.ts";

const CLOSING: Readonly<Record<string, string>> = {
  '"': '"',
  "“": "”",
  "„": "“",
  "«": "»",
  "「": "」",
  "'": "'",
  "‘": "’",
  "`": "`",
};
/** Characters beside an opening, within the quotation, that ask for nothing more: "ignore previous instructions …". */
const MOST_BESIDE = 16;
/** Characters around the quotation in which it is said what it is. */
const NEAR = 160;
const SPOKEN_OF =
  /\b(?:never|not|don't|untrusted|injections?|inject\w*|attack\w*|malicious|adversarial|jailbreaks?|suspicious|patterns?|phrases?|such as|e\.g\.|detect\w*|flag(?:s|ged)?|scan\w*|filter\w*|block\w*|warn\w*|treat\w*|nicht|angriff\w*|attaque\w*|ataque\w*)\b/i;

/** A quotation with more than the opening in it is one that asks for something: it is no mention, whatever is said around it. */
export function isMentioned(text: string, { from, to }: Opening): boolean {
  for (let open = from - 1; open >= Math.max(0, from - MOST_BESIDE); open--) {
    const closing = CLOSING[text[open]!];
    if (closing === undefined) continue;
    const close = text.indexOf(closing, to);
    if (close < 0 || close - to > MOST_BESIDE) return false;
    const around = `${text.slice(Math.max(0, open - NEAR), open)} ${text.slice(close + 1, close + NEAR)}`;
    return SPOKEN_OF.test(around);
  }
  return false;
}
