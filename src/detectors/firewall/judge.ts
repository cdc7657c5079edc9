/** How likely a text is an attack on the machine that reads it, by what the text is to that machine. */
import { BASE_RATE } from "../../../schemas/certainty.ts";
import type { TextRole } from "../../../schemas/finding.ts";
import { MAX_CHARS } from "../../classifiers/feature-reader.ts";
import { logistic, modelWeights } from "../../classifiers/linear-model.ts";
import { readCard } from "../../classifiers/model-card.ts";
import { type Scored, WindowModel } from "../../classifiers/window-model.ts";
import { decodeHidden, type Encoding, withoutInvisible } from "./decode.ts";
import { quotationMarksIn, quotationOf } from "./mention.ts";
import { type AttackKind, type Opening, openingsIn } from "./openings.ts";

/** Risks from which a text is warned of, and blocked. */
export const WARN_RISK = 0.4;
export const BLOCK_RISK = 0.8;

export type TextAction = "allow" | "warn" | "block";

/** A part of a text that is suspected. */
export interface JudgedSpan {
  readonly from: number;
  readonly to: number;
  readonly kind: AttackKind;
  /** Stable name of what found it: a rule of openings.ts, or `instruction` for the classifier. */
  readonly rule: string;
  readonly risk: number;
  readonly why: string;
  /** How it is disguised, and what it then says; its place is that of the disguise. */
  readonly encoding?: Encoding;
  readonly read?: string;
}

export interface Judgement {
  /** Probability from 0 to 1 that the text is an attack, where the share of `BASE_RATES` is. */
  readonly risk: number;
  readonly action: TextAction;
  /** What was found, the riskiest first. */
  readonly spans: readonly JudgedSpan[];
}

export interface Surroundings {
  /** No way of using the page shows the text. */
  readonly isHidden?: boolean;
  /** Words that are judged together with the text's: among many, some look like an attack by chance. */
  readonly among?: number;
}

/** Shares of attacks that probabilities assume: of what the web publishes far fewer are than of what agents are sent. */
export const BASE_RATES: Readonly<Record<TextRole, number>> = {
  page: 0.03,
  agent_document: 0.03,
  tool_description: BASE_RATE,
  tool_result: BASE_RATE,
  user: BASE_RATE,
};
/** What the classifier alone finds in a page or a document is warned of and cut; to block takes more. */
const MOST_BY_CLASSIFIER = BLOCK_RISK - 0.01;

/** Risks of openings by role: of what is an attack by itself, and of what is one beside another. */
const RISKS: Readonly<Record<TextRole, { readonly sure: number; readonly hint: number }>> = {
  page: { sure: 0.95, hint: 0.3 },
  agent_document: { sure: 0.9, hint: 0.2 },
  tool_description: { sure: 0.95, hint: 0.5 },
  tool_result: { sure: 0.97, hint: 0.5 },
  user: { sure: 0.9, hint: 0.5 },
};
/** What a hint loses by each doubling of the words around it. */
const HINT_STEP = 0.05;
/** In a page or a document: an attack that is only spoken of, and one that is quoted. */
const MENTIONED = 0.3;
const QUOTED = 0.6;
/** Hints so near each other speak of one thing. */
const NEAR = 400;
/** What hiding a text from people, or from filters, adds to the logit. */
const UNSEEN_LOGIT = 1.5;
/** Words of a text that needs no doubt, and doublings of them from which on there is no more: nobody is to hide in mere length. */
const WORDS_WITHOUT_DOUBT = 64;
const MOST_DOUBLINGS = 8;
/** Characters of a word and its blank, about. */
export const UNITS_A_WORD = 6;
/** Below this nothing is a finding. */
const LEAST_RISK = 0.3;
/** What two neighboring parts of a long text share: no opening is longer. */
const OVERLAP = 512;
const MAX_SPANS = 32;

const WHY: Readonly<Record<AttackKind, string>> = {
  override: "asks to drop the instructions that came before",
  impersonate: "imitates the system or gives the model another role",
  exfiltrate: "asks to send away or show what is not to be shown",
  credentials: "reaches for credentials",
  hide: "wants something kept from the user",
  pay: "asks for a payment or another account",
  run_code: "asks to run code",
  instruct: "gives orders to the machine that reads",
};

