/**
 * What a visit's pages show of how a site deals with its visitors: by the gateway's own rules, on the pages that the
 * visit reads anyway. Bounded in time by what is read of each page. Runs in threads alone (page-thread.ts); what a visit
 * makes of it is in measured.ts, so that the thread that holds leases need not load the rules.
 */

import type { Finding } from "../../../schemas/finding.ts";
import type { PageFinding } from "../../../schemas/site.ts";
import type { PageMeasures, PageTool } from "../../../schemas/site-pages.ts";
import {
  type AffiliateVerdict,
  type PageScan,
  scanPage,
  type TrackerSeen,
} from "../../detectors/affiliate/rules.ts";
import { darkPatternsOf } from "../../detectors/dark-pattern/rules.ts";
import { hiddenInstructions } from "../../detectors/firewall/rules.ts";
import { isShown } from "../../pages/computed-style.ts";
import { firstPart, type Notable, type PageModel, type Segment } from "../../pages/page-model.ts";
import { attribute } from "../../pages/parse-html.ts";
import { toolsOf } from "./tools.ts";

/** UTF-16 units of a page that are looked at: what comes later is not measured. */
const MAX_SCANNED = 131_072;

/** How far a page is free of affiliate marketing that visitors are not told of. */
const AFFILIATE_PART: Record<AffiliateVerdict, number> = {
  none: 1,
  tagged: 0.9,
  undisclosed: 0.45,
  suspicious: 0.25,
  stuffing: 0,
};

/** What each third party that follows visitors takes from the part; a page without any has all of it. */
const TRACKER_COST: Readonly<Record<string, number>> = {
  advertising: 0.2,
  "session-recording": 0.25,
  social: 0.1,
  analytics: 0.08,
  "tag-manager": 0.08,
  unknown: 0.1,
  affiliate: 0.05,
};

/** Of what a page shows, this much is kept. */
const MAX_FINDINGS_OF_A_PART = 3;
const MAX_EXCERPT = 160;
const MAX_SELECTOR = 200;

/** Names whoever answers for the site: a copyright line, an imprint, a legal form, structured data. */
const OWNER =
  /©|\(c\) ?\d{4}|copyright|impressum|imprint|legal notice|mentions légales|aviso legal|note legali|\b(?:GmbH|AG|Ltd|Limited|LLC|Inc|S\.?r\.?l|S\.?A\.?S?|B\.?V|Oy|AB|ApS|e\.?U|KG|OHG)\b/;
const CONTACT =
  /@[a-z0-9-]+\.[a-z]|\+\d{1,3}[ \d()/-]{6,}|\bcontact\b|\bkontakt\b|\bcontacto\b|\bcontatti\b/i;
const CONTACT_LINK = /^(?:mailto|tel):|contact|kontakt|contatti|impressum|imprint|legal-notice/i;
const OWNER_TYPES = /\/(?:publisher|legalName|founder|author\/name)$/;
const PARENT = /\/parentOrganization(?:\/name)?$/;

/** What one page shows. */
export interface PageEvidence {
  measures: PageMeasures;
  /** The worst first, a few of each part. */
  findings: PageFinding[];
  /** Absent where it declares none. */
  tools?: PageTool[];
}

const BY_SEVERITY = ["critical", "high", "medium", "low", "info"];

/** Looks at one page. Never throws; a page of 2 MiB takes what its first 128 Ki units take. */
export function pageEvidence(whole: PageModel, url: URL): PageEvidence {
  const page = firstPart(whole, MAX_SCANNED);
  const scan = scanPage(page, url);
  const { cleanness, findings } = darkPatternsOf(page);
  const cost = scan.trackers.reduce((sum, tracker) => sum + costOf(tracker), 0);
  const owner = says(page, OWNER) || ofJsonLd(page, OWNER_TYPES) !== undefined;
  const hidden = hiddenInstructions(page);
  const tools = toolsOf(page);
  const contact = says(page, CONTACT) || page.elements.some(leadsToContact);
  return {
    measures: {
      dark: cleanness,
      affiliate: AFFILIATE_PART[scan.verdict],
      trackers: Math.max(0, 1 - cost),
      ownership: (owner ? 0.5 : 0) + (contact ? 0.5 : 0),
      malicious: hidden.length > 0,
      paid: isPaid(scan),
      parent: ofJsonLd(page, PARENT) !== undefined,
    },
    findings: [
      ...findingsOf("malicious", hidden),
      ...findingsOf("dark", findings),
      ...findingsOf(
        "affiliate",
        scan.verdict === "none" ? [] : worstFirst(scan.findings.filter(isAffiliate)),
      ),
      ...trackerFindings(scan.trackers),
    ],
    ...(tools.length > 0 && { tools }),
  };
}

const costOf = ({ purpose }: TrackerSeen): number => TRACKER_COST[purpose] ?? 0.1;

const says = (page: PageModel, pattern: RegExp): boolean =>
  page.segments.some(
    ({ text, channel, concealment }) => channel === "text" && isShown(concealment) && pattern.test(text),
  );

const ofJsonLd = (page: PageModel, pointer: RegExp): Segment | undefined =>
  page.segments.find((segment) => segment.channel === "json-ld" && pointer.test(segment.pointer ?? ""));

const leadsToContact = ({ element }: Notable): boolean =>
  element.tagName === "a" && CONTACT_LINK.test(attribute(element, "href") ?? "");

/** A paid link by which a declared commission of nothing is false: the network's own form, or marked as sponsored. */
const isPaid = ({ links }: PageScan): boolean =>
  links.some(({ guessed, kind, rel }) => kind !== "impression" && (!guessed || rel === "sponsored"));

const findingsOf = (part: "malicious" | "dark" | "affiliate", found: readonly Finding[]): PageFinding[] =>
  found.slice(0, MAX_FINDINGS_OF_A_PART).map(({ rule_id, severity, evidence, remediation }) => ({
    part,
    rule: rule_id,
    severity,
    ...(evidence.selector !== undefined &&
      evidence.selector.length <= MAX_SELECTOR && { selector: evidence.selector }),
    excerpt: shortened(evidence.snippet),
    fix: remediation,
  }));

const shortened = (text: string): string => text.slice(0, MAX_EXCERPT).toWellFormed();

const worstFirst = (findings: readonly Finding[]): Finding[] =>
  findings.toSorted((a, b) => BY_SEVERITY.indexOf(a.severity) - BY_SEVERITY.indexOf(b.severity));

/** What tells of third parties that follow visitors is the trackers' part. */
const isAffiliate = ({ category, severity }: Finding): boolean =>
  category !== "tracking" || severity === "high";

const trackerFindings = (trackers: readonly TrackerSeen[]): PageFinding[] =>
  trackers
    .toSorted((a, b) => costOf(b) - costOf(a))
    .slice(0, MAX_FINDINGS_OF_A_PART)
    .map(({ name, purpose, host }) => ({
      part: "trackers",
      rule: `tracker/${purpose}`,
      severity: costOf({ purpose } as TrackerSeen) >= 0.2 ? "medium" : "low",
      excerpt: shortened(`${name}: ${host}`),
      fix: `Load ${shortened(name)} after consent only, or not at all.`,
    }));
