/**
 * What stands around a quotation: whether somebody reports it as an attack, or gives it to the reader. In English, German and
 * French; what no rule here reads stays an attack (docs/decisions/0095-quoted-attacks.md).
 */
import type { Span } from "./span.ts";

/** Characters before and after a quotation in which it is said to be one. */
const NEAR_BEFORE = 200;
const NEAR_AFTER = 140;

/** Verbs and nouns of reporting, and verbs that tell what happened. */
const REPORTS = [
  /\b(?:show(?:s|ed|n)?|reads?|wr(?:ote|ites?|itten)|quot(?:e|es|ed|ing)|sa(?:id|ys)|tells?|explain(?:s|ed)?|describ(?:e|es|ed)|demonstrat\w+|such as|like|phrases?|sentences?|strings?|lines?|contain(?:s|ed)|typ(?:es|ed)|enter(?:s|ed)|found|examples?|samples?|hid(?:es|den)?|put|plant(?:s|ed)|embed(?:s|ded)|print(?:s|ed)|lists?|listed|block(?:s|ed)?|catch(?:es)?|caught|detect(?:s|ed)?|report(?:s|ed)?|use(?:s|d)?|frequent|\w{3,12}ed|sent|broke|took|made|gave|answers?|treats?|compares?|works?|had|was|were|posts|form of|ending in|following)\b/i,
  /\b(?:schr(?:ieb|eibt)|st(?:and|eht)|enth(?:ielt|ält)|laute(?:t|te)|hieß|heißt|las|fand|fanden|zeig(?:t|te|ten)|gab|bekam|tippte|etwa|wie|beispiels?\w*|wurden?|hatten?|haben|ge[a-zäöüß]{3,12}(?:t|en))\b/i,
  /\b(?:écri\w*|conten\w+|contient|contiennent|disait|dit|lisait|telle?s? que|comme|exemples?|cach\w+|envoy\w+|trouv\w+|plac\w+|insér\w+|ont|avait|avaient)(?![\p{L}])/iu,
];

/** Words of the subject: attacks, those who make and study them, and what reads them. */
const SUBJECT = [
  /\b(?:injections?|jailbreaks?|attack(?:s|er|ers|ed)?|exploits?|payloads?|adversar\w+|malicious|researchers?|security|vulnerabilit\w+|hack(?:s|ed|ers?)?|filters?|models?|chatbots?|bots?|LLMs?|prompts|audits?|moderators?|screenshots?|red teams?|phishing|malware|worms?|scams?|pranks?|guardrails?|(?:many|most|the|some|several) (?:AI )?assistants?|hidden (?:texts?|prompts?|sentences?|instructions?))\b/i,
  /(?:angr(?:iff|eif)|injection|schwachstelle|sicherheitslücke|schadcode|schädlich|manipuliert|präpariert|eingeschleust|einschleusen|überlistet|ausgetrickst|hacker|betrüger|forscher|chatbot|sprachmodell)/i,
  /(?:attaqu|injection|vulnérab|failles?\b|pirat|malveillant|piég|chercheurs|chatbot|modèles? )/i,
];

/** Where attacks stand that people are not to see: an article says so, who dresses one does not. */
const HIDING =
  /\b(?:(?:white|gr[ae]y|faint|tiny|invisible|hidden) (?:letters?|text|type|print|fonts?|ink)|alt texts?|metadata|in(?:to)? (?:a|the) (?:footer|comment|description)|weißer schrift|versteckt\w*|unsichtbar\w*|invisibles?|en blanc|cachée?s?)(?![\p{L}])/iu;

const MACHINES =
  /^(?:assistants?|agents?|models?|chatbots?|bots?|machines?|robots?|computers?|ais?|llms?|planners?|copilots?|panels?|crawlers?|apps?|software|assistenten?|agenten?|modelle?|roboter|rechner|ki|modèles?|ia|logiciels?)$/;
const DETERMINERS =
  /^(?:the|an?|its?|their|his|her|my|our|one|every|each|many|most|some|several|other|two|three|ten|no|old|older|der|die|das|ein|eine|sein|seine|ihr|mein|viele|alle|le|la|les|un|une|des|son|sa|mon|plusieurs)$/;
/** Past and present forms of what a machine does that was told something. */
const REACTS =
  /(?:ed|s)$|^(?:did|took|fell|sent|gave|told|began|went|wrote|came|made|let|left|read|had|was|wollte|tat|gab|fiel|ließ|obéi|obtempéré|exécuté|succombent|fait)$|(?:te|ten)$|^ge[\p{L}]{3,}$/u;
