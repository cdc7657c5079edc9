/**
 * HTML as tagged templates of hono/html: every value is escaped, unless it is HTML of another template. Values are
 * never promises here, so that a template's result is HTML at once.
 */
import { raw, html as tagged } from "hono/html";
import type { HtmlEscapedString } from "hono/utils/html";
import { readable } from "../../src/domain/protocols/html.ts";

export type Html = HtmlEscapedString;
/** What a template may hold; false, null and undefined leave nothing. */
export type Part = string | number | false | null | undefined | Html | readonly Part[];

/** Without what is an error in HTML and what nobody sees, whoever wrote it. */
const clean = (value: Part): Part =>
  typeof value === "string" ? readable(value) : Array.isArray(value) ? value.map(clean) : value;

export const html = (strings: TemplateStringsArray, ...values: readonly Part[]): Html =>
  tagged(strings, ...values.map(clean)) as Html;

/** Markup of this program itself, such as its style sheet: never a text from elsewhere. */
export const ownMarkup = (text: string): Html => raw(text) as Html;

export const nothing = html``;
