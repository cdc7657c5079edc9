/** The Agent Firewall's judgement of a page, a text or an address: pure, from what was seen. */

import { ABSTAIN_BAND, type Certainty } from "../../../schemas/certainty.ts";
import {
  type Finding,
  type FirewallVerdict,
  MAX_SNIPPET_CHARS,
  type TextRole,
} from "../../../schemas/finding.ts";

import { readTextModel } from "../../classifiers/text-model.ts";
import type { Channel } from "../../pages/channels.ts";
import { isHidden, isShown } from "../../pages/computed-style.ts";
import { cutFrom, isPlainText, isSent } from "../../pages/cut.ts";
import { collapsed } from "../../pages/element.ts";
import { evidenceIn } from "../../pages/evidence.ts";
import { isHiddenFromPeople } from "../../pages/hiding.ts";
import { type PageModel, readPageModel } from "../../pages/page-model.ts";
import { round } from "../risk.ts";
import { ADDRESS_RULE } from "./address-rule.ts";
import { cutsOf } from "./cuts.ts";
import { withoutInvisible } from "./decode.ts";
import { actionOf, BASE_RATES, BLOCK_RISK, type JudgedSpan, judgeText, WARN_RISK } from "./judge.ts";
import { elementFindings, type LinkFinding, markdownFindings, urlFinding } from "./links.ts";
import { joinHidden, MAX_FINDINGS, REFS, Scan, type Suspect } from "./scan.ts";
import { firewallRuleset } from "./version.ts";

const MAX_SANITIZED = 256 * 1024;

export interface FirewallInput {
  url: string | undefined;
  /** The page, or the model that was made of it. */
  html: string | PageModel | undefined;
  text: string | undefined;
  /** HTML or plain text, as its markup shows; beside `html` it is text. */
  content?: string | undefined;
  /** What the text is to the agent that reads it; default: a page. */
  role?: TextRole | undefined;
  /** The page at `url`, or a part of it, was not seen: what was found in the rest allows nothing. */
  isUnseen?: boolean | undefined;
  /** The registry verified the site of `url` and lists it: its name is no finding. */
  isVerifiedHost?: boolean | undefined;
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
  /** On what was read without what was found in it: what is of the page as a whole cannot be cut. */
  verdict_when_cut: FirewallVerdict;
}

/** What was sent, as it may be shown. */
export interface ScannedPages {
  result: FirewallResult;
  /** Of each page or text, in the order html, text: without what was found in it. */
  pages: PageModel[];
}

const READ_CHANNELS: ReadonlySet<Channel> = new Set(["text", "title", "alt"]);
/** Below this a name stays, whatever its letters: it blocks only beside something that is worth a warning itself. */
const MOST_BY_NAME = BLOCK_RISK - 0.01;

const TAG_CHARACTERS = /[\u{e0020}-\u{e007e}]/u;

const LOOKS_LIKE_HTML = /<(?:!--|!doctype|\/?[a-z][a-z0-9-]*(?:\s[^<>]*)?\/?>)/i;

/**
 * What a page hides from people and would be blocked in the open, too: what the crawl takes a site off the directory for. What
 * the classifier alone finds is no reason, nor what waits to be asked for: honest pages have both.
 * @returns the riskiest first; what it wants, and what to do, stands in `remediation`
 */
export function hiddenInstructions(page: PageModel): Finding[] {
  const hidden = [...page.segments, ...joinHidden(page.segments)].filter(
    (segment) => isHiddenFromPeople(segment) || TAG_CHARACTERS.test(segment.text),
  );
  const found = hidden.flatMap((segment) =>
    judgeText(segment.text, "page")
      .spans.filter(isDishonest)
      .map((span) => ({ segment, span })),
  );
  return found
    .sort((a, b) => b.span.risk - a.span.risk)
    .slice(0, MAX_FINDINGS)
    .map(({ segment, span }) => ({
      rule_id: span.rule,
      category: "hidden-injection",
      severity: "critical",
      confidence: round(span.risk),
      evidence: { ...evidenceIn(page, segment, span.from, span.to), ...decoded(span) },
      refs: [...REFS.hidden],
      remediation: `It ${span.why}. Take it out, or show it to readers.`,
    }));
}

