/** A page as Markdown, and the part of it that a reader asks for. Loads nothing that reads pages. Pure. */
import type { ReadForm, ReadLink } from "../../schemas/read-page.ts";
import { endWithin } from "./tokens.ts";

export interface PageMarkdown {
  text: string;
  links: ReadLink[];
  forms: ReadForm[];
  /** A limit was met: something of the page is not here. */
  truncated: boolean;
}

/**
 * A window of a page's Markdown, with the links and forms that are numbered in it.
 * @param offset where it begins, in UTF-16 units of the whole
 * @param tokens the most that it may take
 */
export function markdownWindow(
  { text, links, forms, truncated }: PageMarkdown,
  offset: number,
  tokens: number,
) {
  const from = Math.min(offset, text.length);
  const end = endWithin(text, tokens, from);
  const line = end < text.length ? text.lastIndexOf("\n", end) : -1;
  const to = line > from ? line + 1 : end;
  const markdown = text.slice(from, to).toWellFormed();
  const shownLinks = numbersIn(markdown, /\]\[(\d{1,3})\]/g);
  const shownForms = numbersIn(markdown, /\[form (\d{1,2})\]/g);
  return {
    markdown,
    offset: from,
    next_offset: to < text.length ? to : null,
    length: text.length,
    links: links.filter(({ n }) => shownLinks.has(n)),
    forms: forms.filter(({ n }) => shownForms.has(n)),
    truncated,
  };
}

/** Numbers of links or forms that stand in a text. */
const numbersIn = (text: string, mark: RegExp): ReadonlySet<number> =>
  new Set([...text.matchAll(mark)].map(([, number]) => Number(number)));
