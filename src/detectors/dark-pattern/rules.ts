/** The Dark Pattern Detector's judgement of a page, or of two snapshots of it: pure, from what was seen. */

import { PATTERN_IDS, type PatternId, type PatternJudgement } from "../../../schemas/dark-pattern.ts";
import type { Evidence, Finding, Severity } from "../../../schemas/finding.ts";
import { calibrated, type LinearModel, loadModel } from "../../classifiers/linear-model.ts";
import { PhraseFinder } from "../../classifiers/phrase-finder.ts";
import { readTextModel } from "../../classifiers/text-model.ts";
import { type PageModel, readPageModel } from "../../pages/page-model.ts";
import { round } from "../risk.ts";
import { PATTERNS } from "./catalogue.ts";
import {
  CHOICES,
  confirmshaming,
  forcedAction,
  nagging,
  preselection,
  privacyZuckering,
  trickWording,
  visualInterference,
} from "./choices.ts";
import { type ConsentQuestion, consentQuestion } from "./consent.ts";
import { darkPatternRuleset, scoreOf } from "./grade.ts";
import { kindByRule, mayBeOfKind } from "./kinds.ts";
import {
  disguisedAds,
  hardToCancel,
  hiddenCosts,
  hiddenSubscription,
  MONEY,
  sneakIntoBasket,
} from "./money.ts";
import {
  baitAndSwitch,
  DATED,
  PRESSING,
  pressuredSelling,
  scarcity,
  socialProof,
  urgency,
} from "./pressure.ts";
import { type NotDeterminable, notDeterminable } from "./surfaces.ts";
import { type Hit, hit, inText, type View, viewOf } from "./view.ts";

export interface Snapshot {
  html: string | undefined;
  text: string | undefined;
  /** The rest of the page was not seen. */
  isPart?: boolean | undefined;
}

export interface DarkPatternInput {
  first: Snapshot;
  later: Snapshot | undefined;
  secondsLater: number | undefined;
}

export interface DarkPatternResult {
  patterns: PatternJudgement[];
  findings: Finding[];
  complete: boolean;
  ruleset_version: string;
}

interface Models {
  dark: LinearModel;
  kind: LinearModel;
}
let loaded: Models | undefined;

export interface TextJudgement {
  /** Probability that the text is one of the kinds, where half of the texts are. */
  dark: number;
  /** The likeliest kind, as ec-darkpattern names it. */
  kind: string;
}

/** What it takes from the log-odds that the likeliest kind cannot be meant. */
const NOT_OF_KIND = -1.5;

/** How much the log-odds of the likeliest kind, within bounds, say of whether a text is dark at all. */
const KIND_SHARE = 0.25;
const KIND_BOUND = 6;

/** What the classifier names, where it is sure: the rules know the words that they were given, it knows their like. */
const OF_KIND: Record<string, PatternId | undefined> = {
  Urgency: "fake-urgency",
  Scarcity: "fake-scarcity",
  "Social Proof": "fake-social-proof",
  Obstruction: "hard-to-cancel",
};
/** Words without which a text is none of the kind, however much it resembles its like; a clock stands for words of time. */
const REQUIRED: Partial<Record<PatternId, RegExp>> = {
  "fake-urgency": /hurry|end|expire|today|now|\blimited|soon|last|time|left|until|wait/i,
  // How much is in stock is a fact: that there is little of it is the claim.
  "fake-scarcity":
    /left|few|last|demand|sell|sold|gone|limited|remain|only|just|claimed|\blow\b|almost|nearly|runn|hurry/i,
  "fake-social-proof": /bought|purchas|order|view|people|someone|customer|visitor|sold|watch|looking|added/i,
  "hard-to-cancel": /cancel|renew|unsubscrib/i,
};
const CLOCK = /\d\s*:\s*\d/;
/** Of words alone: with the clock among them the engine takes twice as long. */
const ANY_REQUIRED = new RegExp(
  Object.values(REQUIRED)
    .map(({ source }) => source)
    .join("|"),
  "i",
);
const FINDER = new PhraseFinder([...PRESSING, ...MONEY, ...CHOICES, ANY_REQUIRED, CLOCK]);
const SURE = 0.97;
const LONGEST = 200;
const MAX_JUDGED = 4_000;

