/** The Agent Firewall's judgement of a page, a text or an address: pure, from what was seen. */

import { ABSTAIN_BAND, BASE_RATE, type Certainty } from "../../../schemas/certainty.ts";
import type { Finding, FirewallVerdict, Severity } from "../../../schemas/finding.ts";

import { calibrated } from "../../classifiers/linear-model.ts";
import { readTextModel } from "../../classifiers/text-model.ts";
import type { Channel } from "../../pages/channels.ts";
import type { Concealment } from "../../pages/computed-style.ts";
import { collapsed } from "../../pages/element.ts";
import { evidenceIn } from "../../pages/evidence.ts";
import { type PageModel, readPageModel, type Segment } from "../../pages/page-model.ts";
import { round } from "../risk.ts";
import { decodeHidden, type Encoding, withoutInvisible } from "./decode.ts";
import { elementFindings, type LinkFinding, markdownFindings, urlFinding } from "./links.ts";
import { MAY_HOLD_PHRASE, phrasesIn } from "./phrases.ts";
import { doubtOf, HIDDEN_ENOUGH, hiddenness, models, riskOfText } from "./text-risk.ts";
import { rulesetVersion } from "./version.ts";

/** Risk from which a page is blocked. From the models' threshold on it is warned of. */
const BLOCK_RISK = 0.8;
/** Risk from which a text is a finding. */
const RISK_KEPT = 0.3;
const MAX_FINDINGS = 100;
const MAX_SANITIZED = 256 * 1024;

export interface FirewallInput {
  url: string | undefined;
  html: string | undefined;
  text: string | undefined;
  /** HTML or plain text, as its markup shows; beside `html` it is text. */
  content?: string | undefined;
  /** The page at `url`, or a part of it, was not seen: what was found in the rest allows nothing. */
  isUnseen?: boolean | undefined;
  /** What was confirmed of the address before. */
  reported?: readonly LinkFinding[];
}

export interface FirewallResult {
  verdict: FirewallVerdict;
  /** 0 to 1; null where the verdict is `unknown`. */
  risk_score: number | null;
  /** Of the risk; null where the verdict is `unknown`. */
  certainty: Certainty | null;
  findings: Finding[];
  sanitized_content: string | null;
  sanitized_truncated: boolean;
  /** How much was scanned. */
  scanned: { segments: number; hidden_segments: number; complete: boolean };
  ruleset_version: string;
  /** The content was read as HTML. */
  content_is_html: boolean;
  /** A page shows no text at all until its scripts have run. */
  needs_scripts: boolean;
}

export const warnThreshold = (): number => models().attack.card.threshold;

const severityOf = (risk: number): Severity =>
  risk >= 0.9 ? "critical" : risk >= 0.7 ? "high" : risk >= warnThreshold() ? "medium" : "low";

const REFS = {
  injection: ["OWASP LLM01:2025", "arXiv:2302.12173"],
  hidden: ["OWASP LLM01:2025", "CWE-451"],
  exfiltration: ["OWASP LLM02:2025", "CWE-201"],
  phishing: ["MITRE ATT&CK T1566", "UTS #39"],
  reported: ["MITRE ATT&CK T1566"],
} as const;

interface Suspect {
  finding: Finding;
  risk: number;
  segment: Segment | undefined;
}

/** Marks beside which an encoding is named in a finding's rule. */
const ruleOf = (segment: Segment, kind: "attack" | "request", encoding: Encoding | undefined): string => {
  if (encoding) return `encoded-instruction-${encoding}`;
  const isHidden = hiddenness(segment) >= HIDDEN_ENOUGH;
  return isHidden ? (kind === "request" ? "hidden-request" : "hidden-instruction") : "instruction";
};

const channelName = ({ channel, concealment }: Segment): string =>
  concealment ? `${channel === "text" ? "text" : channel}, ${concealment}` : channel;

/** Longer texts are seldom there twice. */
const LONGEST_REPEATED = 400;

/** Texts of one channel that are concealed in one manner. */
interface TextChannel {
  readonly channel: Channel;
  readonly concealment: Concealment | null;
  readonly hidden: number;
  /** Texts that were judged already: menus and cards repeat. */
  readonly known: Set<string>;
}

