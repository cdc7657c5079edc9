/** Addresses in a page that carry something away, or lead elsewhere than they say. */

import type { Evidence, Severity } from "../../../schemas/finding.ts";
import { elementText } from "../../pages/element.ts";
import { evidenceAt, evidenceIn } from "../../pages/evidence.ts";
import type { PageModel } from "../../pages/page-model.ts";
import { attribute, type Element } from "../../pages/parse-html.ts";
import { analyzeUrl, URL_THRESHOLD } from "../phishing/url-analysis.ts";
import { ADDRESS_RULE } from "./address-rule.ts";

export interface LinkFinding {
  rule: string;
  category: "exfiltration" | "phishing" | "reported";
  severity: Severity;
  confidence: number;
  evidence: Evidence;
  remediation: string;
}

const MAX_LINKS = 2_000;
const MAX_ANALYZED = 300;
/** A place in an address that waits to be filled with what the model knows. */
const HOLE =
  /\{\{?[^}/]{2,60}\}?\}|%7B[^/]{2,80}%7D|\$\{[^}]{2,60}\}|<[A-Za-z][\w ]{2,40}>|\[(?:[A-Z][A-Z_ ]{3,40}|(?:insert|your|user|summary|conversation|data)[^\]]{0,40})\]|=(?:DATA|SECRET|CONVERSATION|SUMMARY|USER_?(?:DATA|INPUT|MESSAGE)|CHAT_HISTORY|PROMPT)\b/i;
