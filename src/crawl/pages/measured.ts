/** What a visit and those before it show of how a site deals with its visitors: feeds the neutrality score. Pure. */
import type { DiscoveryDocument } from "../../../schemas/discovery-document.ts";
import type { MeasuredEvidence, SiteRecord, SiteTool } from "../../../schemas/site.ts";
import type { PageMeasures, SitePages } from "../../../schemas/site-pages.ts";
import { isNetworkHost } from "../../detectors/affiliate/addresses.ts";
import { evidenceOfPages, rounded } from "../../domain/trust/page-evidence.ts";
import { type PagesVisit, pagesAfter, saysOtherwise } from "./site-pages.ts";

/** What is said of a site whose reason is `malicious_page`: the verdict's findings and fixes quote the passage. */
export const MALICIOUS_DETAIL = "A page hides from its readers what it tells machines to do.";

/** A declaration that pages contradict. */
export type Doubt = "commission_rate" | "is_independent";

/** Words that an owner is told to bear out. */
const MAX_UNFOUND = 8;
const MAX_WORD = 32;

/** Tools of a site's pages that its record keeps. */
const MAX_TOOLS = 20;

/** What one visit measured. */
export interface VisitMeasurements {
  evidence: MeasuredEvidence;
  /** Declarations that the pages known contradict. */
  doubts: Doubt[];
  /** Of these, the ones that pages of this visit contradict. */
  found: Doubt[];
  /** Some page of the site attacks machines. */
  malicious: boolean;
  /** This visit read such a page. */
  attackRead: boolean;
  /** Whether a page that was known says something else now; undefined where none was. */
  changed: boolean | undefined;
  /** All that is known of the site's pages. */
  pages: SitePages;
}

export interface ToMeasure {
  document: DiscoveryDocument;
  host: string;
  home: URL;
  /** What is kept of the pages' words, title included. */
  text: string;
  /** What was known before. */
  known: SitePages | undefined;
  visit: PagesVisit;
  /** Milliseconds. */
  now: number;
}

const FORGIVEN_MS = 90 * 86_400_000;

export const readsAttack = (read: PagesVisit["read"]): boolean =>
  read.some(({ evidence }) => evidence.measures.malicious);

/**
 * Whether a page that attacks machines keeps its site off the directory: one that is listed leaves when a second visit within 90
 * days read one; one that is not listed does not enter.
 */
export function delists(
  { status, evidence }: Pick<SiteRecord, "status" | "evidence">,
  attackRead: boolean,
  now: number,
): boolean {
  const seenAt = evidence?.attack_seen_at;
  return (
    status !== "enabled" || (attackRead && seenAt !== undefined && now - Date.parse(seenAt) < FORGIVEN_MS)
  );
}

/** What is known of the site after this visit; undefined when no page of it was read. */
export function measure({
  document,
  host,
  home,
  text,
  known,
  visit,
  now,
}: ToMeasure): VisitMeasurements | undefined {
  if (visit.read.length === 0) return undefined;
  const site = pagesAfter(known, visit, home, now);
  const doubts = doubtsOf(document, host, site.pages);
  const { share, unfound } = borneOut(document, text);
  const evidence = evidenceOfPages(site.pages, now);
  // Words differ between a document and its pages without a lie: they are worth half.
  evidence.honesty = doubts.length > 0 ? 0 : rounded(0.5 + share / 2);
  const honesty = shownOfHonesty(site.pages, home, doubts, unfound);
  if (evidence.honesty < 1) evidence.shown = { ...evidence.shown, honesty };
  const tools = toolsOfPages(site.pages);
  if (tools.length > 0) evidence.tools = tools;
  if (doubts.includes("is_independent")) {
    evidence.ownership = 0;
    evidence.shown = {
      ...evidence.shown,
      ownership: shownOfHonesty(site.pages, home, ["is_independent"], []),
    };
  }
  return {
    evidence,
    doubts,
    found: doubtsOf(
      document,
      host,
      visit.read.map(({ evidence }) => evidence),
    ),
    malicious: site.pages.some(({ measures }) => measures.malicious),
    attackRead: readsAttack(visit.read),
    changed: saysOtherwise(known, visit),
    pages: site,
  };
}

/** Declarations that pages contradict. */
function doubtsOf(
  { fairness }: DiscoveryDocument,
  host: string,
  pages: readonly { measures: PageMeasures }[],
): Doubt[] {
  const doubts: Doubt[] = [];
  if (fairness.commission_rate === 0 && pages.some(({ measures }) => measures.paid))
    doubts.push("commission_rate");
  // A network, or a part of another company, that calls itself independent.
  if (fairness.is_independent && (pages.some(({ measures }) => measures.parent) || isNetworkHost(host)))
    doubts.push("is_independent");
  return doubts;
}