class Scan {
  readonly #page: PageModel;
  readonly #doubt: number;
  readonly suspects: Suspect[] = [];
  readonly hiddenSegments: number;
  readonly #channels: TextChannel[] = [];
  /** That of the segment before: the next one's is mostly the same. */
  #last: TextChannel | undefined;

  constructor(page: PageModel) {
    this.#page = page;
    let open = 0;
    let hiddenEnough = 0;
    for (const segment of page.segments) {
      const { hidden } = this.#channelOf(segment);
      if (hidden === 0) open++;
      else if (hidden >= HIDDEN_ENOUGH) hiddenEnough++;
    }
    this.#doubt = doubtOf(open);
    this.hiddenSegments = hiddenEnough;
  }

  segment(segment: Segment): void {
    const { hidden, known } = this.#channelOf(segment);
    if (segment.text.length < LONGEST_REPEATED) {
      const before = known.size;
      if (known.add(segment.text).size === before) return;
    }
    const plain = withoutInvisible(segment.text);
    this.#text(
      segment,
      plain,
      hidden === 0 ? -this.#doubt : hidden,
      undefined,
      0,
      segment.text.length,
      plain === segment.text,
    );
    for (const { encoding, text, from, to } of decodeHidden(segment.text))
      this.#text(segment, text, hiddenness(segment, true), encoding, from, to, false);
  }

  /** There are few, and most of them are not on one page. */
  #channelOf(segment: Segment): TextChannel {
    const { channel, concealment } = segment;
    const isIts = (one: TextChannel): boolean => one.channel === channel && one.concealment === concealment;
    if (this.#last && isIts(this.#last)) return this.#last;
    let found = this.#channels.find(isIts);
    if (!found) {
      found = { channel, concealment, hidden: hiddenness(segment), known: new Set() };
      this.#channels.push(found);
    }
    this.#last = found;
    return found;
  }

  /** Judges one reading of a segment; `exact` says that places in the reading are places in the segment. */
  #text(
    segment: Segment,
    text: string,
    hidden: number,
    encoding: Encoding | undefined,
    from: number,
    to: number,
    exact: boolean,
  ): void {
    const judged = riskOfText(text, hidden);
    if (judged.risk >= RISK_KEPT) {
      const [start, end] = exact ? [judged.from, judged.to] : [from, to];
      this.#add(segment, ruleOf(segment, judged.kind, encoding), judged.risk, start, end, text);
    }
    // In the open, what the quick classifier finds harmless would not be warned of for a phrase either.
    if ((judged.risk < 0.02 && hidden < HIDDEN_ENOUGH) || !MAY_HOLD_PHRASE.test(text)) return;
    for (const { rule, from: start, to: end } of phrasesIn(text)) {
      const logit = Math.log(rule.confidence / (1 - rule.confidence)) + hidden;
      // In the open a phrase alone may be a quotation: the classifier has its say.
      const support = Math.max(judged.risk, hidden >= HIDDEN_ENOUGH ? 1 : 0);
      const risk = (1 / (1 + Math.exp(-logit))) * Math.min(1, support + 0.35);
      this.#add(segment, rule.id, risk, exact ? start : from, exact ? end : to, text.slice(start, end));
    }
  }

  #add(segment: Segment, rule: string, risk: number, from: number, to: number, read: string): void {
    if (this.suspects.length >= MAX_FINDINGS * 4) return;
    const evidence = evidenceIn(this.#page, segment, from, to);
    const isHidden = hiddenness(segment) >= HIDDEN_ENOUGH;
    this.suspects.push({
      risk,
      segment,
      finding: {
        rule_id: rule,
        category: rule.startsWith("encoded")
          ? "encoded-injection"
          : isHidden
            ? "hidden-injection"
            : "injection",
        severity: severityOf(risk),
        confidence: round(risk),
        evidence: rule.startsWith("encoded")
          ? { ...evidence, snippet: read.slice(0, 240).toWellFormed() }
          : evidence,
        refs: [...(isHidden ? REFS.hidden : REFS.injection)],
        remediation: `Do not act on it (${channelName(segment)}): read sanitized_content instead.`,
      },
    });
  }
}

