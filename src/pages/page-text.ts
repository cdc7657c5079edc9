/**
 * What a page says to its readers: its visible text, links, headings and its directives for crawlers. Parsed like a browser does
 * (parse5), never executed. Style sheets are not read, so what only they hide counts as visible.
 */
import { type DefaultTreeAdapterTypes as Dom, html as names } from "parse5";
import { MAX_HTML_CHARS } from "../../schemas/common.ts";
import { attribute, MAX_NODES, type ParsedHtml, parseHtml } from "./parse-html.ts";

export interface PageLimits {
  /** UTF-16 units of HTML that are parsed. */
  maxHtmlChars: number;
  /** Nodes that parsing may make. Misnested formatting elements make many nodes from few characters. */
  maxNodes: number;
  maxTextChars: number;
  maxLinks: number;
  maxHeadings: number;
}

export interface PageLink {
  /** Absolute, http or https. */
  href: string;
  /** Lower-case link types, separated by single spaces. */
  rel: string;
  text: string;
}

export interface PageHeading {
  level: number;
  text: string;
}

export interface RobotsDirectives {
  noindex: boolean;
  nofollow: boolean;
}

export interface Page {
  title: string | null;
  description: string | null;
  /** The html element's `lang`, a language tag. */
  language: string | null;
  /** Visible text, every run of white space one space. */
  text: string;
  /** In document order; those of hidden elements are left out, since they are made for crawlers alone. */
  links: PageLink[];
  headings: PageHeading[];
  metaRobots: RobotsDirectives;
  /** A limit was reached: part of the page is missing here. */
  truncated: boolean;
}

const LIMITS: PageLimits = {
  maxHtmlChars: MAX_HTML_CHARS,
  maxNodes: MAX_NODES,
  maxTextChars: 100_000,
  maxLinks: 500,
  maxHeadings: 100,
};
const MAX_TITLE = 512;
const MAX_DESCRIPTION = 2_000;
const MAX_LINK_TEXT = 256;
const MAX_HREF = 2_048;

/** Elements whose content nobody sees, or sees only when something else fails. */
export const NOT_TEXT: ReadonlySet<string> = new Set(
  "audio canvas datalist embed iframe math noembed noframes noscript object script style svg template title video".split(
    " ",
  ),
);
/** Elements that do not part the words on their two sides. */
const INLINE = new Set(
  "a abbr acronym b bdi bdo big cite code data del dfn em font i ins kbd label mark nobr q s samp small span strike strong sub sup time tt u var wbr".split(
    " ",
  ),
);

/**
 * Reads an HTML page that came from `url`. Never throws; 2 MiB of anything takes less than a second.
 * @param html the page, or what parseHtml made of it
 */
export function readPage(html: string | ParsedHtml, url: URL, limits: Partial<PageLimits> = {}): Page {
  const bounds = { ...LIMITS, ...limits };
  const { document, complete } = typeof html === "string" ? parseHtml(html, bounds) : html;
  const reader = new PageReader(url, bounds);
  walk(document, reader);
  const page = reader.page();
  return { ...page, truncated: page.truncated || !complete };
}

/** The directives of a robots meta element's `content` or of an X-Robots-Tag field, for all crawlers. */
export function robotsDirectives(text: string): RobotsDirectives {
  const said = new Set(
    text
      .toLowerCase()
      .split(",")
      .map((directive) => directive.trim()),
  );
  return {
    noindex: said.has("noindex") || said.has("none"),
    nofollow: said.has("nofollow") || said.has("none"),
  };
}

/** Depth first with a stack of our own: a page may be nested deeper than the call stack. */
function walk(document: Dom.Document, reader: PageReader): void {
  const path: { node: Dom.ParentNode; next: number }[] = [{ node: document, next: 0 }];
  for (let top = path.at(-1); top !== undefined; top = path.at(-1)) {
    const child = top.node.childNodes[top.next++];
    if (child === undefined) {
      path.pop();
      if ("tagName" in top.node) reader.leave(top.node);
    } else if ("value" in child) {
      reader.text(child.value);
    } else if ("tagName" in child && reader.enter(child)) {
      path.push({ node: child, next: 0 });
    }
  }
}

/** Collects while the tree is walked. */
class PageReader {
  readonly #limits: PageLimits;
  #base: URL;
  #baseSet = false;
  readonly #body: Words;
  #title: Words | undefined;
  #description: string | undefined;
  #ogDescription: string | undefined;
  #language: string | null = null;
  readonly #links: { href: string; rel: string; words: Words; element: Dom.Element }[] = [];
  readonly #headings: { level: number; words: Words; element: Dom.Element }[] = [];
  readonly #metaRobots: RobotsDirectives = { noindex: false, nofollow: false };
  /** The innermost link and heading that are open: text belongs to one of each. */
  #link: { words: Words; element: Dom.Element } | undefined;
  #heading: { words: Words; element: Dom.Element } | undefined;
  /** Whether the walk is inside the document's title. */
  #inTitle = false;
  #truncated = false;

  constructor(url: URL, limits: PageLimits) {
    this.#limits = limits;
    this.#base = url;
    this.#body = new Words(limits.maxTextChars);
  }

  /** Whether the element's content is to be walked. */
  enter(element: Dom.Element): boolean {
    const { tagName } = element;
    if (element.namespaceURI !== names.NS.HTML) return false;
    if (tagName === "html") this.#language = languageOf(element);
    else if (tagName === "meta") this.#meta(element);
    else if (tagName === "base") this.#setBase(element);
    else if (tagName === "title" && this.#title === undefined) {
      this.#title = new Words(MAX_TITLE);
      this.#inTitle = true;
      return true;
    }
    if (tagName === "head") return true;
    if (NOT_TEXT.has(tagName) || isHidden(element)) return false;
    if (!INLINE.has(tagName)) this.#part();
    if (tagName === "a" || tagName === "area") this.#openLink(element);
    else if (/^h[1-6]$/.test(tagName)) this.#openHeading(element);
    return true;
  }

