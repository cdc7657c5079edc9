/** Addresses of descriptors that a front page names in `<link>` and `<a rel>`. Pure; read in a thread. */
import { attribute, type Element, parseHtml } from "../pages/parse-html.ts";
import { addNamed, MAX_NAMED, type NamedAddress } from "./named-addresses.ts";

const MAX_HTML_CHARS = 1024 * 1024;

/** Of the first elements that name any. @param url address of the page */
export function namedInPage(html: string, url: string): NamedAddress[] {
  const elements: Element[] = [];
  parseHtml(html, {
    maxHtmlChars: MAX_HTML_CHARS,
    onElement: (element) => {
      const { tagName } = element;
      if (tagName === "link" || tagName === "a" || tagName === "base") elements.push(element);
    },
  });
  const own = new URL(url);
  const baseHref = elements.map((each) => (each.tagName === "base" ? attribute(each, "href") : undefined));
  const base = URL.parse(baseHref.find((href) => href !== undefined) ?? "", own.href) ?? own;
  const found: NamedAddress[] = [];
  for (const element of elements) {
    const rel = attribute(element, "rel");
    const href = attribute(element, "href");
    if (rel && href) addNamed(found, href, rel, attribute(element, "type") ?? "", base, "html");
    if (found.length >= MAX_NAMED) break;
  }
  return found;
}
