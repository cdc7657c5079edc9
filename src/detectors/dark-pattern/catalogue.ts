/** The seventeen patterns: what each is, and what must be seen to judge it. */
import type { PatternId } from "../../../schemas/dark-pattern.ts";

/** What the surfaces are on which a pattern shows, of the page as it was sent. */
export const SURFACES = {
  text: "a heading and two sentences of text",
  offer: "something that is offered for a price or can be ordered",
  choice: "a box or an option",
  question: "a question that can be declined",
  "styled question": "a question that can be declined, and no style sheets beside the page",
  consent: "a dialog that asks for consent",
  contract: "words of a contract that could be canceled",
  basket: "a basket, or a later step of the purchase",
  "advertised price": "the price that is advertised, or a later step of the purchase",
  "next step": "a later step of the purchase",
  "next visit": "a dialog, or the page at a later visit",
} as const;
export type Surface = keyof typeof SURFACES;

export interface PatternSpec {
  readonly name: string;
  readonly description: string;
  /** Category of Mathur and others, 2019 (doi:10.1145/3359183), or "none". */
  readonly mathur: string;
  /** What turns presence into likely deception. */
  readonly deceptive_when: string;
  /** What must be seen so that the pattern could show: without it nothing is said of the pattern. */
  readonly needs: Surface;
  readonly remediation: string;
}

export const PATTERNS: Readonly<Record<PatternId, PatternSpec>> = {
  "fake-urgency": {
    name: "Fake urgency",
    description: "A countdown or limited time presses to decide now.",
    mathur: "Urgency",
    deceptive_when: "the time starts anew with every visit, or has no end that is told",
    needs: "text",
    remediation: "State the real end of the offer with date and time zone, and end it then.",
  },
  "fake-scarcity": {
    name: "Fake scarcity",
    description: "Low stock or high demand presses to decide now.",
    mathur: "Scarcity",
    deceptive_when: "the number is made up in the page, or rises by itself",
    needs: "text",
    remediation: "Show the true stock, or none.",
  },
  "fake-social-proof": {
    name: "Fake social proof",
    description: "What others do, look at or buy is shown to press.",
    mathur: "Social Proof",
    deceptive_when: "names or numbers are made up in the page",
    needs: "text",
    remediation: "Show only activity that can be proved, with its time.",
  },
  "hidden-costs": {
    name: "Hidden costs",
    description: "Fees come up only late in the purchase.",
    mathur: "Sneaking",
    deceptive_when: "a fee or a higher total appears that the earlier step did not show",
    needs: "next step",
    remediation: "Show the whole price, all unavoidable fees included, from the first step.",
  },
  "trick-wording": {
    name: "Trick wording",
    description: "Double negatives or confusing words turn a choice around.",
    mathur: "Misdirection",
    deceptive_when: "the wording stands at a control and its plain reading is the opposite of its effect",
    needs: "text",
    remediation: "Ask one plain question per control; ticking means yes.",
  },
  preselection: {
    name: "Preselection",
    description: "A choice that serves the seller is made already.",
    mathur: "Misdirection",
    deceptive_when: "it costs money or gives consent",
    needs: "choice",
    remediation: "Leave optional choices open.",
  },
  "hard-to-cancel": {
    name: "Hard to cancel",
    description: "Signing up is easy, leaving is not.",
    mathur: "Obstruction",
    deceptive_when: "one signs up here online, and can only leave by phone, letter or visit",
    needs: "contract",
    remediation: "Let people leave the way they came, with no more steps.",
  },
  confirmshaming: {
    name: "Confirmshaming",
    description: "Saying no is worded so that one is ashamed to.",
    mathur: "Misdirection",
    deceptive_when: "it is the only way to decline",
    needs: "question",
    remediation: "Name the refusal plainly: No, thanks.",
  },
  "hidden-subscription": {
    name: "Hidden subscription",
    description: "A free trial or single purchase becomes a subscription.",
    mathur: "Sneaking",
    deceptive_when: "the renewal is hidden, tiny or faint beside the offer, or comes with another purchase",
    needs: "offer",
    remediation: "State price, period and renewal beside the button, as large as the offer.",
  },
  "visual-interference": {
    name: "Visual interference",
    description: "One choice is made easy to see and the other hard.",
    mathur: "Misdirection",
    deceptive_when: "the refusal can hardly be read",
    needs: "styled question",
    remediation: "Give both choices the same size, contrast and kind of control.",
  },
  "disguised-ads": {
    name: "Disguised ads",
    description: "Advertising looks like content or controls.",
    mathur: "none",
    deceptive_when: "its label is hidden or cannot be read",
    needs: "text",
    remediation: "Label advertising beside it, legibly.",
  },
  nagging: {
    name: "Nagging",
    description: "The same request again and again, with no way to say no for good.",
    mathur: "none",
    deceptive_when: "the page itself repeats it by a timer, or a second snapshot shows it again",
    needs: "next visit",
    remediation: "Take no for an answer and remember it.",
  },
  "sneak-into-basket": {
    name: "Sneak into basket",
    description: "Something is in the basket that nobody put there.",
    mathur: "Sneaking",
    deceptive_when: "it is paid, and was added without being chosen",
    needs: "basket",
    remediation: "Put in the basket only what the customer chose.",
  },
  "bait-and-switch": {
    name: "Bait and switch",
    description: "What is advertised is not what one gets.",
    mathur: "none",
    deceptive_when: "the price or product differs from the advertised one when one goes on",
    needs: "advertised price",
    remediation: "Advertise what can be bought, at the price it is sold for.",
  },
  "privacy-zuckering": {
    name: "Privacy zuckering",
    description: "People are led to share more data than they mean to.",
    mathur: "none",
    deceptive_when: "purposes are ticked already, or consent is taken from going on",
    needs: "consent",
    remediation: "Offer refusal beside consent, at the same level, with nothing ticked.",
  },
  "forced-action": {
    name: "Forced action",
    description: "Something else must be done to get what one came for.",
    mathur: "Forced Action",
    deceptive_when: "consent to marketing is bundled with something that is required",
    needs: "text",
    remediation: "Let people go on without it; ask for each consent alone.",
  },
  "pressured-selling": {
    name: "Pressured selling",
    description: "Dearer or additional products are pressed on the customer.",
    mathur: "Misdirection",
    deceptive_when: "fear or guilt is used on somebody who declined or wants to leave",
    needs: "offer",
    remediation: "Offer once, neutrally, and let the customer go on.",
  },
};
