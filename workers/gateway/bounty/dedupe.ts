/** Whether two reports are about the same thing: one address in several spellings, or one fault on pages of one template. */

/** From this likeness on, two descriptions of pages of one template are of one fault; of one page, much less is enough. */
const LEAST_LIKENESS = 0.35;
const LEAST_LIKENESS_OF_PAGE = 0.12;
/** A description of fewer words cannot distinguish two faults of one page. */
const FEW_WORDS = 3;

export interface ReportText {
  canonicalUrl: string;
  description: string;
}

/** For two reports of one kind about one registrable domain. */
export const isDuplicate = (one: ReportText, other: ReportText): boolean =>
  (one.canonicalUrl === other.canonicalUrl && isOneFault(one.description, other.description)) ||
  (templateOf(one.canonicalUrl) === templateOf(other.canonicalUrl) &&
    likeness(one.description, other.description) >= LEAST_LIKENESS);

const isOneFault = (one: string, other: string): boolean =>
  Math.min(wordsOf(one).size, wordsOf(other).size) < FEW_WORDS ||
  likeness(one, other) >= LEAST_LIKENESS_OF_PAGE;

const wordsOf = (text: string): Set<string> =>
  new Set(
    text
      .normalize("NFKC")
      .toLowerCase()
      .match(/[\p{L}\p{N}]{3,}/gu) ?? [],
  );

/** Words that two descriptions share, by those of both (Jaccard). */
export function likeness(one: string, other: string): number {
  const [a, b] = [wordsOf(one), wordsOf(other)];
  if (a.size === 0 || b.size === 0) return 0;
  let shared = 0;
  for (const word of a) if (b.has(word)) shared++;
  return shared / (a.size + b.size - shared);
}

/** Pages of one template: numbers and long ids in the path are the same. */
function templateOf(canonicalUrl: string): string {
  const { host, pathname } = new URL(canonicalUrl);
  return `${host}${pathname.replace(/\d+/g, "0").replace(/[0-9a-f]{12,}/gi, "0")}`;
}
