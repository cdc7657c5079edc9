/**
 * What a page does with affiliate marketing. A tag is no fraud: most links here are how a site is paid for what it sells
 * on. Stuffing is: a click that nobody made.
 */
import { registrableDomain } from "../../../src/domain/domain-name.ts";
import { attribute } from "../../../src/domain/parse-html.ts";
import { evidenceAt } from "../common/evidence.ts";
import { type Evidence, type Finding, riskOf, round, type Severity, snippetOf } from "../common/finding.ts";
import type { PageModel } from "../common/page-model.ts";
import { type AffiliateAddress, affiliateOf, isConsentHost, trackerOf, wrappedIn } from "./addresses.ts";
import { type Disclosure, disclosureOf } from "./disclosure.ts";
import { type Means, type Reference, referencesOf } from "./loads.ts";

/** Changes whenever a rule or the catalogue does. */
export const RULESET_VERSION = "affiliate-1";

export interface AffiliateLink extends AffiliateAddress {
  url: string;
  means: Means;
  hidden: string | null;
  /** The link says by rel what it is. */
  rel: "sponsored" | "nofollow" | null;
  evidence: Evidence;
}

export interface TrackerSeen {
  name: string;
  purpose: string;
  host: string;
  count: number;
}

export type Verdict = "none" | "tagged" | "undisclosed" | "suspicious" | "stuffing";

export interface PageScan {
  verdict: Verdict;
  riskScore: number;
  /** At most 200, in the order of the page. */
  links: AffiliateLink[];
  linksTotal: number;
  findings: Finding[];
  trackers: TrackerSeen[];
  disclosure: Disclosure;
  complete: boolean;
}

const MAX_LINKS = 200;
const MAX_FINDINGS = 100;

interface Rule {
  category: string;
  severity: Severity;
  refs: string[];
  remediation: string;
}

const FTC_STUFFING = "U.S. v. Hogan, N.D. Cal. CR 10-0495 (2014): cookie stuffing as wire fraud";
const DISCLOSURE_LAW = [
  "16 CFR 255.5 (FTC Endorsement Guides)",
  "Directive 2005/29/EC annex I point 11",
  "UK DMCC Act 2024 schedule 20",
];

/** What each rule is about. */
export const RULES = {
  "cookie-stuffing": {
    category: "cookie-stuffing",
    severity: "high",
    refs: [FTC_STUFFING, "Awin publisher terms: no cookies without a click"],
    remediation: "Ask for a click address only when the visitor clicks a link.",
  },
  "redirect-without-click": {
    category: "cookie-stuffing",
    severity: "medium",
    refs: [FTC_STUFFING],
    remediation: "Link to the partner instead of sending visitors there by themselves.",
  },
  "hidden-affiliate-link": {
    category: "link-manipulation",
    severity: "medium",
    refs: ["Google Search spam policies: hidden links"],
    remediation: "Show the link, or take it away.",
  },
  "link-rewriting": {
    category: "link-manipulation",
    severity: "medium",
    refs: ["Directive 2005/29/EC article 7(2)"],
    remediation: "Write the partner's tag into the links that visitors see, and say so.",
  },
  "tag-replaced": {
    category: "link-manipulation",
    severity: "high",
    refs: [FTC_STUFFING],
    remediation: "Leave the partner's tag of the link as it is on every hop.",
  },
  "missing-disclosure": {
    category: "disclosure",
    severity: "medium",
    refs: DISCLOSURE_LAW,
    remediation: "Say beside or above the links, in plain words, that the site earns from purchases.",
  },
  "hidden-disclosure": {
    category: "disclosure",
    severity: "medium",
    refs: DISCLOSURE_LAW,
    remediation: "Let visitors see the disclosure.",
  },
  "late-disclosure": {
    category: "disclosure",
    severity: "low",
    refs: DISCLOSURE_LAW,
    remediation: "Put the disclosure before the first of the links.",
  },
  "unmarked-link": {
    category: "disclosure",
    severity: "info",
    refs: ["Google Search Central: qualify outbound links (rel=sponsored)"],
    remediation: 'Add rel="sponsored" to paid links.',
  },
  "tracking-pixel": {
    category: "tracking",
    severity: "info",
    refs: ["Directive 2002/58/EC article 5(3)", "EDPB Guidelines 2/2023, section 3"],
    remediation: "Load pixels only after consent.",
  },
  "pixel-personal-data": {
    category: "tracking",
    severity: "high",
    refs: ["Regulation (EU) 2016/679 articles 5 and 6", "FTC v. GoodRx (2023)"],
    remediation: "Do not put a person's address or number into the address of a pixel.",
  },
} as const satisfies Record<string, Rule>;
export type RuleId = keyof typeof RULES;