/** What an encoded text says, in place of how it is written. */
const decoded = ({ encoding, read }: JudgedSpan) =>
  encoding !== undefined && read !== undefined
    ? { snippet: read.slice(0, MAX_SNIPPET_CHARS).toWellFormed() }
    : {};

/** Whether nobody says it to machines in secret and means well. */
const isDishonest = ({ rule, kind, risk }: JudgedSpan): boolean =>
  risk >= BLOCK_RISK && rule !== "instruction" && kind !== "instruct";

/** A page without what is warned of in the first characters that people see of it: for who shows no more. */
export function withoutAttacks(page: PageModel, mostChars: number): PageModel {
  const scan = new Scan(page);
  let left = mostChars;
  for (const segment of page.segments) {
    if (left <= 0) break;
    if (!isShown(segment.concealment) || !READ_CHANNELS.has(segment.channel)) continue;
    scan.segment(segment);
    left -= collapsed(segment.text).length;
  }
  return cutFrom(page, cutsOf(page, scan));
}

/** Most of one cause; causes of different kinds add up (noisy or). */
function combine(suspects: readonly Suspect[]): number {
  const groups = new Map<string, number>();
  for (const { finding, risk } of suspects) {
    const group = finding.category.endsWith("injection") ? "injection" : finding.category;
    groups.set(group, Math.max(groups.get(group) ?? 0, risk));
  }
  return 1 - [...groups.values()].reduce((rest, risk) => rest * (1 - risk), 1);
}

/** Findings of one kind about the same place are one. */
function strongest(suspects: readonly Suspect[]): Suspect[] {
  const best = new Map<string, Suspect>();
  for (const suspect of suspects) {
    const { start, snippet } = suspect.finding.evidence;
    const key = `${suspect.finding.rule_id} ${start} ${start === null ? snippet : ""}`;
    if ((best.get(key)?.risk ?? -1) < suspect.risk) best.set(key, suspect);
  }
  return [...best.values()].sort((a, b) => b.risk - a.risk).slice(0, MAX_FINDINGS);
}

/** Texts of one request as one. */
export function joinTexts(...texts: (string | undefined)[]): string | undefined {
  const given = texts.filter((one) => one !== undefined);
  return given.length === 0 ? undefined : given.join("\n\n");
}

/** Judges what was seen. Never throws for any input; a page of 1 MiB takes a tenth of a second. */
export const scanFirewall = (input: FirewallInput): FirewallResult => scanAndCut(input).result;

