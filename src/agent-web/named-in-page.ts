/** What a front page names: addresses of descriptors in `<link>` and `<a rel>`, and its JSON-LD. Pure; read in a thread. */
import { isJsonLd } from "../pages/json-ld.ts";
import { attribute, type Element, parseHtml } from "../pages/parse-html.ts";
import { rawText } from "../pages/visible-text.ts";
import { addNamed, MAX_NAMED, type NamedAddress } from "./named-addresses.ts";

const MAX_HTML_CHARS = 1024 * 1024;

const MAX_BLOCKS = 50;
const MAX_BLOCK_CHARS = 256 * 1024;

export interface NamedInPage {
  /** Of the first elements that name any. */
  named: NamedAddress[];
  /** Texts of its scripts of JSON-LD. */
  blocks: string[];
}

/** @param url address of the page */
export function namedInPage(html: string, url: string): NamedInPage {
  const elements: Element[] = [];
  const scripts: Element[] = [];
  parseHtml(html, {
    maxHtmlChars: MAX_HTML_CHARS,
    onElement: (element) => {
      const { tagName } = element;
      if (tagName === "link" || tagName === "a" || tagName === "base") elements.push(element);
      else if (tagName === "script" && isJsonLd(attribute(element, "type"))) scripts.push(element);
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
  const blocks = scripts
    .slice(0, MAX_BLOCKS)
    .map((script) => rawText(script, MAX_BLOCK_CHARS + 1))
    .filter(({ length }) => length <= MAX_BLOCK_CHARS);
  return { named: found, blocks };
}
