/**
 * What a short English text of a page is by its words: a linear classifier of the kinds of ec-darkpattern (after Mathur and
 * others, "Dark Patterns at Scale", 2019, doi:10.1145/3359183), and the paper's definitions (Table 1) for the kinds of which there are few texts
 * to learn from.
 */
import type { PatternId } from "../../../schemas/dark-pattern.ts";
import { calibrated, type LinearModel, loadModel } from "../../classifiers/linear-model.ts";

export interface TextJudgement {
  /** Probability that the text is one of the kinds, where half of the texts are. */
  dark: number;
  /** The likeliest kind, as ec-darkpattern names it. */
  kind: string;
  /** The pattern of a page that this would be. */
  pattern: PatternId;
  /** It is so by the pattern's definition, or by words of it: among hundreds of texts of any page, resemblance alone says little. */
  isTelling: boolean;
}

interface Definition {
  kind: string;
  pattern: PatternId;
  /** Each of them matches. */
  all: readonly RegExp[];
}

/** What a definition that matches adds to the log-odds that the text is dark. */
const DEFINED = 3;
/** Characters of a text that definitions read. */
const MAX_CHARS = 1_000;
const RECURRING = /\b(?:member(?:ship)?|club|prime|plus|pass|premium|advantage|vip|rewards|subscription)\b/i;