export const findingOf = (
  rule: RuleId,
  confidence: number,
  evidence: Evidence,
  severity?: Severity,
): Finding => {
  const { category, refs, remediation, severity: usual } = RULES[rule];
  return {
    rule_id: rule,
    category,
    severity: severity ?? usual,
    confidence,
    evidence,
    refs: [...refs],
    remediation,
  };
};

const evidenceOf = (page: PageModel, { element, start, end, means }: Reference): Evidence =>
  element && means !== "scripted"
    ? evidenceAt(page, element)
    : { snippet: snippetOf(page.source.slice(start, end)), start, end };

const relOf = ({ element }: Reference): AffiliateLink["rel"] => {
  const rel = element && attribute(element, "rel")?.toLowerCase();
  if (!rel) return null;
  return /\bsponsored\b/.test(rel) ? "sponsored" : /\bnofollow\b/.test(rel) ? "nofollow" : null;
};

/** A click address that is asked for without a click. */
const stuffing = (reference: Reference, link: AffiliateLink): Finding | undefined => {
  if (link.kind !== "click" || link.means === "link") return undefined;
  if (link.means === "meta-refresh") return findingOf("redirect-without-click", 0.6, link.evidence);
  const sure = reference.hidden !== null && !reference.hiddenByName;
  return findingOf("cookie-stuffing", sure ? 0.97 : 0.9, link.evidence, sure ? "critical" : "high");
};

/** A shop's own page with a tag, loaded where nobody sees it: a click in effect, though no network counts it as one. */
const hiddenShop = (reference: Reference, link: AffiliateLink): Finding | undefined => {
  if (link.kind !== "tag" || link.guessed || reference.hidden === null) return undefined;
  if (link.means !== "iframe" && link.means !== "object") return undefined;
  return findingOf("cookie-stuffing", reference.hiddenByName ? 0.7 : 0.9, link.evidence, "critical");
};

/** What opens on a click, is clipped for screen readers, or hidden by a bare class name may be seen after all. */
const SEEN_LATER = new Set(["collapsed", "clipped"]);

const hiddenLink = (reference: Reference, link: AffiliateLink): Finding | undefined => {
  if (link.means !== "link" || reference.hidden === null || SEEN_LATER.has(reference.hidden))
    return undefined;
  return findingOf("hidden-affiliate-link", reference.hiddenByName ? 0.5 : 0.8, link.evidence);
};

const UNSHOWN: Evidence = { snippet: "", start: null, end: null };

/** Evidence is worked out for the first alone: a selector costs a walk over siblings, and a page may have 50,000 links. */
const linkOf = (page: PageModel, reference: Reference, isShown: boolean): AffiliateLink | undefined => {
  const { url, means, hidden } = reference;
  const wrapped = wrappedIn(url);
  const direct = affiliateOf(url);
  // A site's own redirector shows in its parameter where it leads.
  const through = !direct || direct.guessed ? wrapped && affiliateOf(wrapped) : undefined;
  const address = through && !through.guessed ? through : (direct ?? through);
  if (!address) return undefined;
  return {
    ...address,
    url: url.href.slice(0, 2_048),
    means,
    hidden,
    rel: relOf(reference),
    evidence: isShown ? evidenceOf(page, reference) : UNSHOWN,
  };
};

const PERSONAL = /[?&](?:em|email|e-?mail|mail|ph|phone|tel)=[^&]*(?:@|%40|%2B?\d{7}|\+?\d{7})/i;
const PIXEL_MEANS = new Set<Means>(["img", "iframe"]);

/** Known trackers by any means, and pixels of others: pictures and frames from elsewhere that nobody sees. */
class TrackerCount {
  readonly seen = new Map<string, TrackerSeen>();
  readonly findings: Finding[] = [];
  readonly #page: PageModel;
  readonly #own: string | undefined;

  constructor(page: PageModel, pageUrl: URL | undefined) {
    this.#page = page;
    this.#own = pageUrl && registrableDomain(pageUrl.hostname);
  }