/** Judges what was seen, and cuts it: the tree of a page that was handed over is changed. */
export function scanAndCut({
  url,
  content,
  role,
  isUnseen,
  isVerifiedHost,
  reported = [],
  ...sent
}: FirewallInput): ScannedPages {
  const { html, text, isHtml } = withContent(sent, content);
  const address = url === undefined ? undefined : (URL.parse(url) ?? undefined);
  const read = [
    ...(html === undefined ? [] : [typeof html === "string" ? readPageModel(html) : html]),
    ...(text === undefined ? [] : [readTextModel(text)]),
  ];
  const suspects: Suspect[] = ofLinks(reported);
  const own = address && urlFinding(address, isVerifiedHost);
  if (own) suspects.push(...ofLinks([own]));
  const pages: PageModel[] = [];
  let [hiddenSegments, judged] = [0, 0];
  for (const page of read) {
    const scan = new Scan(page, role);
    hiddenSegments += scan.hiddenSegments;
    for (const segment of page.segments) scan.segment(segment);
    for (const segment of joinHidden(page.segments)) scan.segment(segment);
    if (isPlainText(page)) scan.whole();
    judged = Math.max(judged, scan.risk);
    suspects.push(
      ...scan.suspects,
      ...ofLinks([...markdownFindings(page), ...elementFindings(page, address)]),
    );
    pages.push(cutFrom(page, cutsOf(page, scan)));
  }
  const risk = Math.max(judged, riskOf(suspects));
  const complete = read.every((page) => page.complete);
  const needs_scripts = read.some(needsScripts);
  const isWhole = read.length > 0 && complete && !needs_scripts && isUnseen !== true;
  const verdict = verdictOf(risk, isWhole);
  const sanitized = pages.map(sanitize);
  const isLeft = riskOf(suspects.filter(cannotBeCut)) >= BLOCK_RISK;
  const result = {
    verdict,
    risk_score: verdict === "unknown" ? null : round(risk),
    certainty: verdict === "unknown" ? null : certaintyOf(risk, role),
    findings: strongest(suspects).map(({ finding }) => finding),
    sanitized_content: pages.length === 0 ? null : sanitized.map((part) => part.text).join("\n\n"),
    sanitized_truncated: sanitized.some(({ truncated }) => truncated),
    scanned: {
      segments: read.reduce((sum, { segments }) => sum + segments.length, 0),
      hidden_segments: hiddenSegments,
      complete,
    },
    ruleset_version: firewallRuleset(),
    content_is_html: isHtml,
    needs_scripts,
    verdict_when_cut: verdict === "block" && !isLeft ? ("warn" as const) : verdict,
  };
  return { result, pages };
}

/** It is of an address or an element, or of what a form sends. */
const cannotBeCut = ({ segment }: Suspect): boolean =>
  segment === undefined || (isSent(segment) && !isHidden(segment.concealment));

function withContent(
  { html, text }: Pick<FirewallInput, "html" | "text">,
  content: string | undefined,
): { html: string | PageModel | undefined; text: string | undefined; isHtml: boolean } {
  if (content === undefined) return { html, text, isHtml: false };
  if (html === undefined && LOOKS_LIKE_HTML.test(content)) return { html: content, text, isHtml: true };
  return { html, text: joinTexts(text, content), isHtml: false };
}

const ofLinks = (links: readonly LinkFinding[]): Suspect[] =>
  links.map(({ rule, category, severity, confidence, evidence, remediation }) => ({
    risk: confidence * (severity === "medium" ? 0.75 : 1),
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

/** What people see of a page that was cut, without invisible characters. */
function sanitize({ segments }: PageModel): { text: string; truncated: boolean } {
  const parts: string[] = [];
  let length = 0;
  for (const { text, channel, concealment } of segments) {
    if (!isShown(concealment) || !READ_CHANNELS.has(channel)) continue;
    const plain = collapsed(withoutInvisible(text));
    length += plain.length + 1;
    if (length > MAX_SANITIZED) return { text: parts.join("\n"), truncated: true };
    parts.push(plain);
  }
  return { text: parts.join("\n").toWellFormed(), truncated: false };
}

function riskOf(suspects: readonly Suspect[]): number {
  const rest = combine(suspects.filter(({ finding }) => finding.rule_id !== ADDRESS_RULE));
  return rest < WARN_RISK ? Math.min(combine(suspects), MOST_BY_NAME) : combine(suspects);
}

/** Whether a page says nothing to people but has scripts, which write what it says. */
const needsScripts = ({ segments, elements }: PageModel): boolean =>
  !segments.some(({ channel, concealment }) => channel === "text" && isShown(concealment)) &&
  elements.some(({ element }) => element.tagName === "script");

/** @param isWhole all that the agent would read was read: without that, finding nothing is no permission */
function verdictOf(risk: number, isWhole: boolean): FirewallVerdict {
  const action = actionOf(risk);
  return action === "allow" && !isWhole ? "unknown" : action;
}

function certaintyOf(risk: number, role: TextRole = "page"): Certainty {
  const probability = round(risk);
  const [from, to] = ABSTAIN_BAND;
  return {
    probability,
    base_rate: BASE_RATES[role],
    abstain: probability > from && probability < to,
    band: [from, to],
  };
}
