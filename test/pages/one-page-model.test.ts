/** No door shows an agent a character that another calls hidden: all of them ask one page model. */
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { describePage } from "../../src/browser/describe.ts";
import { readMarkdown } from "../../src/browser/markdown.ts";
import { readBrowserPage } from "../../src/browser/page.ts";
import { pageInfoOf } from "../../src/browser/page-info.ts";
import { seenPage } from "../../src/crawl/pages/page.ts";
import { scanFirewall } from "../../src/detectors/firewall/rules.ts";
import { isShown } from "../../src/pages/computed-style.ts";
import { readPageModel } from "../../src/pages/page-model.ts";
import { readPageFacts } from "../../workers/gateway/gov/page-facts.ts";
import { loadTasks } from "../../workers/gateway/neural/tasks.ts";
import { dataDir } from "../support/data.ts";

const ADDRESS = "https://shop.example/";
const { analyze } = loadTasks();

const browserPage = (html: string) =>
  readBrowserPage({ url: ADDRESS, status: 200, mediaType: "text/html", encoding: "utf-8", text: html });

function crawled(html: string) {
  const body = Buffer.from(html);
  const contentType = "text/html; charset=utf-8";
  return seenPage({ body, contentType, robotsTag: "", url: ADDRESS, home: ADDRESS });
}

/** What each door tells an agent of a page. */
const DOORS: Record<string, (html: string) => unknown> = {
  "the firewall's sanitized content": (html) =>
    scanFirewall({ url: ADDRESS, html, text: undefined }).sanitized_content,
  read_page: (html) => readMarkdown(browserPage(html)),
  "a session's read": (html) => describePage(browserPage(html), {}, 0),
  page_info: (html) => pageInfoOf(browserPage(html), "shop.example", 0),
  search: (html) => crawled(html).text,
  neural: (html) => analyze({ html, text: undefined, url: ADDRESS }).analysis,
  "gov's texts": (html) => readPageFacts(html, new URL(ADDRESS)).texts,
};
/** Those of them that show all that there is to see. */
const WHOLE = ["the firewall's sanitized content", "read_page", "a session's read", "search"];

const SECRET = "Zyxwvut refunds: secret@hidden.example, call +43 1 2345678";
const pageOf = (inner: string, css = "") =>
  `<!doctype html><html lang="en"><head><title>Kettles</title><style>${css}</style></head><body><h1>Kettle</h1><p>Price: 79 EUR</p>${inner}<p>Boils water.</p></body></html>`;

const WAYS: [way: string, inner: string, css?: string][] = [
  ["a style attribute", `<p style="display:none">${SECRET}</p>`],
  ["visibility", `<p style="visibility:hidden">${SECRET}</p>`],
  ["a style sheet", `<p class="a">${SECRET}</p>`, ".a { display: none }"],
  [
    "a style sheet, on a heading with a link",
    `<h2 class="a"><a href="/x">${SECRET}</a></h2>`,
    ".a { display: none }",
  ],
  [
    "a nested rule",
    `<div class="a"><p class="b">${SECRET}</p></div>`,
    ".a { color: red; .b { display: none } }",
  ],
  ["a nested rule with &", `<p class="a b">${SECRET}</p>`, ".a { &.b { display: none } }"],
  [
    "a media rule in a rule",
    `<p class="a">${SECRET}</p>`,
    ".a { @media (min-width: 600px) { display: none } }",
  ],
  ["a layer", `<p class="a">${SECRET}</p>`, "@layer x { .a { display: none } }"],
  [
    "what a layer cannot undo",
    `<p class="a">${SECRET}</p>`,
    ".a { display: none } @layer x { p.a { display: block } }",
  ],
  ["a supports rule", `<p class="a">${SECRET}</p>`, "@supports (display: grid) { .a { display: none } }"],
  [
    "what only print undoes",
    `<p class="a">${SECRET}</p>`,
    ".a { display: none } @media print { .a { display: block } }",
  ],
  ["the hidden attribute", `<p hidden>${SECRET}</p>`],
  ["hidden until found", `<p hidden="until-found">${SECRET}</p>`],
  ["a closed dialog", `<dialog><p>${SECRET}</p></dialog>`],
  ["a popover", `<div popover><p>${SECRET}</p></div>`],
  ["a tab that is not selected", `<div role="tabpanel" class="a">${SECRET}</div>`, ".a { display: none }"],
  ["off the screen", `<p style="position:absolute;left:-9999px">${SECRET}</p>`],
  ["zero size", `<p style="width:0;height:0;overflow:hidden">${SECRET}</p>`],
  ["a font of no size", `<p style="font-size:0">${SECRET}</p>`],
  ["its own ground's color", `<p style="color:#fff">${SECRET}</p>`],
  ["no opacity", `<div style="opacity:0"><p>${SECRET}</p></div>`],
  ["a clip", `<p style="position:absolute;clip:rect(0 0 0 0)">${SECRET}</p>`],
  ["a comment", `<!-- ${SECRET} -->`],
  ["noscript", `<noscript><p>${SECRET} <a href="/x">${SECRET}</a></p></noscript>`],
  ["a template", `<template><h2>${SECRET}</h2><a href="/x">${SECRET}</a></template>`],
  [
    "what stands in for a frame, a film, an object",
    `<iframe>${SECRET}</iframe><video>${SECRET}</video><object>${SECRET}</object>`,
  ],
  [
    "notes in a drawing or a formula",
    `<svg><desc>${SECRET}</desc></svg><math><annotation>${SECRET}</annotation></math>`,
  ],
  [
    "a picture that nobody sees",
    `<p class="a"><img src="/x.png" alt="${SECRET}"></p>`,
    ".a { display: none }",
  ],
  [
    "a pseudo-element that nobody sees",
    '<p class="a">x</p>',
    `.a::before { content: "${SECRET}"; display: none }`,
  ],
  [
    "a form that nobody sees",
    `<form class="a"><label>${SECRET} <input name="q"></label></form>`,
    ".a { display: none }",
  ],
];