  add(reference: Reference, isImpression: boolean): void {
    const { url, means, hidden } = reference;
    if (means === "link" || means === "meta-refresh") return;
    const { hostname } = url;
    const known = trackerOf(url);
    const elsewhere =
      this.#own !== undefined && registrableDomain(hostname) !== this.#own && hostname !== "page.invalid";
    const isPixel = PIXEL_MEANS.has(means) && hidden !== null && hidden !== "class" && hidden !== "collapsed";
    if (!known && !isImpression && !(isPixel && elsewhere && !isConsentHost(hostname))) return;
    const name = known?.name ?? (isImpression ? "affiliate impression" : hostname);
    const purpose = known?.purpose ?? (isImpression ? "affiliate" : "unknown");
    const before = this.seen.get(name);
    if (before) before.count++;
    else if (this.seen.size < MAX_LINKS) this.seen.set(name, { name, purpose, host: hostname, count: 1 });
    if (this.findings.length >= MAX_FINDINGS) return;
    const personal = PERSONAL.test(url.search);
    if (personal)
      this.findings.push(findingOf("pixel-personal-data", 0.85, evidenceOf(this.#page, reference)));
    else if (isPixel && !before)
      this.findings.push(findingOf("tracking-pixel", 0.9, evidenceOf(this.#page, reference)));
  }
}

const REWRITES =
  /(?:\.href|setAttribute\(\s*["']href["']\s*,)\s*(?:\+?=|\s)[^;]{0,200}(?:[?&](?:tag|aff_?id|affid|campid|awinaffid|clickref|subid)=)/i;

const rewritingScripts = (page: PageModel): Finding[] => {
  const findings: Finding[] = [];
  for (const { element } of page.elements) {
    const text = element.tagName === "script" ? element.childNodes[0] : undefined;
    if (!text || !("value" in text) || findings.length >= 5) continue;
    const source = text.value.slice(0, 200_000);
    const match = source.includes("href") ? REWRITES.exec(source) : null;
    if (!match) continue;
    const start = element.until + match.index;
    const evidence = { snippet: snippetOf(match[0]), start, end: start + match[0].length };
    findings.push(findingOf("link-rewriting", 0.7, evidence));
  }
  return findings;
};

const disclosureFindings = (disclosure: Disclosure, paid: readonly AffiliateLink[]): Finding[] => {
  const [firstLink] = paid;
  if (!firstLink) return [];
  const guessed = paid.every((link) => link.guessed);
  if (disclosure === "absent")
    return [findingOf("missing-disclosure", guessed ? 0.5 : 0.8, firstLink.evidence)];
  if (disclosure === "hidden") return [findingOf("hidden-disclosure", 0.8, firstLink.evidence)];
  return disclosure === "late" ? [findingOf("late-disclosure", 0.6, firstLink.evidence)] : [];
};

export const verdictOf = (findings: readonly Finding[], links: number): Verdict => {
  const has = (...rules: RuleId[]): boolean =>
    findings.some(({ rule_id }) => rules.includes(rule_id as RuleId));
  if (has("cookie-stuffing")) return "stuffing";
  if (
    has(
      "tag-replaced",
      "hidden-affiliate-link",
      "link-rewriting",
      "redirect-without-click",
      "pixel-personal-data",
    )
  )
    return "suspicious";
  if (has("missing-disclosure", "hidden-disclosure")) return "undisclosed";
  return links > 0 ? "tagged" : "none";
};

/** Scans one page. Pure; never throws; linear in the page. */
export const scanPage = (page: PageModel, pageUrl: URL | undefined): PageScan => {
  const links: AffiliateLink[] = [];
  const findings: Finding[] = [];
  const trackers = new TrackerCount(page, pageUrl);
  const own = pageUrl && registrableDomain(pageUrl.hostname);
  let total = 0;
  // An address with a host or a query: others lead nowhere that is of interest.
  for (const reference of referencesOf(
    page,
    pageUrl,
    (text) => text.includes("//") || text.includes("http"),
  )) {
    const link = linkOf(page, reference, links.length < MAX_LINKS);
    trackers.add(reference, link?.kind === "impression");
    if (!link || link.kind === "impression") continue;
    // A parameter on the site's own addresses is its own affair.
    if (link.guessed && own !== undefined && registrableDomain(reference.url.hostname) === own) continue;
    total++;
    if (links.length < MAX_LINKS) links.push(link);
    if (findings.length >= MAX_FINDINGS) continue;
    const found = stuffing(reference, link) ?? hiddenShop(reference, link) ?? hiddenLink(reference, link);
    if (found)
      findings.push(found.evidence === UNSHOWN ? { ...found, evidence: evidenceOf(page, reference) } : found);
  }
  const paid = links.filter(({ means }) => means === "link");
  const disclosure = paid.length > 0 ? disclosureOf(page, paid[0]!.evidence.start ?? 0) : "not_needed";
  const unmarked = paid.find(({ rel, guessed }) => rel === null && !guessed);
  findings.push(
    ...rewritingScripts(page),
    ...disclosureFindings(disclosure, paid),
    ...(unmarked ? [findingOf("unmarked-link", 0.9, unmarked.evidence)] : []),
    ...trackers.findings,
  );
  return {
    verdict: verdictOf(findings, total),
    riskScore: round(riskOf(findings)),
    links,
    linksTotal: total,
    findings: findings.slice(0, MAX_FINDINGS),
    trackers: [...trackers.seen.values()],
    disclosure,
    complete: page.complete && total <= MAX_LINKS && findings.length <= MAX_FINDINGS,
  };
};