/** Confidences between which a judgement is too close to call. */
const CLOSE = { from: 0.35, to: 0.65 };

/** Judges one short text by itself. */
export const judgeText = (text: string): TextJudgement => judgeTextBy(models(), text);

/** Judges one short text by given classifiers, and by rules for the kinds that they saw too little of. */
export function judgeTextBy({ dark, kind }: Models, text: string): TextJudgement {
  const logits = kind.logits(text);
  const rule = kindByRule(text);
  const byLikelihood = kind.card.classes
    .map((name, i) => ({ name, logit: logits[i]! }))
    .sort((a, b) => b.logit - a.logit);
  const likeliest = byLikelihood.find(({ name }) => mayBeOfKind(name, text))!;
  const adds = rule?.adds ?? (likeliest === byLikelihood[0] ? 0 : NOT_OF_KIND);
  const byKind = KIND_SHARE * Math.max(-KIND_BOUND, Math.min(KIND_BOUND, likeliest.logit));
  return {
    dark: calibrated(dark.card, dark.logits(text)[0]! + adds + byKind),
    kind: rule?.kind ?? likeliest.name,
  };
}

function models(): Models {
  loaded ??= { dark: loadModel("dark-pattern"), kind: loadModel("dark-pattern-kind") };
  return loaded;
}

export const darkThreshold = (): number => models().dark.card.threshold;

/** Judges what was seen. Never throws for any input; a page of 1 MiB takes a tenth of a second. */
export function scanDarkPatterns({ first, later, secondsLater }: DarkPatternInput): DarkPatternResult {
  const page = modelOf(first);
  const laterPage = later && modelOf(later);
  const view = page && viewOf(page, FINDER);
  const laterView = laterPage && viewOf(laterPage, FINDER);
  const hits = view ? hitsOf(view, laterView, secondsLater) : [];
  const isWhole = page?.complete === true && first.isPart !== true;
  const unseen = notDeterminable(view, laterView, isWhole);
  return {
    patterns: PATTERN_IDS.map((pattern) => withAbstention(verdictOf(pattern, hits, unseen))),
    findings: findingsOf(hits),
    complete: isWhole && laterPage?.complete !== false,
    ruleset_version: darkPatternRuleset(),
  };
}

const modelOf = ({ html, text }: Snapshot) =>
  html !== undefined ? readPageModel(html) : text !== undefined ? readTextModel(text) : undefined;

function hitsOf(view: View, later: View | undefined, secondsLater: number | undefined): Hit[] {
  const byRules = [
    ...urgency(view, later, secondsLater),
    ...scarcity(view, later),
    ...socialProof(view, later),
    ...hiddenCosts(view, later),
    ...trickWording(view),
    ...preselection(view),
    ...hardToCancel(view),
    ...confirmshaming(view),
    ...hiddenSubscription(view),
    ...visualInterference(view),
    ...disguisedAds(view),
    ...nagging(view, later),
    ...sneakIntoBasket(view, later),
    ...baitAndSwitch(view, later),
    ...privacyZuckering(view),
    ...forcedAction(view),
    ...pressuredSelling(view),
  ];
  return [...byRules, ...byClassifier(view, byRules)];
}