const AFTER_DETERMINER = 3;
const AFTER_MACHINE = 5;

/** Words that speak to somebody or oblige them; they count in the quotation's sentence and the next one. */
const SPEAKS = [
  /\b(?:you|your|yours|yourself|please|must|should|shall|have to|has to|dear|hereby)\b/i,
  /\b(?:du|dich|dir|dein\w{0,2}|Ihnen|Ihr|Ihre|bitte|muss|müssen|musst|soll(?:en|st)?)\b/,
  /\b(?:tu|toi|tes|ton|vous|votre|vos|veuillez|doi(?:s|t|vent)|devez|suivez|obéissez|obéis)\b/,
];
/** Orders that open a sentence or follow on one, calls, and notes to machines; they count in the whole paragraph. */
const ORDERS =
  /(?:^|[.!?:;…]\s{0,4}|\b(?:now|then|also) )(?:follow|obey|comply|do|execute|carry|perform|apply|act|answer|reply|respond|send|say|write|treat|consider|accept|remember|repeat|continue|ignore|forget|disregard)\b|\b(?:and|to|must|should|shall|please|can|may) (?:follow|obey|comply|execute|perform|heed|apply)\b|^\W{0,4}(?:AI|assistants?|agents?|chatbots?|bots?|models?)\s{0,3}[,:!]|\b(?:note|notice|message|attention|instructions?|configuration|rules|steps|orders) (?:to|for|of|that) (?:the |all |any |this )?(?:AI|assistants?|agents?|models?|bots?|LLMs?|automated)\b/i;
/** What makes a quotation the speaker's own: it holds, is approved, or is said by who has a say on the page or the reader. */
const AFFIRMS =
  /\b(?:motto|slogan|proverb|saying|policy|in force|valid|binding|bound|binds?|appl(?:y|ies)|mandatory|required|stands? for|believes?|means? it|right|proud|love[sd]?|famous|best|official|approved|recommended|trusted|agreed|gilt|gelten|motto|recht|devise|vaut|valable)\b/i;
const AUTHORITY =
  /\b(?:(?:our|my|unser\w{0,2}|mein\w{0,2}|notre|nos) [\p{L}' -]{2,40}|(?:the|this|der|die|das|le|la|les|l['’])\s?(?:[\p{L}'’]{1,20} )?(?:site|shop|store|company|operators?|owners?|vendors?|developers?|administrators?|system|users?|clients?|customers?|contract|terms|manual|betreiber|nutzer|entwickler|utilisateur|exploitant)\b[\p{L}'’ ,-]{0,40})$/iu;
const AUTHORITY_SAYS =
  /\b(?:says?|said|reads?|wrote|writes|states?|stated|published|sent|is|are|was|asks?|asked|wants?|wanted|stands|sagt|schreibt|schrieb|lautet|steht|ist|dit|est)\b[^.!?]{0,30}$/i;
/** Works of those who study attacks quote them as theirs. */
const STUDIES =
  /\b(?:tests?|benchmark|study|survey|paper|scanner|filters?|data ?set|experiments?|reproduction|suite|corpus|logs?|audit|thesis|report|attack\w*|inject\w*|exploit\w*|payloads?|angr\w+|attaqu\w+)\b/i;

