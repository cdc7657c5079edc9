/** A page as Markdown for a reader that counts tokens: what a person sees, links and forms by number. Pure and linear. */
import { attribute } from "../pages/parse-html.ts";
import { oneLine, readShown, type TextVisitor } from "../pages/visible-text.ts";
import { controlLabel, type Page, type PageElement } from "./controls.ts";
import { namedLinks, shownForms } from "./describe.ts";
import type { PageMarkdown } from "./markdown-window.ts";
import { formInfo } from "./page-info.ts";

/** Links that are numbered; the rest are text. */
const MAX_LINKS = 500;
/** Markdown that is looked at in all. */
const MAX_CHARS = 120_000;

/** What begins an element's line. */
const LINE_STARTS = new Map<string, string>([
  ...[1, 2, 3, 4, 5, 6].map((level) => [`h${level}`, `${"#".repeat(level)} `] as const),
  ["li", "- "],
  ["dt", "- "],
  ["dd", "  "],
  ["blockquote", "> "],
]);
const BLOCKS: ReadonlySet<string> = new Set(
  "address article aside body br caption details dialog div dl fieldset figcaption figure footer form header hgroup hr html legend main menu nav ol option p pre section summary table tbody tfoot thead tr ul".split(
    " ",
  ),
);

/** Brackets would read as numbers of links and forms, which pages must not be able to write. */
const escaped = (text: string): string => text.replace(/[[\]\\]/g, "\\$&");

interface Numbers {
  links: ReadonlyMap<PageElement, number>;
  forms: ReadonlyMap<PageElement, number>;
}

/** Text in lines: blanks are single ones, and lines that would be empty are none. */
class Lines {
  text = "";
  #line = "";
  #start = "";
  #gap = false;

  add(words: string): void {
    const plain = oneLine(words);
    if (plain === "") {
      this.#gap ||= words !== "";
      return;
    }
    this.#line += `${(this.#gap || /^\s/.test(words)) && this.#line !== "" ? " " : ""}${plain}`;
    this.#gap = /\s$/.test(words);
  }

  /** Marks, with no blank before them. */
  mark(text: string): void {
    this.#line += `${this.#gap && this.#line !== "" ? " " : ""}${text}`;
    this.#gap = false;
  }

  begin(start: string): void {
    if (this.#line !== "") {
      this.text += `${this.text === "" ? "" : "\n"}${this.#start}${this.#line}`;
      this.#start = "";
    }
    this.#line = "";
    this.#gap = false;
    if (start !== "") this.#start = start;
  }
}

/** Writes what is seen: lines, and the marks of cells, images, links and forms. */
class MarkdownWriter implements TextVisitor {
  readonly lines = new Lines();
  readonly #numbers: Numbers;

  constructor(numbers: Numbers) {
    this.#numbers = numbers;
  }

  get isFull(): boolean {
    return this.lines.text.length > MAX_CHARS;
  }

  open(element: PageElement): void {
    const { lines } = this;
    const { tagName } = element;
    const start = LINE_STARTS.get(tagName);
    if (start !== undefined || BLOCKS.has(tagName)) lines.begin(start ?? "");
    if (tagName === "td" || tagName === "th") lines.add(" ");
    const form = this.#numbers.forms.get(element);
    if (form !== undefined) {
      lines.mark(`[form ${form}]`);
      lines.begin("");
    }
    if (tagName === "img") lines.add(` ${escaped(attribute(element, "alt") ?? "")} `);
    if (this.#numbers.links.has(element)) lines.mark("[");
  }

  text(value: string): void {
    this.lines.add(escaped(value));
  }

  close(element: PageElement): void {
    const link = this.#numbers.links.get(element);
    if (link !== undefined) this.lines.mark(`][${link}]`);
    if (LINE_STARTS.has(element.tagName) || BLOCKS.has(element.tagName)) this.lines.begin("");
  }
}

const MAX_NAME = 80;

/** The whole page, with its numbered links and forms. */
export function readMarkdown(page: Page): PageMarkdown {
  const links = namedLinks(page, MAX_LINKS);
  const forms = shownForms(page);
  const { text, cut } = markdownOf(page, {
    links: new Map(links.map(({ element }, index) => [element, index + 1])),
    forms: new Map(forms.map((form, index) => [form, index + 1])),
  });
  return {
    text,
    links: links.map(({ url, text: said }, index) => ({
      n: index + 1,
      text: said.slice(0, MAX_NAME).toWellFormed(),
      href: url.href,
    })),
    forms: forms.map((form, index) => ({ n: index + 1, name: nameOf(page, form), ...formInfo(page, form) })),
    truncated: cut || page.truncated,
  };
}

function markdownOf({ model }: Page, numbers: Numbers): { text: string; cut: boolean } {
  const writer = new MarkdownWriter(numbers);
  readShown(model, model.document, writer);
  writer.lines.begin("");
  const { text } = writer.lines;
  return { text: text.slice(0, MAX_CHARS).toWellFormed(), cut: text.length > MAX_CHARS };
}

const nameOf = (page: Page, form: PageElement): string =>
  (
    oneLine(attribute(form, "aria-label") ?? attribute(form, "name") ?? attribute(form, "id") ?? "") ||
    controlLabel(page, form)
  )
    .slice(0, MAX_NAME)
    .toWellFormed();