/** What the riskiest words of an attack want, the gravest first. */
const WANTS: readonly (readonly [AttackKind, RegExp])[] = [
  ["credentials", /\b(?:passwords?|credentials?|api[ _-]?keys?|ssh|tokens?|secrets?|2fa|otp)\b/i],
  ["pay", /\b(?:pay|payment|transfer|iban|bitcoin|wallet|refund|purchase|invoice)\b/i],
  ["exfiltrate", /\b(?:send|forward|upload|post|leak|exfiltrate|e-?mail)\b/i],
  ["run_code", /\b(?:curl|wget|bash|sudo|execute|shell|eval|rm -rf)\b/i],
  ["hide", /\b(?:do not|don't|never|without)\b.{0,40}\b(?:user|tell|mention|inform)/i],
  ["override", /\b(?:ignor|disregard|forget|overrid|bypass|previous)/i],
  ["impersonate", /\b(?:you are|act as|pretend|role|persona|mode)\b/i],
];

let loaded: WindowModel | undefined;

/** The committed classifier, read once. */
export function attackModel(): WindowModel {
  if (loaded === undefined) {
    const card = readCard("firewall");
    loaded = new WindowModel(card, modelWeights(card));
  }
  return loaded;
}

/** The one judgement of a text. Linear in its length; never throws. @param model another than the committed one, to measure it */
export function judgeText(
  text: string,
  role: TextRole,
  around: Surroundings = {},
  model = attackModel(),
): Judgement {
  const judge = new Judge(model, role, around);
  const plain = withoutInvisible(text);
  judge.read(withoutEscapes(plain), plain === text ? undefined : { from: 0, to: text.length });
  for (const { encoding, text: read, from, to } of decodeHidden(text))
    judge.read(read, { from, to, encoding });
  return judge.judgement();
}

/** How often the words of a text without doubt go into so many, by halves: what a calibration's `doubt` is multiplied by. */
export const doublingsOf = (words: number): number =>
  Math.min(MOST_DOUBLINGS, Math.log2(Math.max(1, words / WORDS_WITHOUT_DOUBT)));

/** Whether a risk is one to warn of, or to block. */
export const actionOf = (risk: number): TextAction =>
  risk >= BLOCK_RISK ? "block" : risk >= WARN_RISK ? "warn" : "allow";

interface Place {
  readonly from: number;
  readonly to: number;
  readonly encoding?: Encoding;
}

class Judge {
  readonly #model: WindowModel;
  readonly #role: TextRole;
  readonly #around: Surroundings;
  readonly #spans: JudgedSpan[] = [];
  #risk = 0;

  constructor(model: WindowModel, role: TextRole, around: Surroundings) {
    this.#model = model;
    this.#role = role;
    this.#around = around;
  }

  /** @param place where it stands, if not letter for letter */
  read(text: string, place: Place | undefined): void {
    for (let at = 0; at === 0 || at + OVERLAP < text.length; at += MAX_CHARS - OVERLAP) {
      const part = text.slice(at, at + MAX_CHARS);
      const prose = proseOf(part);
      let riskiest = this.#model.riskiest(prose);
      const openings = openingsIn(part, this.#model.reader);
      const isQuotable = openings.length > 0 && this.#isPublic && this.#isOpen(place);
      const marks = isQuotable ? quotationMarksIn(part) : [];
      const quotations = openings.map((opening) => quotationOf(part, marks, opening));
      const mentioned = openings.filter((_, i) => quotations[i] === "mentioned");
      if (mentioned.length > 0) riskiest = this.#model.riskiest(blanked(prose, mentioned));
      if (riskiest) this.#classified(part, at, riskiest, text.length, place);
      for (const [i, { rule, kind, from, to }] of openings.entries()) {
        const risk = this.#riskOf(openings, i, quotations[i], place, text.length);
        this.#keep({ rule, kind, risk, said: part.slice(from, to), from: at + from, to: at + to }, place);
      }
    }
  }

  judgement(): Judgement {
    this.#keepRiskiest();
    return { risk: this.#risk, action: actionOf(this.#risk), spans: this.#spans };
  }

  #classified(
    text: string,
    at: number,
    { from, to, logit }: Scored,
    length: number,
    place: Place | undefined,
  ): void {
    const { card, reader } = this.#model;
    const { scale, bias, doubt } = card.calibrations![this.#role];
    const more = this.#isOpen(place) ? 0 : UNSEEN_LOGIT;
    const doublings = this.#doublings(length);
    const probability = logistic(scale * logit + bias + more - doubt * doublings);
    const risk = this.#isPublic ? Math.min(probability, MOST_BY_CLASSIFIER) : probability;
    const [start, end] = [reader.starts[from]!, reader.ends[to - 1]!];
    const said = text.slice(start, end);
    const kind = WANTS.find(([, pattern]) => pattern.test(said))?.[0] ?? "instruct";
    this.#keep({ rule: "instruction", kind, risk, said, from: at + start, to: at + end }, place);
  }

  #riskOf(
    openings: readonly Opening[],
    at: number,
    quotation: ReturnType<typeof quotationOf>,
    place: Place | undefined,
    length: number,
  ): number {
    const { sure, hint: alone } = RISKS[this.#role];
    // Among many words some look like an attack by chance.
    const hint = Math.min(alone, Math.max(LEAST_RISK, alone - HINT_STEP * this.#doublings(length)));
    if (quotation === "mentioned") return MENTIONED;
    if (openings[at]!.isSure) return quotation === "quoted" ? QUOTED : sure;
    const isMore = !this.#isOpen(place) || isNearAnother(openings, at);
    return isMore ? (sure + hint) / 2 : hint;
  }

  /** Of the words of a text, or of those that it is judged among. @param length of the text */
  #doublings(length: number): number {
    return doublingsOf(Math.max(length / UNITS_A_WORD, this.#around.among ?? 0));
  }

  /** Published to anybody: what is quoted there is read by people, too. */
  get #isPublic(): boolean {
    return this.#role === "page" || this.#role === "agent_document";
  }

  #isOpen(place: Place | undefined): boolean {
    return !this.#around.isHidden && !place?.encoding;
  }

  #keep(
    { said, ...found }: Omit<JudgedSpan, "why"> & { readonly said: string },
    place: Place | undefined,
  ): void {
    this.#risk = Math.max(this.#risk, found.risk);
    if (found.risk < LEAST_RISK) return;
    const why = WHY[found.kind];
    this.#spans.push(place ? { ...found, ...place, read: said, why } : { ...found, why });
    if (this.#spans.length === 2 * MAX_SPANS) this.#keepRiskiest();
  }

  #keepRiskiest(): void {
    this.#spans.sort((a, b) => b.risk - a.risk).splice(MAX_SPANS);
  }
}

/** Whether an opening that wants something else stands near. @param openings of one text, in order */
function isNearAnother(openings: readonly Opening[], at: number): boolean {
  const { kind, from } = openings[at]!;
  for (const step of [-1, 1])
    for (let i = at + step; Math.abs((openings[i]?.from ?? Infinity) - from) < NEAR; i += step)
      if (openings[i]!.kind !== kind) return true;
  return false;
}

/** A text without its mentions, places kept. */
function blanked(text: string, mentioned: readonly Opening[]): string {
  let blank = "";
  for (const { from, to } of mentioned) {
    const start = Math.max(from, blank.length);
    if (to > start) blank += text.slice(blank.length, start) + " ".repeat(to - start);
  }
  return blank + text.slice(blank.length);
}

/** Addresses, bytes and drawings, which the classifier has never read: strange to it is not hostile. */
const NO_PROSE = /https?:\/\/[^\s<>"')\]]+|(?:\\x|0x)[0-9a-f]{2,}|[^\p{L}\p{N}\s]{4,}/giu;
const proseOf = (text: string): string => text.replace(NO_PROSE, (found) => " ".repeat(found.length));

/** JSON writes a new line as two characters, which would be taken for the beginning of a word. Places stay what they are. */
const withoutEscapes = (text: string): string =>
  text.includes("\\") ? text.replace(/\\[nrt]/g, "  ") : text;
