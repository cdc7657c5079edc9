/** The same in several languages, one shown at a time: by radio buttons, which need no script. */
import { type Html, html } from "./html.ts";
import type { Texts } from "./texts.ts";

const LABELS: Readonly<Record<string, string>> = {
  sh: "curl",
  mcp: "MCP",
  ts: "TypeScript",
  python: "Python",
};

export interface Snippet {
  language: string;
  code: string;
}

/** Whether a block of this language is one of several ways to do the same. */
export const isTabbed = (language: string | undefined): language is string =>
  language !== undefined && language in LABELS;

/** @param id of this group, of its page alone */
export function tabsHtml(texts: Texts, id: string, snippets: readonly Snippet[]): Html {
  const block = ({ code }: Snippet): Html => html`<pre><code>${code}</code></pre>`;
  if (snippets.length === 1) return block(snippets[0]!);
  return html`<fieldset class="tabs"><legend>${texts.docs.languages}</legend>${snippets.map(
    ({ language }, i) =>
      html`<input type="radio" name="${id}" id="${id}-${language}"${i === 0 && html` checked`}><label for="${id}-${language}">${LABELS[language] ?? language}</label>`,
  )}${snippets.map(block)}</fieldset>`;
}
