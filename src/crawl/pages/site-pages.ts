/** What is known of each page of a site, after a visit that read some of them. Pure. */
import { createHash } from "node:crypto";
import type { PageRecord, SitePages } from "../../../schemas/site-pages.ts";
import { decidingPages } from "../../domain/trust/page-evidence.ts";
import { DAY_MS, iso } from "../../ports/time.ts";
import type { PageEvidence } from "./evidence.ts";

/** Pages of a site, and addresses that gave none, that are kept. */
export const MAX_PAGES = 50;
/** What is older counts for a sixteenth, and is let go. */
const MAX_AGE_MS = 360 * DAY_MS;
/** Bytes of findings and tools that are kept of a site; of pages beyond, the measures alone. */
const MAX_FINDINGS_BYTES = 65_536;

/** A page that was read. */
export interface PageVisit {
  /** The address that was asked for. */
  page: string;
  text: string;
  /** It asks not to be shown in searches: its text is not kept. */
  noindex: boolean;
  evidence: PageEvidence;
}

/** What a visit asked for and got. */
export interface PagesVisit {
  read: PageVisit[];
  /** There is no such page to read. */
  gone: string[];
  /** They did not answer. */
  failed: string[];
}

/**
 * @param before what was known
 * @param now milliseconds
 */
export function pagesAfter(
  before: SitePages | undefined,
  { read, gone, failed }: PagesVisit,
  home: URL,
  now: number,
): SitePages {
  const replaced = new Set([...read.map(({ page }) => page), ...gone]);
  const kept = (before?.pages ?? []).filter(
    ({ page, seen_at }) =>
      !replaced.has(page) && URL.parse(page)?.host === home.host && now - Date.parse(seen_at) < MAX_AGE_MS,
  );
  const fresh = read.map((visit) => recordOf(visit, now));
  const tried = [...gone, ...failed].map((page) => ({ page, tried_at: iso(now) }));
  const asked = new Set([...replaced, ...failed]);
  const unread = [...tried, ...(before?.unread ?? []).filter(({ page }) => !asked.has(page))];
  return {
    ...before,
    v: 1,
    pages: withinBytes(newest([...fresh, ...kept], home.href, now)),
    unread: unread.slice(0, MAX_PAGES),
  };
}

const recordOf = ({ page, text, evidence }: PageVisit, now: number): PageRecord => ({
  page,
  seen_at: iso(now),
  text_hash: hashOf(text),
  ...evidence,
});

const hashOf = (text: string): string => createHash("sha256").update(text).digest("base64url").slice(0, 16);

function withinBytes(pages: readonly PageRecord[]): PageRecord[] {
  let left = MAX_FINDINGS_BYTES;
  return pages.map((page) => {
    const { tools = [], ...rest } = page;
    left -= Buffer.byteLength(JSON.stringify([page.findings, tools]));
    return left < 0 ? { ...rest, findings: [] } : page;
  });
}

/** The newest pages; beside them those that decide: more clean pages do not push a trap out. */
function newest(pages: readonly PageRecord[], home: string, now: number): PageRecord[] {
  const deciding = new Set([
    ...pages.filter(({ page, measures }) => page === home || measures.malicious),
    ...decidingPages(pages, now),
  ]);
  return pages
    .toSorted(
      (a, b) =>
        Number(deciding.has(b)) - Number(deciding.has(a)) || Date.parse(b.seen_at) - Date.parse(a.seen_at),
    )
    .slice(0, MAX_PAGES);
}

/** Characters of the texts that may be kept. */
export const charactersRead = ({ read }: Pick<PagesVisit, "read">): number =>
  read.reduce((sum, { text, noindex }) => sum + (noindex ? 0 : text.length), 0);

/** Whether a page that was known says something else now; undefined where none was. */
export function saysOtherwise(before: SitePages | undefined, { read }: PagesVisit): boolean | undefined {
  if (!before || before.pages.length === 0) return undefined;
  const hashes = new Map(before.pages.map(({ page, text_hash }) => [page, text_hash]));
  return read.some(({ page, text }) => hashes.has(page) && hashes.get(page) !== hashOf(text));
}