const END = /[.!?…]["”»]?\s/g;

/** What the page says around the segment with a quotation; what takes time is asked where a quotation needs it. */
export interface Surroundings {
  /** The open texts before the segment. */
  readonly before: string;
  /** The open text after it. */
  readonly after: () => string;
  /** Whether the rest of the page's open text is about attacks. */
  readonly isAboutAttacks: () => boolean;
}

const LEADS = /["“„«\s:,]/u;

const ENDORSES =
  /(?:^|[.!?:;"”]\s{0,4}|\b(?:and|now|then|please|must|should|shall|will|to|you) )(?:follow|obey|execute|carry out|comply with|act on|perform|heed)\b[^.!?\n]{0,30}\b(?:it|that|this|these|those|them|above|quoted|quotations?|instructions?|orders?|commands?|sentences?|lines?)\b|\bdo (?:exactly )?(?:what|as) (?:it|that|they|he|she|the|is)\b/i;
const ENDORSES_ELSEWHERE =
  /\b(?:befolge?n?|gehorche?n?|folgen? Sie|führe?n?)\b[^.!?\n]{0,30}\b(?:Anweisung\w*|Befehle?n?|Satz|Sätze|Aufforderung)\b|\b(?:suis|suivez|obéis|obéissez|exécute[rz]?|applique[rz]?)\b[^.!?\n]{0,30}\b(?:instructions?|ordres?|phrases?|consignes?)\b/i;

/** Whether a quotation is approved of, or said by who has a say on the page or the reader: it is meant. */
export function isMeant(around: string, span: Span): boolean {
  const { from, to } = sentencesAround(around, span);
  return AFFIRMS.test(around.slice(from, to)) || isOwn(withoutLead(around.slice(from, span.from)));
}

/** Where the sentence of a place begins, and where the one after it ends. */
function sentencesAround(text: string, { from, to }: Span): Span {
  let start = 0;
  END.lastIndex = 0;
  for (let match = END.exec(text); match && match.index < from; match = END.exec(text))
    start = match.index + match[0].length;
  END.lastIndex = to;
  const first = END.exec(text);
  const second = first && END.exec(text);
  return { from: start, to: second ? second.index + 1 : text.length };
}

/** Whether the words before a quotation name a speaker who has a say on the page or the reader, and no study. */
function isOwn(before: string): boolean {
  const says = AUTHORITY_SAYS.exec(before);
  return says !== null && AUTHORITY.test(before.slice(0, says.index).trimEnd()) && !STUDIES.test(before);
}

/** The words before a quotation, without its mark and what leads to it. */
function withoutLead(before: string): string {
  let end = before.length;
  while (end > 0 && LEADS.test(before[end - 1]!)) end--;
  return before.slice(0, end);
}

/**
 * Whether what stands around a quotation in its paragraph says that somebody reports it.
 * @param around the paragraph, quotations blank
 */
export function isReported(
  around: string,
  span: Span,
  { before, after, isAboutAttacks }: Surroundings,
): boolean {
  const near = `${around.slice(Math.max(0, span.from - NEAR_BEFORE), span.from)} … ${around.slice(span.to, span.to + NEAR_AFTER)}`;
  const neighbors = (): string => `${before.slice(-NEAR_BEFORE)} ${near} ${after().slice(0, NEAR_AFTER)}`;
  return isMention(around, span) && isTold(near, neighbors, isAboutAttacks);
}

/** Whether a quotation is only mentioned: nothing speaks to a reader or a machine, and nobody means what is quoted. */
function isMention(around: string, span: Span): boolean {
  if (ORDERS.test(around)) return false;
  const { from, to } = sentencesAround(around, span);
  return !anyOf(SPEAKS, around.slice(from, to)) && !isMeant(around, span);
}

const anyOf = (patterns: readonly RegExp[], text: string): boolean =>
  patterns.some((pattern) => pattern.test(text));

/** Whether the words near a quotation report something, and they or the page are about attacks. */
const isTold = (near: string, neighbors: () => string, isAboutAttacks: () => boolean): boolean =>
  anyOf(REPORTS, near) &&
  (anyOf(SUBJECT, near) || HIDING.test(near) || tellsOfMachine(neighbors()) || isAboutAttacks());

/** Whether a text tells that a machine did something: "the assistant obeyed", "its old chatbot fell for it". */
function tellsOfMachine(text: string): boolean {
  const words = text.toLowerCase().match(/[\p{L}\p{N}]+|[.!?]/gu) ?? [];
  for (let i = 1; i < words.length; i++) {
    if (!MACHINES.test(words[i]!)) continue;
    const hasDeterminer = words
      .slice(Math.max(0, i - AFTER_DETERMINER), i)
      .some((word) => DETERMINERS.test(word));
    if (!hasDeterminer) continue;
    for (let after = i + 1; after < words.length && after <= i + AFTER_MACHINE; after++) {
      if (/[.!?]/.test(words[after]!)) break;
      if (REACTS.test(words[after]!)) return true;
    }
  }
  return false;
}

/** Whether a text that introduces a block, or the items of a list, says that they are reported. */
export function isIntroduced(introduction: string, { isAboutAttacks }: Surroundings): boolean {
  const near = introduction.slice(-NEAR_BEFORE);
  return isMention(near, { from: near.length, to: near.length }) && isTold(near, () => near, isAboutAttacks);
}

/** Whether an item of a list or table, which says nothing but its quotation, stands in one of attacks. */
export function isListed({ before, isAboutAttacks }: Surroundings): boolean {
  const near = before.slice(-NEAR_BEFORE);
  return isMention(near, { from: near.length, to: near.length }) && anyOf(SUBJECT, near) && isAboutAttacks();
}

/** Whether a text tells to obey what another one quotes. */
export const endorses = (text: string): boolean => ENDORSES.test(text) || ENDORSES_ELSEWHERE.test(text);
