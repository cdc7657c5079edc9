/** Whether two reports are about the same thing: one address in several spellings, or one fault on pages of one template. */

/** Tracking parameters, which change nothing of a page. */
const TRACKING =
  /^(utm_\w+|gclid|gbraid|wbraid|dclid|fbclid|msclkid|yclid|igshid|mc_[ce]id|_ga|_gl|ref|ref_src|source|spm|scm)$/i;
const INDEX_PAGE = /\/(index|default)\.(html?|php|aspx?|jsp)$/i;

/** The canonical form of an address (RFC 3986 section 6.2): what remains distinguishes pages. */
export const canonicalUrlOf = (address: URL): string => {
  const url = new URL(address.href);
  url.protocol = "https:";
  url.username = "";
  url.password = "";
  url.hash = "";
  url.hostname = url.hostname.replace(/^www\./, "").replace(/\.$/, "");
  if (url.port === "80" || url.port === "443") url.port = "";
  for (const name of [...url.searchParams.keys()]) if (TRACKING.test(name)) url.searchParams.delete(name);
  url.searchParams.sort();
  let path = url.pathname.replace(/\/{2,}/g, "/").replace(INDEX_PAGE, "/");
  // Percent-encodings of unreserved characters are the characters themselves.
  path = path.replace(/%[\da-f]{2}/gi, (code) => {
    const character = String.fromCharCode(Number.parseInt(code.slice(1), 16));
    return /[\w.~-]/.test(character) ? character : code.toUpperCase();
  });
  url.pathname = path.length > 1 ? path.replace(/\/$/, "") : path;
  return url.href;
};

/** Pages of one template: numbers and long ids in the path are the same. */
const templateOf = (canonicalUrl: string): string => {
  const { host, pathname } = new URL(canonicalUrl);
  return `${host}${pathname.replace(/\d+/g, "0").replace(/[0-9a-f]{12,}/gi, "0")}`;
};

const wordsOf = (text: string): Set<string> =>
  new Set(
    text
      .normalize("NFKC")
      .toLowerCase()
      .match(/[\p{L}\p{N}]{3,}/gu) ?? [],
  );

/** Words that two descriptions share, by those of both (Jaccard). */
export const likeness = (one: string, other: string): number => {
  const [a, b] = [wordsOf(one), wordsOf(other)];
  if (a.size === 0 || b.size === 0) return 0;
  let shared = 0;
  for (const word of a) if (b.has(word)) shared++;
  return shared / (a.size + b.size - shared);
};

/** From this likeness on, two descriptions of pages of one template are of one fault; of one page, much less is enough. */
const LEAST_LIKENESS = 0.35;
const LEAST_LIKENESS_OF_PAGE = 0.12;
/** A description of fewer words cannot distinguish two faults of one page. */
const FEW_WORDS = 3;

export interface Reported {
  canonicalUrl: string;
  description: string;
}

const isOneFault = (one: string, other: string): boolean =>
  Math.min(wordsOf(one).size, wordsOf(other).size) < FEW_WORDS ||
  likeness(one, other) >= LEAST_LIKENESS_OF_PAGE;

/** For two reports of one kind about one registrable domain. */
export const isDuplicate = (one: Reported, other: Reported): boolean =>
  (one.canonicalUrl === other.canonicalUrl && isOneFault(one.description, other.description)) ||
  (templateOf(one.canonicalUrl) === templateOf(other.canonicalUrl) &&
    likeness(one.description, other.description) >= LEAST_LIKENESS);
