/** One spelling of an address for all that lead to one page. */

/** Tracking parameters, which change nothing of a page. */
const TRACKING =
  /^(utm_\w+|gclid|gbraid|wbraid|dclid|fbclid|msclkid|yclid|igshid|mc_[ce]id|_ga|_gl|ref|ref_src|source|spm|scm)$/i;
const INDEX_PAGE = /\/(index|default)\.(html?|php|aspx?|jsp)$/i;

/** The canonical form of an address (RFC 3986 section 6.2): what remains distinguishes pages. */
export function canonicalUrl(address: URL): string {
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
}