  leave(element: Dom.Element): void {
    if (this.#inTitle) {
      this.#inTitle = false;
      return;
    }
    if (!INLINE.has(element.tagName)) this.#part();
    if (this.#link?.element === element) this.#link = undefined;
    if (this.#heading?.element === element) this.#heading = undefined;
  }

  text(value: string): void {
    if (this.#inTitle) {
      this.#title?.add(value);
      return;
    }
    this.#body.add(value);
    this.#link?.words.add(value);
    this.#heading?.words.add(value);
  }

  page(): Page {
    return {
      title: this.#title?.toString() || null,
      description: this.#description || this.#ogDescription || null,
      language: this.#language,
      text: this.#body.toString(),
      links: this.#links.map(({ href, rel, words }) => ({ href, rel, text: words.toString() })),
      headings: this.#headings.map(({ level, words }) => ({ level, text: words.toString() })),
      metaRobots: { ...this.#metaRobots },
      truncated: this.#truncated || this.#body.cut,
    };
  }

  #part(): void {
    this.#body.part();
    this.#link?.words.part();
    this.#heading?.words.part();
  }

  #meta(element: Dom.Element): void {
    const name = (attribute(element, "name") ?? attribute(element, "property") ?? "").trim().toLowerCase();
    const content = attribute(element, "content") ?? "";
    if (name === "description") this.#description ??= collapse(content, MAX_DESCRIPTION);
    else if (name === "og:description") this.#ogDescription ??= collapse(content, MAX_DESCRIPTION);
    else if (name === "robots") {
      const said = robotsDirectives(content);
      this.#metaRobots.noindex ||= said.noindex;
      this.#metaRobots.nofollow ||= said.nofollow;
    }
  }

  /** The first base element with an href counts (HTML section 4.2.3). */
  #setBase(element: Dom.Element): void {
    const href = attribute(element, "href");
    if (href === undefined || this.#baseSet) return;
    this.#baseSet = true;
    this.#base = webUrl(href, this.#base) ?? this.#base;
  }

  #openLink(element: Dom.Element): void {
    const href = attribute(element, "href");
    const to = href === undefined ? undefined : webUrl(href, this.#base)?.href;
    if (to === undefined || to.length > MAX_HREF) return;
    if (this.#links.length >= this.#limits.maxLinks) {
      this.#truncated = true;
      return;
    }
    const rel = collapse(attribute(element, "rel") ?? "", MAX_LINK_TEXT).toLowerCase();
    const words = new Words(MAX_LINK_TEXT);
    if (element.tagName === "area") words.add(attribute(element, "alt") ?? "");
    else this.#link = { words, element };
    this.#links.push({ href: to, rel, words, element });
  }

  #openHeading(element: Dom.Element): void {
    if (this.#headings.length >= this.#limits.maxHeadings) {
      this.#truncated = true;
      return;
    }
    this.#heading = { words: new Words(MAX_TITLE), element };
    this.#headings.push({ level: Number(element.tagName.slice(1)), ...this.#heading });
  }
}

/** Text with its white space collapsed as it comes, up to a length. */
class Words {
  readonly #max: number;
  #text = "";
  #parted = false;
  /** Something did not fit. */
  cut = false;

  constructor(max: number) {
    this.#max = max;
  }

  /** What comes next is another word. */
  part(): void {
    this.#parted = true;
  }

  add(value: string): void {
    if (this.cut || value === "") return;
    const words = value.replace(/[\s\u0000-\u001f\u007f-\u009f]+/g, " ");
    if (words === " ") {
      this.#parted = true;
      return;
    }
    const apart = this.#parted || words.startsWith(" ");
    this.#text += (apart && this.#text !== "" ? " " : "") + words.trim();
    this.#parted = words.endsWith(" ");
    this.cut = this.#text.length > this.#max;
    if (this.cut) this.#text = cutAt(this.#text, this.#max);
  }

  toString(): string {
    return this.#text.toWellFormed();
  }
}

function collapse(text: string, max: number): string {
  const words = new Words(max);
  words.add(text);
  return words.toString();
}

/** Never in the middle of a surrogate pair. */
function cutAt(text: string, max: number): string {
  const last = text.charCodeAt(max - 1);
  return text.slice(0, last >= 0xd8_00 && last <= 0xdb_ff ? max - 1 : max);
}

function languageOf(element: Dom.Element): string | null {
  const language = attribute(element, "lang")?.trim() ?? "";
  return /^[A-Za-z]{2,8}(?:-[A-Za-z0-9]{1,8}){0,8}$/.test(language) ? language : null;
}

/** Whether the element says by itself that nobody sees it. */
export function isHidden(element: Dom.Element): boolean {
  if (element.tagName === "dialog" && attribute(element, "open") === undefined) return true;
  for (const { name, value } of element.attrs) {
    if (name === "hidden") return true;
    if (name === "style" && /(?:^|;)\s*(?:display\s*:\s*none|visibility\s*:\s*hidden)\b/i.test(value))
      return true;
  }
  return false;
}

/** An http or https address, or undefined. */
export function webUrl(href: string, base: URL): URL | undefined {
  const url = URL.parse(href, base.href);
  return url?.protocol === "http:" || url?.protocol === "https:" ? url : undefined;
}
