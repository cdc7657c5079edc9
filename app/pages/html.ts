/** HTML as tagged templates: every value is escaped, unless it is HTML of another template. */
import { escapeHtml, readable } from "../../src/domain/protocols/html.ts";

/** Markup that a template made, or this program itself. */
export class Html {
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  toString(): string {
    return this.#text;
  }
}

/** What a template may hold; false, null and undefined leave nothing. */
export type HtmlPart = string | number | false | null | undefined | Html | readonly HtmlPart[];

export const html = (strings: TemplateStringsArray, ...values: readonly HtmlPart[]): Html =>
  new Html(strings.map((text, i) => text + written(values[i])).join(""));

export const nothing = html``;

/** Without what is an error in HTML and what nobody sees, whoever wrote it. */
function written(value: HtmlPart): string {
  if (value instanceof Html) return value.toString();
  if (Array.isArray(value)) return value.map(written).join("");
  return value === false || value === null || value === undefined ? "" : escapeHtml(readable(String(value)));
}

/** Markup of this program itself, such as its style sheet: never a text from elsewhere. */
export const ownMarkup = (text: string): Html => new Html(text);