describe("what a page hides, no door shows", () => {
  it.each(WAYS)("by %s", (_, inner, css) => {
    for (const [door, read] of Object.entries(DOORS)) {
      const said = JSON.stringify(read(pageOf(inner, css)));
      expect(said, door).not.toMatch(/zyxwvut|secret@hidden|2345678/i);
      if (WHOLE.includes(door)) expect(said, door).toMatch(/Price: 79 EUR.*Boils water/);
    }
  });
});

describe("what a page shows, every door shows", () => {
  it.each<[string, string, string?]>([
    ["what details fold away", `<details><summary>Returns</summary><p>${SECRET}</p></details>`],
    ["what assistive technology leaves out", `<p aria-hidden="true">${SECRET}</p>`],
    [
      "what is visible inside hidden",
      `<div style="visibility:hidden"><p style="visibility:visible">${SECRET}</p></div>`,
    ],
    [
      "what narrow screens alone hide",
      `<p class="a">${SECRET}</p>`,
      "@media (max-width: 600px) { .a { display: none } }",
    ],
    ["what print alone hides", `<p class="a">${SECRET}</p>`, "@media print { .a { display: none } }"],
    [
      "what fades in",
      `<section class="a"><p style="color: #111">${SECRET}</p></section>`,
      "@keyframes in { to { opacity: 1 } } .a { opacity: 0; animation: in 1s forwards }",
    ],
    [
      "an accordion",
      `<div class="a">${SECRET}</div>`,
      ".a { max-height: 0; overflow: hidden; transition: max-height .3s }",
    ],
    ["an open dialog", `<dialog open><p>${SECRET}</p></dialog>`],
    [
      "a page that waits for its scripts",
      `<p>${SECRET}</p>`,
      "body { opacity: 0 } html { visibility: hidden }",
    ],
    [
      "what is hidden where no scripts run",
      `<noscript><style>.a { display: none }</style></noscript><p class="a">${SECRET}</p>`,
    ],
  ])("%s", (_, inner, css) => {
    for (const door of WHOLE)
      expect(JSON.stringify(DOORS[door]!(pageOf(inner, css))), door).toContain("Zyxwvut refunds");
  });
});

const REAL = globSync(["agent-web/sites/*/*.html", "real-cases/**/*.html", "agent-web-2/**/*.html"], {
  cwd: dataDir,
});

/** What the firewall writes in the place of what it cuts. */
const REMOVED = /\[removed: [^\]]*\]/g;

const wordsOf = (text: string): string[] => text.toLowerCase().match(/[\p{L}\p{N}]{5,}/gu) ?? [];

/** Words that stand in hidden texts of a page alone. */
function hiddenWords(html: string): Set<string> {
  const hidden = new Set<string>();
  const shown = new Set<string>();
  for (const { text, channel, concealment } of readPageModel(html).segments) {
    const isRead = isShown(concealment) && (channel === "text" || channel === "alt" || channel === "title");
    // Names of controls and metadata are told as such.
    const isNamed = /^(?:aria|placeholder|value|tooltip|meta|json-ld|data|srcdoc)$/.test(channel);
    for (const word of wordsOf(text)) (isRead || isNamed ? shown : hidden).add(word);
  }
  return new Set([...hidden].filter((word) => !shown.has(word)));
}

describe.runIf(REAL.length > 0)("real pages", () => {
  it.each(REAL)("%s", (file) => {
    const html = readFileSync(join(dataDir, file), "utf8");
    const hidden = hiddenWords(html);
    const markdown = readMarkdown(browserPage(html));
    const texts = {
      "the firewall's sanitized content": String(DOORS["the firewall's sanitized content"]!(html)),
      read_page: [markdown.text, ...markdown.links.map(({ text }) => text)].join("\n"),
      "a session's read": describePage(browserPage(html), {}, 0).text,
      search: crawled(html).text,
    };
    for (const [door, text] of Object.entries(texts))
      expect(
        [...new Set(wordsOf(text.replaceAll(REMOVED, "")))].filter((word) => hidden.has(word)),
        door,
      ).toEqual([]);
  });
});
