/** The Dark Pattern Detector's judgement of a page, or of two snapshots of it: pure, from what was seen. */

import { PATTERN_IDS, type PatternId, type PatternJudgement } from "../../../schemas/dark-pattern.ts";
import type { Evidence, Finding, Severity } from "../../../schemas/finding.ts";
import { readTextModel } from "../../classifiers/text-model.ts";
import { spokenLanguage } from "../../pages/language.ts";
import { type PageModel, readPageModel } from "../../pages/page-model.ts";
import { round } from "../risk.ts";
import { PATTERNS } from "./catalogue.ts";
import {
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
import { disguisedAds, hardToCancel, hiddenCosts, hiddenSubscription, sneakIntoBasket } from "./money.ts";
import {
  baitAndSwitch,
  DATED,
  OPENING,
  pressuredSelling,
  scarcity,
  socialProof,
  urgency,
} from "./pressure.ts";
import { type NotDeterminable, notDeterminable } from "./surfaces.ts";
import { judgeTelling } from "./texts.ts";
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

/** Texts that are judged by their words: longer ones are articles and conditions, shorter ones say nothing. UTF-16 units. */
const [SHORTEST, LONGEST] = [8, 600];
const MAX_JUDGED = 4_000;
const MAX_FOUND = 10;
/** A page has hundreds of texts, of which one in a thousand is dark: probability, where half are, from which one is told. */
export const SURE = 0.9;
/** The rule that is named for it. */
export const WORDING = "wording";

/** Confidences between which a judgement is too close to call. */
const CLOSE = { from: 0.35, to: 0.65 };

/** Judges what was seen. Never throws for any input; a page of 1 MiB takes a tenth of a second. */
export function scanDarkPatterns({ first, later, secondsLater }: DarkPatternInput): DarkPatternResult {
  const page = modelOf(first);
  const laterPage = later && modelOf(later);
  const view = page && viewOf(page);
  const laterView = laterPage && viewOf(laterPage);
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
  return [...byRules, ...byWords(view, byRules)];
}

/** What texts are by their words alone, of patterns that no rule found; the classifier knows English. */
function byWords(view: View, known: readonly Hit[]): Hit[] {
  const language = spokenLanguage(view.whole, view.page.language);
  if (language !== null && language !== "en") return [];
  const has = new Set(known.map(({ pattern }) => pattern));
  const found: Hit[] = [];
  for (const { text, segment } of view.texts
    .filter(({ text }) => text.length >= SHORTEST && text.length <= LONGEST)
    .slice(0, MAX_JUDGED)) {
    if (found.length >= MAX_FOUND) break;
    const judged = judgeTelling(text);
    if (!judged) continue;
    const { dark, pattern } = judged;
    // An end with its date can be checked, and hours when a shop is open: that is information.
    const isFact = pattern === "fake-urgency" && (DATED.test(text) || OPENING.test(text));
    if (dark >= SURE && !has.has(pattern) && !isFact)
      found.push(hit(pattern, WORDING, false, dark * 0.8, inText(view, segment)));
  }
  return found;
}

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
  const view = viewOf(page);
  return { preselected: preselection(view)[0]?.evidence, consent: consentQuestion(view) };
}

/** Of a page that is read already: how far it is free of the patterns, 0 to 1, as the audit scores what one snapshot shows, and why. */
export function darkPatternsOf(page: PageModel): { cleanness: number; findings: Finding[] } {
  const hits = hitsOf(viewOf(page), undefined, undefined);
  const score = scoreOf(PATTERN_IDS.map((pattern) => verdictOf(pattern, hits, {})));
  return { cleanness: score / 100, findings: findingsOf(hits) };
}
