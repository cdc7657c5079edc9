/** Texts of contracts and tables as HTML. */
import { type Html, html } from "../../pages/html.ts";

/** Text with `code` in it. */
export const proseHtml = (text: string): Html =>
  html`${text.split("`").map((piece, i) => (i % 2 === 1 ? html`<code>${piece}</code>` : piece))}`;