const DEFINITIONS: readonly Definition[] = [
  // Confirmshaming: uses language and emotion to steer users away from making a certain choice.
  ...[
    /^\W{0,3}no\b[,.!]?\s{0,2}(?:thanks|thank you|i\b|i['’])\W{0,4}\w/i,
    /^\W{0,3}i (?:don['’]?t|do not) (?:want|like|need) /i,
    /^\W{0,3}(?:(?:nope|nah|not (?:now|today|for me)|maybe later|skip|decline)\W{1,4})?(?:i['’](?:d|ll) (?:rather|prefer|pay|pass|risk|take my chances)|i (?:would|will) (?:rather|prefer|pay|risk)|i (?:prefer|like|love|enjoy) (?:to )?(?:pay|miss|wast|wait|overpay)|let me (?:pay|miss|overpay))/i,
    /^\W{0,3}(?:order|buy|continue|proceed|book|check ?out) without (?!an? account|logging|signing|regist)/i,
  ].map((one): Definition => ({ kind: "Misdirection", pattern: "confirmshaming", all: [one] })),
  // Pressured selling: high-pressure tactics that steer users into more expensive or related products.
  ...[
    [
      /\b(?:want|would you like|why not|don['’]?t forget|remember) (?:to )?(?:add|buy more)\b|\bbefore you (?:check ?out|pay|go)\b|\bhighly recommend(?:ed)? (?:for|with|to)\b|\bcomplete (?:your|the) (?:look|set|outfit|order)\b|\bmake sure you (?:also )?have\b/i,
    ],
    [
      /\b(?:customers?|shoppers|others) also (?:bought|shopped|purchased)|\bfrequently bought together|\b(?:upgrade|add) my (?:order|purchase)|\bspin (?:to|the wheel)\b/i,
    ],
    [/\b(?:add|bundle|grab)\b/i, /(?:and|&) (?:save|get)\b/i],
  ].map((all): Definition => ({ kind: "Misdirection", pattern: "pressured-selling", all })),
  // Hard to cancel: easy to sign up for, and to cancel by calling, writing or asking somebody.
  {
    kind: "Obstruction",
    pattern: "hard-to-cancel",
    all: [
      /\bcancel/i,
      /\b(?:call|calling|phone|telephone|contact|contacting|emailing|customer (?:service|care|support))\b/i,
    ],
  },
  // Hidden costs: charges that are told right before a purchase is made.
  {
    kind: "Sneaking",
    pattern: "hidden-costs",
    all: [/\b(?:service|handling|processing|convenience|booking|care)\b/i, /[$€£]\s?\d/, /\btotal\b/i],
  },
  {
    kind: "Sneaking",
    pattern: "hidden-costs",
    all: [/\b(?:delivery|shipping|fee|charge)/i, /\btotal\b/i, /(?:[$€£]\s?\d[^$€£]{1,80}){3}[$€£]/],
  },
  // Hidden subscription: a recurring fee under the pretense of a one-time fee or a free trial.
  ...[
    [/\bfree (?:shipping|delivery) with\b/i, RECURRING],
    [/\bfree\b/i, /\b(?:trial|membership)\b/i, /\bwith (?:this|your) (?:order|purchase)/i],
    [/\b(?:subscription|membership|plan) (?:will )?auto(?:matically)?[- ]?(?:renews?|be renewed)\b/i],
  ].map((all): Definition => ({ kind: "Sneaking", pattern: "hidden-subscription", all })),
  // Sneak into basket: adds products to users' baskets without their consent.
  {
    kind: "Sneaking",
    pattern: "sneak-into-basket",
    all: [/\b(?:insurance|protection|warranty|donation)\b/i, /\bremove\b/i],
  },
  // Forced enrollment: coerces users to give their information to complete their tasks.
  {
    kind: "Forced Action",
    pattern: "forced-action",
    all: [
      /\bi agree to (?:receive|be contacted)\b|\byou must (?:create an account|register|sign up|log in) (?:to|before)\b/i,
    ],
  },
];

/**
 * The kinds of which there are texts enough to learn from: what each is on a page, and words of it. The others are told by definitions
 * alone, as is Misdirection on a page, which has no words of its own.
 */
const LEARNED: Readonly<Record<string, { pattern: PatternId; words?: RegExp }>> = {
  Urgency: {
    pattern: "fake-urgency",
    words:
      /\b(?:hurry|ends?|ending|expir\w*|today|tonight|now|limited|soon|last|(?<!one[- ]|any )time|left|until|wait|only|flash)\b|\d\s?(?:d|h|hrs?|hours?|m|mins?|minutes?)\b[\s:]{1,3}\d/i,
  },
  // How much is in stock is a fact: that there is little of it is the claim.
  Scarcity: {
    pattern: "fake-scarcity",
    words:
      /\b(?:left|few|last|(?<!on[- ])demand|sell\w*|sold|gone|limited|remain\w*|only|just|claimed|low|almost|nearly|runn\w*|hurry)\b/i,
  },
  "Social Proof": {
    pattern: "fake-social-proof",
    words:
      /\b(?:bought|purchased|ordered|view(?:ed|ing|s)?|people|someone|customers?|visitors?|sold|watching|looking|added|carts?|booked)\b/i,
  },
  Misdirection: { pattern: "pressured-selling" },
};

const ANY_WORDS = Object.values(LEARNED).flatMap(({ words }) => words ?? []);

let loaded: LinearModel | undefined;

function committed(): LinearModel {
  loaded ??= loadModel("dark-pattern");
  return loaded;
}

export const darkThreshold = (): number => committed().card.threshold;

/** Judges one short text by itself. */
export const judgePatternText = (text: string): TextJudgement => judgePatternTextBy(committed(), text);

/** Judges a text of a page, where it can be telling: most of a page's texts have none of the words, and no model is asked of them. */
export function judgeTelling(text: string): TextJudgement | undefined {
  const read = text.slice(0, MAX_CHARS);
  if (!ANY_WORDS.some((words) => words.test(read)) && definitionOf(read, DEFINITIONS) === undefined)
    return undefined;
  const judgement = judgePatternText(text);
  return judgement.isTelling ? judgement : undefined;
}

/** @param model with the classes "dark" and the kinds, in this order */
export const judgePatternTextBy = (model: LinearModel, text: string): TextJudgement =>
  judged(model, text, DEFINITIONS);

/** Without the definitions: to measure what they add. */
export const judgePlainly = (model: LinearModel, text: string): TextJudgement => judged(model, text, []);

function judged(model: LinearModel, text: string, definitions: readonly Definition[]): TextJudgement {
  const read = text.slice(0, MAX_CHARS);
  const definition = definitionOf(read, definitions);
  const [dark, ...kinds] = model.logits(text);
  const [likeliest] = kinds
    .map((logit, i) => ({ kind: model.card.classes[i + 1]!, logit }))
    .filter(({ kind }) => kind in LEARNED)
    .sort((a, b) => b.logit - a.logit);
  const known = LEARNED[likeliest!.kind]!;
  return {
    dark: calibrated(model.card, dark! + (definition ? DEFINED : 0)),
    kind: definition?.kind ?? likeliest!.kind,
    pattern: definition?.pattern ?? known.pattern,
    isTelling: definition !== undefined || known.words?.test(read) === true,
  };
}

const definitionOf = (text: string, definitions: readonly Definition[]): Definition | undefined =>
  definitions.find(({ all }) => all.every((words) => words.test(text)));
