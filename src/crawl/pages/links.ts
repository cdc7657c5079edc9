/** Which of a page's links a visit follows. Pure. */

/** Links that one page can bring in. */
const MAX_LINKS = 100;

/** Addresses without fragment, each once, that are worth reading. */
export function linksWorthReading(links: Iterable<URL>, home: URL): string[] {
  const worth = new Set<string>();
  for (const link of links) {
    if (!worthReading(link, home)) continue;
    const [address] = link.href.split("#", 1);
    worth.add(address!);
    if (worth.size >= MAX_LINKS) break;
  }
  return [...worth];
}

/** Paths worth reading after the home page: same host, shallow, none that repeats itself as a calendar does. */
export function worthReading(link: URL, home: URL): boolean {
  if (link.host !== home.host || link.search.length > 64 || link.pathname.length > 256) return false;
  const segments = link.pathname.split("/").filter(Boolean);
  return segments.length > 0 && segments.length <= 4 && new Set(segments).size === segments.length;
}