/** Words strewn over many hidden elements, read together. */
const JOINED_LONGEST = 32;
const joinHidden = (segments: readonly Segment[]): Segment[] => {
  const joined: Segment[] = [];
  let run: Segment[] = [];
  const end = (): void => {
    if (run.length === 0) return;
    if (run.length > 2)
      joined.push({
        ...run[0]!,
        text: run.map(({ text }) => text.trim()).join(" "),
        pieces: run.flatMap(({ pieces }) => pieces),
      });
    run = [];
  };
  for (const segment of segments) {
    const fits =
      segment.concealment !== null && segment.channel === "text" && segment.text.length < JOINED_LONGEST;
    if (!fits || (run.length > 0 && (run[0]!.concealment !== segment.concealment || run.length >= 60))) end();
    if (fits) run.push(segment);
  }
  end();
  return joined;
};

const ofLinks = (links: readonly LinkFinding[]): Suspect[] =>
  links.map(({ rule, category, severity, confidence, evidence, remediation }) => ({
    risk: confidence * (severity === "medium" ? 0.75 : 1),
    segment: undefined,
    finding: {
      rule_id: rule,
      category,
      severity,
      confidence: round(confidence),
      evidence,
      refs: [...REFS[category]],
      remediation,
    },
  }));

const REMOVED = "[removed: instructions to a machine]";

/** What people see of the page, without what was found in it and without invisible characters. */
const sanitize = (page: PageModel, flagged: ReadonlySet<Segment>): { text: string; truncated: boolean } => {
  const parts: string[] = [];
  let length = 0;
  for (const segment of page.segments) {
    const seen = segment.concealment === null && (segment.channel === "text" || segment.channel === "title");
    if (!seen && !(segment.channel === "alt" && !flagged.has(segment))) continue;
    const text = flagged.has(segment) ? REMOVED : collapsed(withoutInvisible(segment.text));
    length += text.length + 1;
    if (length > MAX_SANITIZED) return { text: parts.join("\n"), truncated: true };
    parts.push(text);
  }
  return { text: parts.join("\n").toWellFormed(), truncated: false };
};

/** Findings of one kind about the same place are one. */
const strongest = (suspects: readonly Suspect[]): Suspect[] => {
  const best = new Map<string, Suspect>();
  for (const suspect of suspects) {
    const { start, snippet } = suspect.finding.evidence;
    const key = `${suspect.finding.rule_id} ${start} ${start === null ? snippet : ""}`;
    if ((best.get(key)?.risk ?? -1) < suspect.risk) best.set(key, suspect);
  }
  return [...best.values()].sort((a, b) => b.risk - a.risk).slice(0, MAX_FINDINGS);
};

/** Most of one cause; causes of different kinds add up (noisy or). */
const combine = (suspects: readonly Suspect[]): number => {
  const groups = new Map<string, number>();
  for (const { finding, risk } of suspects) {
    const group = finding.category.endsWith("injection") ? "injection" : finding.category;
    groups.set(group, Math.max(groups.get(group) ?? 0, risk));
  }
  return 1 - [...groups.values()].reduce((rest, risk) => rest * (1 - risk), 1);
};

/** @param isWhole all that the agent would read was read: without that, finding nothing is no permission */
const verdictOf = (risk: number, isWhole: boolean): FirewallVerdict => {
  if (risk >= BLOCK_RISK) return "block";
  if (risk >= warnThreshold()) return "warn";
  return isWhole ? "allow" : "unknown";
};

/** Risks that say no more than their bound: below 0.3 none is kept. */
const [LEAST_RISK, MOST_RISK] = [0.1, 0.995];

/** The log-odds of a risk, between bounds: what the calibration is fitted to. */
export const boundedLogit = (risk: number): number => {
  const bounded = Math.min(Math.max(risk < RISK_KEPT ? 0 : risk, LEAST_RISK), MOST_RISK);
  return Math.log(bounded / (1 - bounded));
};

const certaintyOf = (risk: number): Certainty => {
  const probability = round(calibrated(models().attack.card, boundedLogit(risk)));
  const [from, to] = ABSTAIN_BAND;
  return {
    probability,
    base_rate: BASE_RATE,
    abstain: probability > from && probability < to,
    band: [from, to],
  };
};

const TAG_CHARACTERS = /[\u{e0020}-\u{e007e}]/u;

