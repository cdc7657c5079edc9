/**
 * What a page does with affiliate marketing. A tag is no fraud: most links here are how a site is paid for what it sells
 * on. Stuffing is: a click that nobody made. Not seen: links that a script makes after loading, styles of external sheets (a class
 * that is called hidden counts half as sure), who is behind a short link until it is followed.
 */

import type { Evidence, Finding } from "../../../schemas/finding.ts";
import { registrableDomain } from "../../domain/names/domain-name.ts";
import { isRunScript } from "../../pages/element.ts";
import { evidenceAt } from "../../pages/evidence.ts";
import { type PageModel, readPageModel } from "../../pages/page-model.ts";
import { attribute } from "../../pages/parse-html.ts";
import { snippetOf } from "../../pages/snippet.ts";
import { riskOf, round } from "../risk.ts";
import { type AffiliateAddress, affiliateOf, isConsentHost, trackerOf, wrappedIn } from "./addresses.ts";
import { isAtOnce } from "./at-once.ts";
import { type Disclosure, disclosureOf } from "./disclosure.ts";
import { type AffiliateVerdict, affiliateVerdict, findingOf } from "./findings.ts";
import { type Means, type Reference, referencesOf } from "./loads.ts";

export type { AffiliateVerdict };

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

export interface PageScan {
  verdict: AffiliateVerdict;
  riskScore: number;
  /** At most 200, in the order of the page. */
  links: AffiliateLink[];
  linksTotal: number;
  findings: Finding[];
  trackers: TrackerSeen[];
  /** Names of those that are certainly asked for as soon as the page is open: not by a function that may wait for consent. */
  trackersAtOnce: string[];
  disclosure: Disclosure;
  complete: boolean;
}

const MAX_LINKS = 200;
const MAX_FINDINGS = 100;

const evidenceOf = (page: PageModel, { element, start, end, means }: Reference): Evidence =>
  element && means !== "scripted"
    ? evidenceAt(page, element)
    : { snippet: snippetOf(page.source.slice(start, end)), start, end };

/** What opens on a click, is clipped for screen readers, or hidden by a bare class name may be seen after all. */
const SEEN_LATER = new Set(["on-request", "read-out", "clipped"]);

const UNSHOWN: Evidence = { snippet: "", start: null, end: null };

const PERSONAL_NAME = /[?&](?:em|email|e-?mail|mail|ph|phone|tel)=/i;
const PERSONAL_VALUE = /@|%40|%2B?\d{7}|\+?\d{7}/i;

/** Whether a query carries a mail address or a phone number under such a name. @param search as in a URL, with its "?" */
export const isPersonal = (search: string): boolean =>
  search.split("&").some((part, index) => {
    const pair = index === 0 ? part : `&${part}`;
    const name = PERSONAL_NAME.exec(pair);
    return name !== null && PERSONAL_VALUE.test(pair.slice(name.index + name[0].length));
  });

const MAX_LOOKS = 3;
const PIXEL_MEANS = new Set<Means>(["img", "iframe"]);