/** A place that waits for what was said, or what is secret: others in a path are an API's templates (RFC 6570). */
const HOLE_OF_DATA =
  /[{<[][\w ]{0,20}(?:conversation|summary|secret|chat|history|prompt|password|user[ _-]?(?:data|input|message))/i;
/** The address of a Markdown link, from the bracket that ends its text. */
const MARKDOWN_TARGET = /\]\(\s*<?((?:https?:|data:|javascript:)[^\s)>]{1,2000})/iy;
const MAX_LINK_TEXT = 200;

interface MarkdownLink {
  isImage: boolean;
  target: string;
  from: number;
  to: number;
}

/** A text that is itself an address or a domain. */
const SHOWN_DOMAIN = /^(?:https?:\/\/)?((?:[a-z0-9-]+\.)+[a-z]{2,24})(?:[/?#:]\S*)?$/i;

/** A host that nobody would warn of, to judge a path by itself. */
const PLAIN_HOST = "www.example.com";

/** Markdown in any text: a client that renders it asks the address at once. */
export function markdownFindings(page: PageModel): LinkFinding[] {
  const found: LinkFinding[] = [];
  for (const segment of page.segments) {
    if (!segment.text.includes("](")) continue;
    for (const { isImage, target, from, to } of markdownLinks(segment.text)) {
      const evidence = () => evidenceIn(page, segment, from, to);
      if (isImage ? HOLE.test(target) : takesAway(target))
        found.push(
          finding(
            isImage ? "markdown-image-exfiltration" : "markdown-link-exfiltration",
            "exfiltration",
            isImage ? "critical" : "high",
            0.9,
            evidence(),
            "Do not render it, and do not fill its address in.",
          ),
        );
      else if (/^(?:data:text\/html|javascript:)/i.test(target))
        found.push(finding("markdown-script-link", "phishing", "high", 0.9, evidence(), "Do not follow it."));
      if (found.length >= 20) return found;
    }
  }
  return found;
}

/** Whether a link that somebody has to follow carries something away. */
function takesAway(target: string): boolean {
  const query = target.search(/[?&#]/);
  return HOLE_OF_DATA.test(target) || (query >= 0 && HOLE.test(target.slice(query)));
}

/** Markdown's links and images. */
export function* markdownLinks(text: string): Generator<MarkdownLink> {
  let end = 0;
  for (let close = text.indexOf("]("); close !== -1; close = text.indexOf("](", Math.max(end, close + 1))) {
    const open = openingBracket(text, close, end);
    MARKDOWN_TARGET.lastIndex = close;
    const found = open === -1 ? null : MARKDOWN_TARGET.exec(text);
    if (!found) continue;
    const isImage = open > end && text[open - 1] === "!";
    end = MARKDOWN_TARGET.lastIndex;
    yield { isImage, target: found[1]!, from: isImage ? open - 1 : open, to: end };
  }
}

/** Where the text of a link begins, after `from`, that ends at `close`: at the first bracket that may open it; or -1. */
function openingBracket(text: string, close: number, from: number): number {
  let open = -1;
  for (let at = close - 1; at >= Math.max(from, close - MAX_LINK_TEXT - 1); at--) {
    if (text[at] === "]" || text[at] === "\n") break;
    if (text[at] === "[") open = at;
  }
  return open;
}

const finding = (
  rule: string,
  category: LinkFinding["category"],
  severity: Severity,
  confidence: number,
  evidence: Evidence,
  remediation: string,
): LinkFinding => ({ rule, category, severity, confidence, evidence, remediation });

/** Links, pictures, frames and forms of the page itself. */
export function elementFindings(page: PageModel, url: URL | undefined): LinkFinding[] {
  const base = page.baseHref === null ? url : (URL.parse(page.baseHref, url?.href) ?? url);
  const found: LinkFinding[] = [];
  const own = url && analyzeUrl(url)?.operatorDomain;
  const seen = new Set<string>();
  const passwordAt = lastPasswordAt(page);
  let links = 0;
  for (const { element } of page.elements) {
    if (found.length >= 30 || ++links > MAX_LINKS) break;
    if (element.tagName === "form") {
      const why = passwordForm(element, passwordAt, base);
      if (why)
        found.push(
          finding(
            "foreign-password-form",
            "phishing",
            "high",
            0.8,
            evidenceAt(page, element),
            `Do not sign in here: ${why}.`,
          ),
        );
      continue;
    }
    const href = addressOf(element);
    if (href === undefined || href.length < 8) continue;
    if (element.tagName === "img" && HOLE.test(href) && /^(?:https?:)?\/\//i.test(href)) {
      const why = "Do not load it, and do not fill its address in.";
      found.push(finding("image-exfiltration", "exfiltration", "high", 0.6, evidenceAt(page, element), why));
    }
    if (element.tagName !== "a" || !/^https?:\/\//i.test(href)) continue;
    const why = mismatch(element, href, base?.href);
    if (why)
      found.push(
        finding(
          "link-mismatch",
          "phishing",
          "medium",
          0.7,
          evidenceAt(page, element),
          `Do not follow it: ${why}.`,
        ),
      );
    const host = URL.parse(href)?.host;
    if (host === undefined || seen.has(host) || seen.size >= MAX_ANALYZED) continue;
    seen.add(host);
    const analysis = analyzeUrl(href);
    if (analysis && analysis.operatorDomain !== own && analysis.brand !== null && analysis.risk >= 0.8)
      found.push(
        finding(
          "suspicious-link",
          "phishing",
          "medium",
          analysis.risk * 0.8,
          evidenceAt(page, element),
          `Do not follow it: ${analysis.signs.map(({ detail }) => detail).join("; ")}.`,
        ),
      );
  }
  return found;
}

/** Where the last field for a password is; -1 for none. */
const lastPasswordAt = (page: PageModel): number =>
  page.elements.findLast(
    ({ element }) => element.tagName === "input" && attribute(element, "type")?.toLowerCase() === "password",
  )?.element.at ?? -1;

/** @param passwordAt where the page's last field for a password is */
function passwordForm(element: Element, passwordAt: number, base: URL | undefined): string | undefined {
  const action = attribute(element, "action");
  const target = action === undefined ? undefined : URL.parse(action, base?.href);
  if (!target || !base || !/^https?:$/.test(target.protocol)) return undefined;
  const there = analyzeUrl(target)?.operatorDomain;
  const here = analyzeUrl(base)?.operatorDomain;
  if (!there || !here || there === here) return undefined;
  return passwordAt > element.at ? `a password is sent to ${there}` : undefined;
}

const addressOf = (element: Element): string | undefined =>
  attribute(element, element.tagName === "a" || element.tagName === "area" ? "href" : "src");

function mismatch(element: Element, href: string, base: string | undefined): string | undefined {
  const shown = SHOWN_DOMAIN.exec(elementText(element).slice(0, 200).trim())?.[1];
  if (!shown) return undefined;
  const target = URL.parse(href, base);
  const real = target && analyzeUrl(target);
  const said = analyzeUrl(`https://${shown.toLowerCase()}/`);
  if (!real?.operatorDomain || !said?.operatorDomain || real.operatorDomain === said.operatorDomain)
    return undefined;
  return `${said.operatorDomain} leads to ${real.operatorDomain}`;
}

/**
 * The scanned address itself.
 * @param isVerified the registry verified the site and lists it: its name is its own, and only what stands after it is judged
 */
export function urlFinding(url: URL, isVerified = false): LinkFinding | undefined {
  const judged = new URL(url);
  if (isVerified) judged.hostname = PLAIN_HOST;
  const analysis = analyzeUrl(judged);
  if (!analysis || analysis.risk < URL_THRESHOLD) return undefined;
  const why = analysis.signs.filter(({ weight }) => weight > 0).map(({ detail }) => detail);
  return finding(
    ADDRESS_RULE,
    "phishing",
    analysis.risk >= 0.8 ? "high" : "medium",
    analysis.risk,
    { snippet: url.href.slice(0, 240), start: null, end: null },
    `By its address alone: ${why.join("; ")}. Make sure whose site it is before you enter anything there.`,
  );
}