/** How far the pages bear out what the site says of itself, its name and its tags, and the words that they do not. */
function borneOut(document: DiscoveryDocument, text: string): { share: number; unfound: string[] } {
  const found = new Set(words(text));
  const claimed = [words(document.provider.name), (document.intent_tags ?? []).flatMap(words)].filter(
    (each) => each.length > 0,
  );
  const shares = claimed.map((each) => each.filter((word) => found.has(word)).length / each.length);
  const unfound = [...new Set(claimed.flat())].filter((word) => !found.has(word));
  return {
    share: shares.length === 0 ? 0.5 : shares.reduce((sum, share) => sum + share, 0) / shares.length,
    unfound: unfound.slice(0, MAX_UNFOUND).map((word) => word.slice(0, MAX_WORD).toWellFormed()),
  };
}

const words = (text: string): string[] =>
  text
    .toLowerCase()
    .normalize("NFKC")
    .match(/[\p{L}\p{N}]{3,}/gu) ?? [];

/** The page on which the site contradicts itself, or the home page, and what to do about it. */
function shownOfHonesty(pages: SitePages["pages"], home: URL, doubts: readonly Doubt[], unfound: string[]) {
  const contradicting = pages.find(
    ({ measures }) =>
      (doubts.includes("commission_rate") && measures.paid) ||
      (doubts.includes("is_independent") && measures.parent),
  );
  const { page, seen_at, findings } =
    contradicting ?? pages.find((each) => each.page === home.href) ?? pages[0]!;
  const isPaid = doubts.includes("commission_rate");
  const link = isPaid ? findings.find(({ part }) => part === "affiliate") : undefined;
  const fix = isPaid
    ? "Declare the commission_rate that you take, or remove the paid links."
    : doubts.length > 0
      ? "Declare is_independent false, or remove the parent company."
      : unfound.length > 0
        ? `Say on your pages, or take out of name and tags: ${unfound.join(", ")}.`
        : "";
  const { selector, excerpt = "" } = link ?? {};
  const rule = doubts[0] ?? "unconfirmed_words";
  return [
    {
      page,
      seen_at,
      rule,
      severity: "low" as const,
      ...(selector !== undefined && { selector }),
      excerpt,
      fix,
    },
  ];
}

/** Each name once, with a page that has it. */
function toolsOfPages(pages: SitePages["pages"]): SiteTool[] {
  const all = pages.flatMap(({ page, tools = [] }) => tools.map((tool) => ({ ...tool, page })));
  return [...new Map(all.toReversed().map((tool) => [tool.name, tool])).values()]
    .toReversed()
    .slice(0, MAX_TOOLS);
}

/**
 * The record's evidence after a visit. A false declaration is held against a site only when two visits found it so: one
 * page may be an odd one. It is forgiven 90 days after it was last found.
 */
export function evidenceAfter(
  previous: MeasuredEvidence | undefined,
  measured: VisitMeasurements | undefined,
  now: number,
): MeasuredEvidence | undefined {
  if (!measured) return previous;
  const { doubts, confirmed, lastAt } = notesOf(previous);
  const again = measured.found.filter((doubt) => doubts.includes(doubt) || confirmed.includes(doubt));
  const stands = lastAt !== undefined && now - Date.parse(lastAt) < FORGIVEN_MS;
  const codes = [...new Set([...(stands ? confirmed : []), ...again])];
  const at = again.length > 0 || lastAt === undefined ? new Date(now).toISOString() : lastAt;
  const attackAt = measured.attackRead ? new Date(now).toISOString() : previous?.attack_seen_at;
  return {
    ...measured.evidence,
    ...(attackAt !== undefined && { attack_seen_at: attackAt }),
    ...(measured.doubts.length > 0 && { doubts: measured.doubts }),
    ...(codes.length > 0 && { contradictions: { confirmed: codes.length, last_at: at, codes } }),
  };
}

/** The crawl's own notes beside the measure: doubts of the last visit, and declarations that two visits found false. */
function notesOf(previous: MeasuredEvidence | undefined): {
  doubts: string[];
  confirmed: string[];
  lastAt: string | undefined;
} {
  const strings = (value: unknown): string[] =>
    Array.isArray(value) ? value.filter((one) => typeof one === "string") : [];
  const { contradictions, doubts } = previous ?? ({} as Partial<MeasuredEvidence>);
  return {
    doubts: strings(doubts),
    confirmed: strings(contradictions?.codes),
    lastAt: contradictions?.last_at,
  };
}
