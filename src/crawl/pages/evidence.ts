/**
 * What a visit's pages show of how a site deals with its visitors: by the gateway's own rules, on the pages that the
 * visit reads anyway. Bounded in time by what is read of each page. Runs in threads alone (page-thread.ts); what a visit
 * makes of it is in measured.ts, so that the thread that holds leases need not load the rules.
 */

import { type PageScan, scanPage, type Verdict } from "../../detectors/affiliate/rules.ts";
import { cleannessOf } from "../../detectors/dark-pattern/rules.ts";
import { hidesInstructions } from "../../detectors/firewall/rules.ts";
import { type PageModel, readPageModel, type Segment } from "../../pages/page-model.ts";
import type { ParsedHtml } from "../../pages/parse-html.ts";

/** UTF-16 units of a page that are looked at: what comes later is not measured. */
const MAX_SCANNED = 131_072;

/** How far a page is free of affiliate marketing that visitors are not told of. */
const AFFILIATE_PART: Record<Verdict, number> = {
  none: 1,
  tagged: 0.9,
  undisclosed: 0.45,
  suspicious: 0.25,
  stuffing: 0,
};

const says = (page: PageModel, pattern: RegExp): boolean =>
  page.segments.some(
    ({ text, channel, concealment }) => channel === "text" && concealment === null && pattern.test(text),
  );

/** Names whoever answers for the site: a copyright line, an imprint, a legal form, structured data. */
const OWNER =
  /©|\(c\) ?\d{4}|copyright|impressum|imprint|legal notice|mentions légales|aviso legal|note legali|\b(?:GmbH|AG|Ltd|Limited|LLC|Inc|S\.?r\.?l|S\.?A\.?S?|B\.?V|Oy|AB|ApS|e\.?U|KG|OHG)\b/;
const CONTACT =
  /@[a-z0-9-]+\.[a-z]|\+\d{1,3}[ \d()/-]{6,}|\bcontact\b|\bkontakt\b|\bcontacto\b|\bcontatti\b/i;
const OWNER_TYPES = /\/(?:publisher|legalName|founder|author\/name)$/;
const PARENT = /\/parentOrganization(?:\/name)?$/;

const ofJsonLd = (page: PageModel, pointer: RegExp): Segment | undefined =>
  page.segments.find((segment) => segment.channel === "json-ld" && pointer.test(segment.pointer ?? ""));

/** A paid link by which a declared commission of nothing is false: the network's own form, or marked as sponsored. */
const isPaid = ({ links }: PageScan): boolean =>
  links.some(({ guessed, kind, rel }) => kind !== "impression" && (!guessed || rel === "sponsored"));

/** What one page shows. */
export interface PageEvidence {
  /** 0 to 1: how free of dark patterns, and of affiliate marketing that visitors are not told of. */
  dark: number;
  affiliate: number;
  /** Third parties that follow visitors. */
  trackers: { name: string; purpose: string }[];
  /** The page hides instructions to the machines that read it. */
  malicious: boolean;
  paid: boolean;
  owner: boolean;
  contact: boolean;
  parent: boolean;
}

/** Looks at one page. Never throws; a page of 2 MiB takes what its first 128 Ki units take. */
export const pageEvidence = (html: ParsedHtml, url: URL): PageEvidence => {
  const page = readPageModel(html, MAX_SCANNED);
  const scan = scanPage(page, url);
  return {
    dark: cleannessOf(page),
    affiliate: AFFILIATE_PART[scan.verdict],
    trackers: scan.trackers.map(({ name, purpose }) => ({ name, purpose })),
    malicious: hidesInstructions(page),
    paid: isPaid(scan),
    owner: says(page, OWNER) || ofJsonLd(page, OWNER_TYPES) !== undefined,
    contact: says(page, CONTACT) || /href=["']?(?:mailto|tel):/i.test(page.source.slice(0, MAX_SCANNED)),
    parent: ofJsonLd(page, PARENT) !== undefined,
  };
};
