/** What all pages of a visit show together: feeds the neutrality score (src/domain/listing/listing.ts). Pure, and no page's own text. */
import type { DiscoveryDocument } from "../../../schemas/discovery-document.ts";
import type { MeasuredEvidence } from "../../../schemas/site.ts";
import { isNetworkHost } from "../../detectors/affiliate/addresses.ts";
import type { PageEvidence } from "./evidence.ts";

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

/** What is said of a site whose reason is `malicious_page`. */
export const MALICIOUS_DETAIL = "A page hides instructions to machines from its readers.";

/** A declaration that pages contradict. */
export type Doubt = "commission_rate" | "is_independent";

const words = (text: string): string[] =>
  text
    .toLowerCase()
    .normalize("NFKC")
    .match(/[\p{L}\p{N}]{3,}/gu) ?? [];

const least = (values: readonly number[]): number => Math.min(1, ...values);

const rounded = (value: number): number => Math.round(value * 1_000) / 1_000;

/** Collects what pages show. One a visit. */
export class EvidenceCollector {
  readonly #pages: PageEvidence[] = [];

  add(page: PageEvidence): void {
    this.#pages.push(page);
  }

  /** A page hides instructions to the machines that read it: such a site is not ranked down, it is not listed. */
  get isMalicious(): boolean {
    return this.#any("malicious");
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
      malicious: this.isMalicious,
    };
  }
}

/** What one visit measured. */
export interface Measured {
  evidence: MeasuredEvidence;
  doubts: Doubt[];
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
