/**
 * What a visit's pages show of how a site deals with its visitors: by the gateway's own rules, on the pages that the
 * visit reads anyway. Feeds the neutrality score (src/domain/listing.ts); bounded in time by what is read of each page.
 */
import type { DiscoveryDocument } from "../../schemas/discovery-document.ts";
import type { MeasuredEvidence } from "../../schemas/site.ts";
import type { ParsedHtml } from "../../src/domain/parse-html.ts";
import { isNetworkHost } from "../gateway/affiliate/addresses.ts";
import { type PageScan, scanPage, type Verdict } from "../gateway/affiliate/rules.ts";
import { type PageModel, readPageModel, type Segment } from "../gateway/common/page-model.ts";
import { cleannessOf } from "../gateway/dark-pattern/rules.ts";
import { hidesInstructions } from "../gateway/firewall/rules.ts";

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

/** A declaration that pages contradict. */
export type Doubt = "commission_rate" | "is_independent";

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

const words = (text: string): string[] =>
  text
    .toLowerCase()
    .normalize("NFKC")
    .match(/[\p{L}\p{N}]{3,}/gu) ?? [];

const least = (values: readonly number[]): number => Math.min(1, ...values);

const rounded = (value: number): number => Math.round(value * 1_000) / 1_000;

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

/** Collects what pages show. One a visit. */
export class EvidenceCollector {
  readonly #pages: PageEvidence[] = [];

  add(page: PageEvidence): void {
    this.#pages.push(page);
  }

  #any(what: "malicious" | "paid" | "owner" | "contact" | "parent"): boolean {
    return this.#pages.some((page) => page[what]);
  }

  /** Declarations that these pages contradict. */
  doubts({ fairness }: DiscoveryDocument, host: string): Doubt[] {
    const doubts: Doubt[] = [];
    if (fairness.commission_rate === 0 && this.#any("paid")) doubts.push("commission_rate");
    // A network, or a part of another company, that calls itself independent.
    if (fairness.is_independent && (this.#any("parent") || isNetworkHost(host)))
      doubts.push("is_independent");
    return doubts;
  }

  /** The share of what the site says of itself that its pages bear out: its name, its tags, its commission. */
  #honesty(document: DiscoveryDocument, text: string, doubts: readonly Doubt[]): number {
    const found = new Set(words(text));
    const shares = [words(document.provider.name), (document.intent_tags ?? []).flatMap(words)]
      .filter((claimed) => claimed.length > 0)
      .map((claimed) => claimed.filter((word) => found.has(word)).length / claimed.length);
    const borne = shares.length === 0 ? 0.5 : shares.reduce((sum, share) => sum + share, 0) / shares.length;
    // Words differ between a document and its pages without a lie: they are worth half.
    return doubts.length > 0 ? 0 : 0.5 + borne / 2;
  }

  /**
   * @param text what was read of the pages, title included
   * @param now milliseconds
   * @returns undefined when no page was looked at
   */
  measured(document: DiscoveryDocument, host: string, text: string, now: number): Measured | undefined {
    if (this.#pages.length === 0) return undefined;
    const doubts = this.doubts(document, host);
    const trackers = new Map(
      this.#pages.flatMap((page) => page.trackers.map(({ name, purpose }) => [name, purpose])),
    );
    const cost = [...trackers.values()].reduce((sum, purpose) => sum + (TRACKER_COST[purpose] ?? 0.1), 0);
    const ownership = 0.2 + (this.#any("owner") ? 0.4 : 0) + (this.#any("contact") ? 0.4 : 0);
    return {
      evidence: {
        dark: rounded(least(this.#pages.map(({ dark }) => dark))),
        affiliate: rounded(least(this.#pages.map(({ affiliate }) => affiliate))),
        trackers: rounded(Math.max(0, 1 - cost)),
        ownership: rounded(doubts.includes("is_independent") ? 0 : ownership),
        honesty: rounded(this.#honesty(document, text, doubts)),
        pages: this.#pages.length,
        measured_at: new Date(now).toISOString(),
      },
      doubts,
      malicious: this.#any("malicious"),
    };
  }
}

/** What one visit measured. */
export interface Measured {
  evidence: MeasuredEvidence;
  doubts: Doubt[];
  /** A page hides instructions to the machines that read it: such a site is not ranked down, it is not listed. */
  malicious: boolean;
}

const FORGIVEN_MS = 90 * 86_400_000;

/** The crawl's own notes beside the measure: doubts of the last visit, and declarations that two visits found false. */
const notesOf = (
  previous: MeasuredEvidence | undefined,
): { doubts: string[]; confirmed: string[]; lastAt: string | undefined } => {
  const strings = (value: unknown): string[] =>
    Array.isArray(value) ? value.filter((one) => typeof one === "string") : [];
  const { contradictions, doubts } = previous ?? ({} as Partial<MeasuredEvidence>);
  return {
    doubts: strings(doubts),
    confirmed: strings(contradictions?.codes),
    lastAt: contradictions?.last_at,
  };
};

/**
 * The record's evidence after a visit. A false declaration is held against a site only when two visits in a row found
 * it so: one page may be an odd one. It is forgiven 90 days after it was last found.
 */
export const evidenceAfter = (
  previous: MeasuredEvidence | undefined,
  measured: Measured | undefined,
  now: number,
): MeasuredEvidence | undefined => {
  if (!measured) return previous;
  const { doubts, confirmed, lastAt } = notesOf(previous);
  const again = measured.doubts.filter((doubt) => doubts.includes(doubt) || confirmed.includes(doubt));
  const stands = lastAt !== undefined && now - Date.parse(lastAt) < FORGIVEN_MS;
  const codes = [...new Set([...(stands ? confirmed : []), ...again])];
  const at = again.length > 0 || lastAt === undefined ? new Date(now).toISOString() : lastAt;
  return {
    ...measured.evidence,
    ...(measured.doubts.length > 0 && { doubts: measured.doubts }),
    ...(codes.length > 0 && { contradictions: { confirmed: codes.length, last_at: at, codes } }),
  };
};
