/** Accepted exceptions: expressions that recheck rejects or cannot decide, with the bound of their input and its cost. */
import type { Attack } from "./verdicts.ts";

export interface Exception {
  readonly file: string;
  /** Prefix of its source, unique in the file. */
  readonly begins: string;
  /** The longest text that it is matched against, in UTF-16 code units. */
  readonly maxChars: number;
  /** Processor time of one attack of that length, in milliseconds: some five times the measured time. */
  readonly worstMs: number;
  /** What bounds its input to that length, and why it is acceptable. */
  readonly why: string;
  /** The worst attack found by other means, if recheck finds none. */
  readonly attack?: Attack;
}

const WINDOWS =
  "Its gaps have an upper bound each, so that it is linear with a large factor; words within reach of each other are what it means.";

export const EXCEPTIONS: readonly Exception[] = [
  {
    file: "src/detectors/affiliate/disclosure-phrases.ts",
    begins: "affiliate|amazon associate|",
    maxChars: 8_192,
    worstMs: 20,
    why: `A segment has 8,192 characters at most (MAX_SEGMENT_CHARS). Many words of twenty languages; ${WINDOWS}`,
    attack: { pumps: [{ prefix: "", pump: "erhalte " }], suffix: "\n" },
  },
  {
    file: "src/detectors/affiliate/disclosure-phrases.ts",
    begins: String.raw`^\W*(?:ad|ads|`,
    maxChars: 39,
    worstMs: 0.1,
    why: "`says` asks it of texts below 40 characters alone. Quadratic, since two of its words are no word characters.",
  },
  {
    file: "src/detectors/dark-pattern/consent-labels.ts",
    begins: "reject|refus|",
    maxChars: 1_500,
    worstMs: 5,
    why: `\`meaningOf\` asks it of labels of 80 characters, which NFKC may lengthen. ${WINDOWS}`,
    attack: { pumps: [{ prefix: "", pump: "only not " }], suffix: "\n" },
  },
  {
    file: "src/detectors/dark-pattern/words.ts",
    begins: String.raw`\b(?:\d[\d,.]*\+?|`,
    maxChars: 1_000,
    worstMs: 5,
    why: `\`textsOf\` cuts texts at 1,000 characters. ${WINDOWS}`,
    attack: { pumps: [{ prefix: "", pump: "1 personen " }], suffix: "\n" },
  },
  {
    file: "src/detectors/dark-pattern/choices.ts",
    begins: String.raw`\bby (?:continuing|`,
    maxChars: 599,
    worstMs: 1,
    why: `\`privacyZuckering\` asks it of texts below 600 characters alone. ${WINDOWS}`,
    attack: { pumps: [{ prefix: "", pump: "by using agree " }], suffix: "\n" },
  },
  {
    file: "src/detectors/dark-pattern/choices.ts",
    begins: String.raw`\b(?:i agree|i accept|`,
    maxChars: 399,
    worstMs: 1,
    why: `\`forcedAction\` asks it of controls, of 300 characters, and of texts below 400. ${WINDOWS}`,
    attack: { pumps: [{ prefix: "", pump: "by signing agree " }], suffix: "\n" },
  },
  {
    file: "src/detectors/dark-pattern/money.ts",
    begins: String.raw`\b(?:cancel\w*|end|`,
    maxChars: 1_000,
    worstMs: 1,
    why: `\`textsOf\` cuts texts at 1,000 characters. ${WINDOWS}`,
    attack: { pumps: [{ prefix: "", pump: "end plans " }], suffix: "\n" },
  },
  {
    file: "src/detectors/firewall/links.ts",
    begins: String.raw`\{\{?[^}/]{2,60}\}?\}|`,
    maxChars: 2 * 1024 * 1024,
    worstMs: 2_000,
    why: `An address is as long as a page at most (MAX_HTML_CHARS), and all of a page's together too. ${WINDOWS}`,
    attack: { pumps: [{ prefix: "a", pump: "[${h" }], suffix: "" },
  },
];