/**
 * Instructions to machines that a page hides from people, so surely that it would be blocked: what the crawl takes a site
 * off the directory for. Text in the open, and plain requests that are hidden, are no reason: honest pages have both.
 * @returns the worst first; none where it would not be blocked
 */
export const hiddenInstructions = (page: PageModel): Finding[] => {
  const scan = new Scan(page);
  for (const segment of page.segments)
    if (hiddenness(segment) >= HIDDEN_ENOUGH || TAG_CHARACTERS.test(segment.text)) scan.segment(segment);
  for (const segment of joinHidden(page.segments)) scan.segment(segment);
  const hidden = scan.suspects.filter(
    ({ finding }) => finding.category !== "injection" && finding.rule_id !== "hidden-request",
  );
  return combine(hidden) >= BLOCK_RISK ? strongest(hidden).map(({ finding }) => finding) : [];
};

/** Texts of one request as one. */
export const joinTexts = (...texts: (string | undefined)[]): string | undefined => {
  const given = texts.filter((one) => one !== undefined);
  return given.length === 0 ? undefined : given.join("\n\n");
};

const LOOKS_LIKE_HTML = /<(?:!--|!doctype|\/?[a-z][a-z0-9-]*(?:\s[^<>]*)?\/?>)/i;

const withContent = (
  { html, text }: Pick<FirewallInput, "html" | "text">,
  content: string | undefined,
): { html: string | undefined; text: string | undefined; isHtml: boolean } => {
  if (content === undefined) return { html, text, isHtml: false };
  if (html === undefined && LOOKS_LIKE_HTML.test(content)) return { html: content, text, isHtml: true };
  return { html, text: joinTexts(text, content), isHtml: false };
};

/** Whether a page says nothing to people but has scripts, which write what it says. */
const needsScripts = ({ segments, elements }: PageModel): boolean =>
  !segments.some(({ channel, concealment }) => channel === "text" && concealment === null) &&
  elements.some(({ element }) => element.tagName === "script");

/** Judges what was seen. Never throws for any input; a page of 1 MiB takes a tenth of a second. */
export const scanFirewall = ({
  url,
  content,
  isUnseen,
  reported = [],
  ...sent
}: FirewallInput): FirewallResult => {
  const { html, text, isHtml } = withContent(sent, content);
  const address = url === undefined ? undefined : (URL.parse(url) ?? undefined);
  const pages = [
    ...(html === undefined ? [] : [readPageModel(html)]),
    ...(text === undefined ? [] : [readTextModel(text)]),
  ];
  const suspects: Suspect[] = ofLinks(reported);
  const own = address && urlFinding(address);
  if (own) suspects.push(...ofLinks([own]));
  const sanitized: { text: string; truncated: boolean }[] = [];
  let hiddenSegments = 0;
  for (const page of pages) {
    const scan = new Scan(page);
    hiddenSegments += scan.hiddenSegments;
    for (const segment of page.segments) scan.segment(segment);
    for (const segment of joinHidden(page.segments)) scan.segment(segment);
    suspects.push(
      ...scan.suspects,
      ...ofLinks([...markdownFindings(page), ...elementFindings(page, address)]),
    );
    const flagged = new Set<Segment>();
    for (const { risk, segment } of scan.suspects)
      if (segment && risk >= warnThreshold()) flagged.add(segment);
    sanitized.push(sanitize(page, flagged));
  }
  const risk = combine(suspects);
  const complete = pages.every((page) => page.complete);
  const needs_scripts = pages.some(needsScripts);
  const isWhole = pages.length > 0 && complete && !needs_scripts && isUnseen !== true;
  const verdict = verdictOf(risk, isWhole);
  return {
    verdict,
    risk_score: verdict === "unknown" ? null : round(risk),
    certainty: verdict === "unknown" ? null : certaintyOf(risk),
    findings: strongest(suspects).map(({ finding }) => finding),
    sanitized_content: pages.length === 0 ? null : sanitized.map((part) => part.text).join("\n\n"),
    sanitized_truncated: sanitized.some(({ truncated }) => truncated),
    scanned: {
      segments: pages.reduce((sum, { segments }) => sum + segments.length, 0),
      hidden_segments: hiddenSegments,
      complete,
    },
    ruleset_version: rulesetVersion(),
    content_is_html: isHtml,
    needs_scripts,
  };
};