function byClassifier(view: View, known: readonly Hit[]): Hit[] {
  const found: Hit[] = [];
  let judged = 0;
  const has = new Set(known.map(({ pattern }) => pattern));
  const bits = FINDER.bitOf(ANY_REQUIRED) | FINDER.bitOf(CLOCK);
  for (const { text, segment, may } of view.texts) {
    if ((may & bits) === 0 || text.length > LONGEST || text.length < 8) continue;
    if (!ANY_REQUIRED.test(text) && !CLOCK.test(text)) continue;
    if (++judged > MAX_JUDGED || found.length >= 10) break;
    if (models().dark.scores(text)[0]! < SURE) continue;
    const { dark, kind } = judgeText(text);
    const pattern = OF_KIND[kind];
    // An end with its date can be checked: that is information.
    const isDated = pattern === "fake-urgency" && DATED.test(text);
    if (pattern && !has.has(pattern) && !isDated && hasRequired(text, pattern))
      found.push(hit(pattern, "wording", false, dark * 0.8, inText(view, segment)));
  }
  return found;
}

const hasRequired = (text: string, pattern: PatternId): boolean =>
  REQUIRED[pattern]?.test(text) === true || (pattern === "fake-urgency" && CLOCK.test(text));

function withAbstention(judgement: PatternJudgement): PatternJudgement {
  const { verdict, confidence } = judgement;
  const isClose = confidence > CLOSE.from && confidence < CLOSE.to;
  return { ...judgement, abstain: verdict === "not_determinable" || (verdict !== "not_found" && isClose) };
}

function verdictOf(pattern: PatternId, hits: readonly Hit[], unseen: NotDeterminable): PatternJudgement {
  const own = hits.filter((one) => one.pattern === pattern);
  if (own.length === 0) {
    const reason = unseen[pattern];
    return reason === undefined
      ? {
          pattern,
          confidence: 0,
          verdict: "not_found",
          reason: "nothing of it was seen in what was looked at",
        }
      : { pattern, confidence: 0, verdict: "not_determinable", reason };
  }
  const best = own.reduce((a, b) =>
    (Number(b.deceptive) - Number(a.deceptive) || b.confidence - a.confidence) > 0 ? b : a,
  );
  return {
    pattern,
    verdict: best.deceptive ? "likely_deceptive" : "present",
    confidence: round(best.confidence),
    reason: best.deceptive
      ? `${best.rule}: ${PATTERNS[pattern].deceptive_when}`
      : `${best.rule}: seen, but not whether ${PATTERNS[pattern].deceptive_when}`,
  };
}

/** The worst first. */
const findingsOf = (hits: readonly Hit[]): Finding[] =>
  hits
    .toSorted((a, b) => Number(b.deceptive) - Number(a.deceptive) || b.confidence - a.confidence)
    .map(findingOf);

const findingOf = (one: Hit): Finding => ({
  rule_id: `${one.pattern}/${one.rule}`,
  category: one.pattern,
  severity: severityOf(one),
  confidence: round(one.confidence),
  evidence: one.evidence,
  refs: PATTERNS[one.pattern].mathur === "none" ? ["doi:10.1145/3173574.3174108"] : ["doi:10.1145/3359183"],
  remediation: PATTERNS[one.pattern].remediation,
});

const severityOf = ({ deceptive, confidence }: Hit): Severity =>
  deceptive ? (confidence >= 0.85 ? "high" : "medium") : "low";

/** What a page has chosen for its visitors, and how it asks them for consent: for other modules, which judge it by law. */
export function choicesIn(page: PageModel): {
  preselected: Evidence | undefined;
  consent: ConsentQuestion | undefined;
} {
  const view = viewOf(page, FINDER);
  return { preselected: preselection(view)[0]?.evidence, consent: consentQuestion(view) };
}

/** Of a page that is read already: how far it is free of the patterns, 0 to 1, as the audit scores what one snapshot shows, and why. */
export function darkPatternsOf(page: PageModel): { cleanness: number; findings: Finding[] } {
  const hits = hitsOf(viewOf(page, FINDER), undefined, undefined);
  const score = scoreOf(PATTERN_IDS.map((pattern) => verdictOf(pattern, hits, {})));
  return { cleanness: score / 100, findings: findingsOf(hits) };
}
