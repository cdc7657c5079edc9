/**
 * What the pages of a site show together. A trap is not hidden by clean pages beside it: dark patterns and affiliate
 * marketing count by the worst page, the other parts are means; old pages weigh less. Pure.
 */
import type { MeasuredEvidence, ShownEvidence } from "../../../schemas/site.ts";
import type { PageRecord } from "../../../schemas/site-pages.ts";
import { DAY_MS } from "../../ports/time.ts";
import { ageWeight } from "./neutrality.ts";

/** Parts that one page decides: a page in a hundred that tricks visitors is a site that does. */
const BY_WORST_PAGE = ["dark", "affiliate"] as const;
const BY_MEAN = ["trackers", "ownership"] as const;
type PagePart = (typeof BY_WORST_PAGE)[number] | (typeof BY_MEAN)[number];

/** Pages or findings that are shown of a part. */
export const MAX_SHOWN = 3;

/** The pages that decide a part each, where one takes from it. */
export const decidingPages = (pages: readonly PageRecord[], at: number): PageRecord[] =>
  BY_WORST_PAGE.flatMap((part) => worstFirst(pages, part, at).slice(0, 1));

const worstFirst = (pages: readonly PageRecord[], part: PagePart, at: number): PageRecord[] =>
  pages
    .filter((page) => harmOf(page, part, at) > 0)
    .toSorted((a, b) => harmOf(b, part, at) - harmOf(a, part, at));

/** What a page takes from a part, by its age. */
const harmOf = (page: PageRecord, part: PagePart, at: number): number =>
  (1 - page.measures[part]) * weightOf(page, at);

/** Of measured_at: half after 90 days. */
const weightOf = ({ seen_at }: PageRecord, at: number): number =>
  ageWeight((at - Date.parse(seen_at)) / DAY_MS);

/**
 * The parts that pages are measured by, with the pages that move each most.
 * @param pages at least one
 * @param at milliseconds: when the last of them was read
 */
export function evidenceOfPages(pages: readonly PageRecord[], at: number): MeasuredEvidence {
  const shown: Record<string, ShownEvidence[]> = {};
  const evidence: MeasuredEvidence = { pages: pages.length, measured_at: new Date(at).toISOString(), shown };
  for (const part of BY_WORST_PAGE)
    evidence[part] = rounded(1 - Math.max(...pages.map((page) => harmOf(page, part, at))));
  for (const part of BY_MEAN) evidence[part] = rounded(mean(pages, part, at));
  for (const part of [...BY_WORST_PAGE, ...BY_MEAN]) {
    const worst = worstFirst(pages, part, at).slice(0, MAX_SHOWN);
    if (worst.length > 0) shown[part] = worst.flatMap((page) => shownOf(page, part)).slice(0, MAX_SHOWN);
  }
  const attacks = pages.filter(({ measures }) => measures.malicious);
  if (attacks.length > 0)
    shown.malicious = attacks.flatMap((page) => shownOf(page, "malicious")).slice(0, MAX_SHOWN);
  return evidence;
}

/** To thousandths. */
export const rounded = (value: number): number => Math.round(value * 1_000) / 1_000;

function mean(pages: readonly PageRecord[], part: PagePart, at: number): number {
  const weights = pages.map((page) => weightOf(page, at));
  const sum = pages.reduce((all, { measures }, i) => all + measures[part] * weights[i]!, 0);
  return sum / weights.reduce((all, weight) => all + weight, 0);
}

/** What was found on a page; the page alone where something is missing from it. */
function shownOf({ page, seen_at, findings }: PageRecord, part: PagePart | "malicious"): ShownEvidence[] {
  const found = findings
    .filter((finding) => finding.part === part)
    .map(({ part: _, ...finding }) => ({ page, seen_at, ...finding }));
  return found.length > 0 ? found : [{ page, seen_at, rule: "", severity: "low", excerpt: "", fix: "" }];
}
