/**
 * Kinds of which there are few examples to learn from, told by rules: definitions of Mathur and others, "Dark Patterns at
 * Scale" (2019, doi:10.1145/3359183), Table 1. A rule adds to the classifier's log-odds and names the kind.
 */

interface KindRule {
  /** As ec-darkpattern names it. */
  readonly kind: string;
  /** The definition that a match is an instance of. */
  readonly definition: string;
  /** Each of them matches. */
  readonly all: readonly RegExp[];
  /** What it adds to the log-odds that the text is dark. */
  readonly adds: number;
}

/** Characters of a text that rules read. */
const MAX_CHARS = 1_000;

const CONFIRMSHAMING =
  "Confirmshaming: uses language and emotion to steer users away from making a certain choice";
const PRESSURED_SELLING =
  "Pressured selling: high-pressure tactics that steer users into more expensive or related products";
const HIDDEN_COSTS = "Hidden costs: charges that are told right before a purchase is made";
const HIDDEN_SUBSCRIPTION =
  "Hidden subscription: a recurring fee under the pretense of a one-time fee or a free trial";

const KIND_RULES: readonly KindRule[] = [
  {
    kind: "Misdirection",
    definition: CONFIRMSHAMING,
    all: [/^\W{0,3}no\b[,.!]?\s{0,2}(?:thanks|thank you|i\b|i['’])/i],
    adds: 3,
  },
  {
    kind: "Misdirection",
    definition: CONFIRMSHAMING,
    all: [/^\W{0,3}i (?:don['’]?t|do not) (?:want|like|need) /i],
    adds: 3,
  },
  {
    kind: "Misdirection",
    definition: CONFIRMSHAMING,
    all: [
      /^\W{0,3}(?:(?:nope|nah|not (?:now|today|for me)|maybe later|skip|decline)\W{1,4})?(?:i['’](?:d|ll) (?:rather|prefer|pay|pass|risk|take my chances)|i (?:would|will) (?:rather|prefer|pay|risk)|i (?:prefer|like|love|enjoy) (?:to )?(?:pay|miss|wast|wait|overpay)|let me (?:pay|miss|overpay))/i,
    ],
    adds: 3,
  },
  {
    kind: "Misdirection",
    definition: CONFIRMSHAMING,
    all: [
      /^\W{0,3}(?:order|buy|continue|proceed|book|check ?out) without (?!an? account|logging|signing|regist)/i,
    ],
    adds: 3,
  },
  {
    kind: "Misdirection",
    definition: PRESSURED_SELLING,
    all: [
      /\b(?:want|would you like|why not|don['’]?t forget|remember) (?:to )?(?:add|buy more)\b|\bbefore you (?:check ?out|pay|go)\b|\bhighly recommend(?:ed)? (?:for|with|to)\b|\bcomplete (?:your|the) (?:look|set|outfit|order)\b|\bmake sure you (?:also )?have\b/i,
    ],
    adds: 2,
  },
  {
    kind: "Misdirection",
    definition: PRESSURED_SELLING,
    all: [
      /\b(?:customers?|shoppers|others) also (?:bought|shopped|purchased)|\bfrequently bought together|\b(?:upgrade|add) my (?:order|purchase)|\bspin (?:to|the wheel)\b/i,
    ],
    adds: 2,
  },
  {
    kind: "Misdirection",
    definition: PRESSURED_SELLING,
    all: [/\b(?:add|bundle|grab)\b/i, /(?:and|&) (?:save|get)\b/i],
    adds: 2,
  },
  {
    kind: "Obstruction",
    definition: "Hard to cancel: easy to sign up for, and to cancel by calling, writing or asking somebody",
    all: [
      /\bcancel/i,
      /\b(?:call|calling|phone|telephone|contact|contacting|emailing|customer (?:service|care|support))\b/i,
    ],
    adds: 2,
  },
  {
    kind: "Sneaking",
    definition: HIDDEN_COSTS,
    all: [/\b(?:service|handling|processing|convenience|booking|care)\b/i, /[$€£]\s?\d/, /\btotal\b/i],
    adds: 3,
  },
  {
    kind: "Sneaking",
    definition: HIDDEN_COSTS,
    all: [/\b(?:delivery|shipping|fee|charge)/i, /\btotal\b/i, /(?:[$€£]\s?\d[^$€£]{1,80}){3}[$€£]/],
    adds: 3,
  },
  {
    kind: "Sneaking",
    definition: HIDDEN_SUBSCRIPTION,
    all: [
      /\bfree (?:shipping|delivery) with\b/i,
      /\b(?:member(?:ship)?|club|prime|plus|pass|premium|advantage|vip|rewards)\b/i,
    ],
    adds: 3,
  },
  {
    kind: "Sneaking",
    definition: HIDDEN_SUBSCRIPTION,
    all: [/\bfree\b/i, /\b(?:trial|membership)\b/i, /\bwith (?:this|your) (?:order|purchase)/i],
    adds: 3,
  },
  {
    kind: "Sneaking",
    definition: HIDDEN_SUBSCRIPTION,
    all: [/\bsubscription auto(?:matically)?[- ]?renews\b/i],
    adds: 3,
  },
  {
    kind: "Sneaking",
    definition: "Sneak into basket: adds products to users' baskets without their consent",
    all: [/\b(?:insurance|protection|warranty|donation)\b/i, /\bremove\b/i],
    adds: 3,
  },
  {
    kind: "Forced Action",
    definition: "Forced enrollment: coerces users to give their information to complete their tasks",
    all: [
      /\bi agree to (?:receive|be contacted)\b|\byou must (?:create an account|register|sign up|log in) (?:to|before)\b/i,
    ],
    adds: 1.5,
  },
];

/** Words without which a text is no instance of the kind's definition, however much it resembles one. */
const NEEDED: Readonly<Record<string, RegExp>> = {
  Obstruction: /cancel|renew|unsubscrib|opt(?:ing)?[- ]?out|do not wish|recurring|enrolled/i,
  Sneaking:
    /fee|charge|total|trial|member|club|subscri|renew|protect|insur|warrant|donat|support|handling|shipping|delivery|added/i,
  "Forced Action": /agree|must|requir|regist|sign(?:ing)? (?:up|in)|account|log ?in/i,
};

/** Whether a text may be of a kind at all, by the kind's definition. */
export const mayBeOfKind = (kind: string, text: string): boolean =>
  NEEDED[kind]?.test(text.slice(0, MAX_CHARS)) ?? true;

/** The rule that a text matches first, if any. */
export function kindByRule(text: string): KindRule | undefined {
  const read = text.slice(0, MAX_CHARS);
  return KIND_RULES.find(({ all }) => all.every((pattern) => pattern.test(read)));
}