/** Known trackers by any means, and pixels of others: pictures and frames from elsewhere that nobody sees. */
class TrackerCount {
  readonly seen = new Map<string, TrackerSeen>();
  readonly atOnce = new Set<string>();
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
    const isPixel =
      PIXEL_MEANS.has(means) && hidden !== null && hidden !== "class" && hidden !== "on-request";
    if (reference.isHanded && !known) return;
    if (!known && !isImpression && !(isPixel && elsewhere && !isConsentHost(hostname))) return;
    const name = known?.name ?? (isImpression ? "affiliate impression" : hostname);
    const purpose = known?.purpose ?? (isImpression ? "affiliate" : "unknown");
    const before = this.seen.get(name);
    if (before) before.count++;
    else if (this.seen.size < MAX_LINKS) this.seen.set(name, { name, purpose, host: hostname, count: 1 });
    // A few looks at scripts: one that names a tracker often says the same of it each time.
    if ((before?.count ?? 1) <= MAX_LOOKS && !this.atOnce.has(name) && isAtOnce(reference))
      this.atOnce.add(name);
    if (this.findings.length >= MAX_FINDINGS) return;
    if (isPersonal(url.search))
      this.findings.push(findingOf("pixel-personal-data", 0.85, evidenceOf(this.#page, reference)));
    else if (isPixel && !before)
      this.findings.push(findingOf("tracking-pixel", 0.9, evidenceOf(this.#page, reference)));
  }
}

/** A script sets where a link leads. */
const SETS_HREF = /(?:\.href|setAttribute\(\s*["']href["']\s*,)(?:\s*\+?=|\s+(?!\s|\+?=))/gi;
const PARTNER_PARAMETER = /[?&](?:tag|aff_?id|affid|campid|awinaffid|clickref|subid)=/gi;
/** Between that and a partner's parameter, in the same statement. */
const MAX_REWRITE_CHARS = 200;
const LONGEST_PARAMETER = "&awinaffid=".length;

/** The first place where a script writes a partner's parameter into links. */
export function rewriteIn(source: string): { start: number; end: number } | undefined {
  if (source.search(PARTNER_PARAMETER) === -1) return undefined;
  for (const { 0: sets, index: start } of source.matchAll(SETS_HREF)) {
    const from = start + sets.length;
    const [statement = ""] = source.slice(from, from + MAX_REWRITE_CHARS + LONGEST_PARAMETER).split(";", 1);
    const last = [...statement.matchAll(PARTNER_PARAMETER)].findLast(
      ({ index }) => index <= MAX_REWRITE_CHARS,
    );
    if (last) return { start, end: from + last.index + last[0].length };
  }
  return undefined;
}

/** The same for a page's HTML, as a thread's task. @param url where the page stands, if that is known */
export const scanHtml = ({ html, url }: { html: string; url: string | undefined }): PageScan =>
  scanPage(readPageModel(html), url === undefined ? undefined : new URL(url));

/** Scans one page. Pure; never throws; linear in the page. */
export function scanPage(page: PageModel, pageUrl: URL | undefined): PageScan {
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
    const link = reference.isHanded ? undefined : linkOf(page, reference, links.length < MAX_LINKS);
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
    verdict: affiliateVerdict(findings, total),
    riskScore: round(riskOf(findings)),
    links,
    linksTotal: total,
    findings: findings.slice(0, MAX_FINDINGS),
    trackers: [...trackers.seen.values()],
    trackersAtOnce: [...trackers.atOnce],
    disclosure,
    complete: page.complete && total <= MAX_LINKS && findings.length <= MAX_FINDINGS,
  };
}

/** Evidence is worked out for the first alone: a selector costs a walk over siblings, and a page may have 50,000 links. */
function linkOf(page: PageModel, reference: Reference, isShown: boolean): AffiliateLink | undefined {
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
}

function relOf({ element }: Reference): AffiliateLink["rel"] {
  const rel = element && attribute(element, "rel")?.toLowerCase();
  if (!rel) return null;
  return /\bsponsored\b/.test(rel) ? "sponsored" : /\bnofollow\b/.test(rel) ? "nofollow" : null;
}

/** A click address that is asked for without a click. */
function stuffing(reference: Reference, link: AffiliateLink): Finding | undefined {
  if (link.kind !== "click" || link.guessed || link.means === "link") return undefined;
  if (link.means === "meta-refresh") return findingOf("redirect-without-click", 0.6, link.evidence);
  const sure = reference.hidden !== null && !reference.hiddenByName;
  return findingOf("cookie-stuffing", sure ? 0.97 : 0.9, link.evidence, sure ? "critical" : "high");
}

/** A shop's own page with a tag, loaded where nobody sees it: a click in effect, though no network counts it as one. */
function hiddenShop(reference: Reference, link: AffiliateLink): Finding | undefined {
  if (link.kind !== "tag" || link.guessed || reference.hidden === null) return undefined;
  if (link.means !== "iframe" && link.means !== "object") return undefined;
  return findingOf("cookie-stuffing", reference.hiddenByName ? 0.7 : 0.9, link.evidence, "critical");
}

function hiddenLink(reference: Reference, link: AffiliateLink): Finding | undefined {
  if (link.means !== "link" || reference.hidden === null || SEEN_LATER.has(reference.hidden))
    return undefined;
  return findingOf("hidden-affiliate-link", reference.hiddenByName ? 0.5 : 0.8, link.evidence);
}

function rewritingScripts(page: PageModel): Finding[] {
  const findings: Finding[] = [];
  for (const { element } of page.elements) {
    const text = element.tagName === "script" && isRunScript(element) ? element.childNodes[0] : undefined;
    if (!text || !("value" in text) || findings.length >= 5) continue;
    const source = text.value.slice(0, 200_000);
    const rewrite = source.includes("href") ? rewriteIn(source) : undefined;
    if (!rewrite) continue;
    const snippet = snippetOf(source.slice(rewrite.start, rewrite.end));
    const evidence = { snippet, start: element.until + rewrite.start, end: element.until + rewrite.end };
    findings.push(findingOf("link-rewriting", 0.7, evidence));
  }
  return findings;
}

function disclosureFindings(disclosure: Disclosure, paid: readonly AffiliateLink[]): Finding[] {
  const [firstLink] = paid;
  if (!firstLink) return [];
  const guessed = paid.every((link) => link.guessed);
  if (disclosure === "absent")
    return [findingOf("missing-disclosure", guessed ? 0.5 : 0.8, firstLink.evidence)];
  if (disclosure === "hidden") return [findingOf("hidden-disclosure", 0.8, firstLink.evidence)];
  return disclosure === "late" ? [findingOf("late-disclosure", 0.6, firstLink.evidence)] : [];
}
