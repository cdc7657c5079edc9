/** `/docs/{guide}`: a guide as a page. Blocks of the same in several languages are tabs; links lead to pages, where there are some. */
import { Marked, type Token, type Tokens } from "marked";
import { type Html, html, ownMarkup } from "../../pages/html.ts";
import type { PageView } from "../../pages/page.ts";
import { isTabbed, type Snippet, tabsHtml } from "../../pages/tabs.ts";
import type { Texts } from "../../pages/texts.ts";
import type { Catalog } from "./catalog.ts";
import { anchorOf, type Guide } from "./guides.ts";
import { proseHtml } from "./prose.ts";

/** The address that guides for agents and their SDKs are written with: a registry shows its own. */
const WRITTEN_ADDRESS = "https://registry.example";
const WITH_ADDRESS: ReadonlySet<string> = new Set(["quickstart-agents", "agents", "sdk", "mcp"]);

/** @param publicUrl the registry's own address, which stands in each command for agents */
export function guideView(catalog: Catalog, texts: Texts, guide: Guide, publicUrl: string): PageView {
  const marked = createRenderer(catalog, texts);
  let heading = guide.title;
  let tabs = 0;
  const text = WITH_ADDRESS.has(guide.name) ? guide.text.replaceAll(WRITTEN_ADDRESS, publicUrl) : guide.text;
  const parts = runsOf(marked.lexer(text)).map((run) => {
    if (Array.isArray(run)) return tabsHtml(texts, `tabs-${++tabs}`, run);
    const markup = marked.parser([run]);
    if (run.type === "heading") heading = run.text as string;
    return run.type === "table" ? inScroller(markup, `${heading} ${++tabs}`) : ownMarkup(markup);
  });
  const { docs } = texts;
  return {
    title: guide.title,
    canonical: `/docs/${guide.name}`,
    body: html`<div class="panes"><div class="doc"><p class="crumbs"><a href="/docs">${docs.back}</a></p>${parts}<p class="soft small">${docs.guideSource}: <code>docs/${guide.name}.md</code></p></div>${besideHtml(catalog, texts, guide)}</div>`,
  };
}

/** What the guide holds, and the other guides. */
const besideHtml = ({ guides }: Catalog, { docs }: Texts, guide: Guide): Html =>
  html`<aside class="beside">${guide.headings.length > 1 && html`<nav aria-label="${docs.contents}"><h2>${docs.contents}</h2><ul>${guide.headings.map((heading) => html`<li><a href="#${anchorOf(heading)}">${proseHtml(heading)}</a></li>`)}</ul></nav>`}<nav aria-label="${docs.guides}"><h2>${docs.guides}</h2><ul>${guides.map(({ name, title }) => html`<li><a href="/docs/${name}"${name === guide.name && html` aria-current="page"`}>${proseHtml(title)}</a></li>`)}</ul></nav></aside>`;

function createRenderer(catalog: Catalog, texts: Texts): Marked {
  const marked = new Marked();
  marked.use({
    renderer: {
      heading({ tokens, depth, text }: Tokens.Heading) {
        const inside = this.parser.parseInline(tokens);
        return `<h${depth} id="${anchorOf(text)}">${inside}</h${depth}>\n`;
      },
      link({ href, tokens }: Tokens.Link) {
        const inside = this.parser.parseInline(tokens);
        const address = addressOf(catalog, href);
        return address === undefined
          ? inside
          : html`<a href="${address}">${ownMarkup(inside)}</a>`.toString();
      },
      image: () => "",
      html: ({ text }: Tokens.HTML | Tokens.Tag) => html`${text}`.toString(),
      code: ({ text, lang }: Tokens.Code) =>
        tabsHtml(texts, "", [{ language: lang || texts.docs.example, code: text }]).toString(),
    },
  });
  return marked;
}

/** Where a link of a guide leads on the site; undefined: to what is no page. */
function addressOf(catalog: Catalog, href: string): string | undefined {
  if (/^(?:https?:|\/|#)/.test(href)) return href;
  const [file = "", anchor] = href.split("#");
  const found = catalog.guides.find(({ name }) => `${name}.md` === file);
  return found && `/docs/${found.name}${anchor ? `#${anchor}` : ""}`;
}

/** Tokens in runs: blocks of code in tabbed languages that follow each other are one. */
function runsOf(tokens: readonly Token[]): (Token | Snippet[])[] {
  const runs: (Token | Snippet[])[] = [];
  for (const token of tokens) {
    const last = runs.at(-1);
    if (token.type === "code" && isTabbed(token.lang)) {
      const snippet = { language: token.lang, code: token.text as string };
      if (Array.isArray(last) && last.every(({ language }) => language !== token.lang)) last.push(snippet);
      else runs.push([snippet]);
    } else if (!(Array.isArray(last) && isSpace(token))) runs.push(token);
  }
  return runs;
}

const isSpace = (token: Token): boolean => token.type === "space";

/** A table may be wider than a phone: it scrolls by itself. */
const inScroller = (table: string, label: string): Html =>
  html`<div class="scroll" tabindex="0" role="region" aria-label="${label}">${ownMarkup(table)}</div>`;
