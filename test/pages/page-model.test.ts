import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readTextModel } from "../../src/classifiers/text-model.ts";
import { evidenceAt, evidenceIn } from "../../src/pages/evidence.ts";
import { firstPart, readPageModel } from "../../src/pages/page-model.ts";
import { HOSTILE_PAGES } from "../support/hostile-pages.ts";
import { processorWatch } from "../support/processor-watch.ts";

const segmentsOf = (html: string) =>
  readPageModel(html).segments.map(({ text, channel, concealment }) => [text.trim(), channel, concealment]);

const body = (inner: string, style = "") => `<!doctype html><style>${style}</style><body>${inner}</body>`;

/** What hides the words "the words" in this page; null when they can be seen. */
const hiding = (html: string): string | null | undefined =>
  readPageModel(html).segments.find(({ text }) => text.includes("the words"))?.concealment;

describe("the text of a page", () => {
  it("is joined across inline elements and parted at blocks", () => {
    expect(segmentsOf(body("<p>one <b>two</b> three</p><p>four five</p>"))).toEqual([
      ["one two three", "text", null],
      ["four five", "text", null],
    ]);
  });

  it("has a channel for every way it can reach a reader or a machine", () => {
    const html = `<title>a title</title><meta name="description" content="a description">
      <!-- a comment --><img alt="an alternative" title="a tooltip"><p aria-label="a label"></p>
      <noscript>no script</noscript><template><p>a template</p></template><svg><desc>a drawing</desc></svg>
      <input placeholder="a placeholder" value="a value"><p data-note="some data of a page">x</p>
      <script type="application/ld+json">{"a":[{"b":"some json"}]}</script><script>not text</script>`;
    expect(Object.fromEntries(segmentsOf(html).map(([text, channel]) => [channel, text]))).toMatchObject({
      title: "a title",
      meta: "a description",
      comment: "a comment",
      alt: "an alternative",
      tooltip: "a tooltip",
      aria: "a label",
      noscript: "no script",
      template: "a template",
      svg: "a drawing",
      placeholder: "a placeholder",
      value: "a value",
      data: "some data of a page",
      "json-ld": "some json",
    });
  });

  it("of plain text is its paragraphs", () => {
    const page = readTextModel("one\ntwo\n\nthree");
    expect(page.segments.map(({ text, at }) => [text, at])).toEqual([
      ["one\ntwo", 0],
      ["three", 9],
    ]);
  });
});

describe("what hides text", () => {
  it.each([
    ["display-none", '<p style="display:none">the words</p>', ""],
    ["display-none", '<div class="a"><p>the words</p></div>', ".a { display: none }"],
    ["display-none", '<p class="a">the words</p>', "@media screen { p.a { display: none !important } }"],
    ["hidden-attribute", "<p hidden>the words</p>", ""],
    ["hidden-attribute", '<input type="hidden" value="the words">', ""],
    ["visibility-hidden", '<p style="visibility:hidden">the words</p>', ""],
    ["transparent", '<div style="opacity:0"><p>the words</p></div>', ""],
    ["transparent", '<p style="color:rgba(0,0,0,0)">the words</p>', ""],
    ["tiny", '<p style="font-size:1px">the words</p>', ""],
    ["tiny", "<ul><li><b>the words</b></li></ul>", "ul > li b { font-size: 0 }"],
    ["off-screen", '<p style="position:absolute;left:-9999px">the words</p>', ""],
    ["off-screen", '<p style="text-indent:-9999px">the words</p>', ""],
    ["clipped", '<p style="position:absolute;clip:rect(0 0 0 0)">the words</p>', ""],
    ["clipped", '<p id="x">the words</p>', "#x { width: 1px; height: 1px; overflow: hidden }"],
    ["same-colour", '<p style="color:#fefefe">the words</p>', ""],
    ["same-colour", '<p style="background:#123456;color:#123457">the words</p>', ""],
    ["same-colour", '<font color="white">the words</font>', ""],
    [
      "display-none",
      '<p class="a">the words</p>',
      ".b { color: red; p&, &.a { color: blue } } p { .c &, &.a { display: none } }",
    ],
    [
      "display-none",
      '<p class="a">the words</p>',
      "@layer x, y; @layer y { .a { display: none } } @layer x { p.a { display: block } }",
    ],
    ["on-request", "<dialog><p>the words</p></dialog>", ""],
    ["on-request", "<div popover>the words</div>", ""],
    ["on-request", '<div role="tabpanel" hidden>the words</div>', ""],
    ["on-request", '<div class="site-menu" style="display:none">the words</div>', ""],
    ["on-request", '<div class="slide" hidden>the words</div>', ""],
    ["on-request", '<div data-modal-body style="visibility:hidden">the words</div>', ""],
    ["on-request", '<button aria-controls="p2">x</button><div id="p2" hidden>the words</div>', ""],
    ["on-request", '<a href="#p2">x</a><div id="p2" style="display:none">the words</div>', ""],
    ["on-request", '<div id="part2" style="display:none">the words</div><script>show("part2")</script>', ""],
    ["on-request", '<p x-show="open" style="display:none">the words</p>', ""],
    ["on-request", '<div class="aa">the words</div>', ".aa { display: none } .aa.bb { display: block }"],
    ["on-request", '<div class="aa">the words</div>', ".aa { opacity: 0 } .cc .aa { opacity: 1 }"],
    [
      "on-request",
      '<div class="aa">the words</div>',
      ".aa { display: none } #x:checked ~ .aa { display: block }",
    ],
    [
      "on-request",
      '<div class="aa">the words</div>',
      ".aa { display: none } @media (max-width: 600px) { .aa { display: block } }",
    ],
    [
      "on-request",
      '<a class="aa">the words</a>',
      ".aa { position: absolute; left: -999px } .aa:focus { left: 0 }",
    ],
    ["tiny", '<div role="tabpanel" hidden><p style="font-size:0">the words</p></div>', ""],
    [
      "read-out",
      '<span class="sr-only">the words</span>',
      ".sr-only { position: absolute; width: 1px; height: 1px; overflow: hidden }",
    ],
    ["display-none", '<div class="aa">the words</div>', ".aa { display: none } .bb { display: block }"],
    [
      "on-request",
      "<ul><li>x<div>the words</div></li></ul>",
      "li div { display: none } li:hover > div { display: block }",
    ],
    ["display-none", "<details><p style='display:none'>the words</p></details>", ""],
    ["folded", "<details><summary>x</summary><p>the words</p></details>", ""],
    [
      "folded",
      '<p class="a">the words</p>',
      ".a { max-height: 0; overflow: hidden; transition: max-height 1s }",
    ],
    ["animated", '<div class="a"><p>the words</p></div>', ".a { opacity: 0; transition: opacity 1s }"],
  ])("%s: %s", (concealment, inner, style) => {
    expect(hiding(body(inner, style))).toBe(concealment);
  });

  it.each([
    [
      "a readable size of its own",
      '<div style="font-size:0"><p style="font-size:14px">the words</p></div>',
      "",
    ],
    [
      "visible inside hidden",
      '<div style="visibility:hidden"><p style="visibility:visible">the words</p></div>',
      "",
    ],
    ["a rule for print", "<p>the words</p>", "@media print { p { display: none } }"],
    ["a rule for something else", '<p class="b">the words</p>', ".a { display: none }"],
    [
      "a rule that was overruled",
      '<p class="a" id="b">the words</p>',
      "#b { display: block } .a { display: none }",
    ],
    [
      "what is left open",
      "<details open><p>the words</p></details><details><summary>the words</summary></details>",
      "",
    ],
    ["a rule for narrow screens", "<p>the words</p>", "@media (max-width: 40em) { p { display: none } }"],
    ["a page that waits for its scripts", "<p>the words</p>", "body { opacity: 0 } html { display: none }"],
    [
      "what a layer says, and no other",
      "<p class=a>the words</p>",
      "p { display: block } @layer { .a { display: none } }",
    ],
    [
      "letters that their background is painted in",
      '<h1 class="a">the words</h1>',
      ".a { background: linear-gradient(red, blue); -webkit-background-clip: text; color: transparent }",
    ],
    ["white on a picture", '<p style="color:#fff;background:url(x.png)">the words</p>', ""],
    ["what shows on hover", '<p class="a">the words</p>', ".a:hover { display: none }"],
  ])("is not %s", (_, inner, style) => {
    expect(hiding(body(inner, style))).toBe(null);
  });

  it("is not white text on a ground that only an unseen style sheet knows", () => {
    const link = '<link rel="stylesheet" href="x.css">';
    expect(hiding(`${link}<p style="color:#fff">the words</p>`)).toBe(null);
  });
});

it("has a first part that ends at a place in its source", () => {
  const html = body("<p>the first words</p><p>the last words</p>", "p { color: red }");
  const page = firstPart(readPageModel(html), html.indexOf("<p>the last"));
  expect(page.segments.map(({ text, concealment }) => [text.trim(), concealment])).toEqual([
    ["the first words", null],
  ]);
  expect(page.complete).toBe(false);
});

describe("evidence", () => {
  it("points at the very place in the source, character references and nested elements among it", () => {
    const html = body(
      '<div id="d"><p>Some &amp; text <b>bold&#33;</b> here</p><img alt="an alternative"></div>',
    );
    const page = readPageModel(html);
    const text = page.segments.find(({ channel }) => channel === "text")!;
    const found = evidenceIn(page, text);
    expect(html.slice(found.start!, found.end!)).toBe("Some &amp; text <b>bold&#33;</b> here");
    expect(found.selector).toBe("#d > p");
    const bold = evidenceIn(page, text, text.text.indexOf("bold"), text.text.indexOf("bold") + 4);
    expect(html.slice(bold.start!, bold.end!)).toBe("bold");
    const alt = evidenceIn(page, page.segments.find(({ channel }) => channel === "alt")!);
    expect(html.slice(alt.start!, alt.end!)).toBe("an alternative");
    const afterHead = readPageModel("<script>1</script> \n the first words");
    const first = evidenceIn(afterHead, afterHead.segments.find(({ channel }) => channel === "text")!);
    expect(afterHead.source.slice(first.start!, first.end!)).toBe("the first words");
  });

  it("of an element is its opening tag, with a selector that finds it alone", () => {
    const html = body("<ul><li><a href=x>one</a></li><li><a href=y>two</a></li></ul>");
    const page = readPageModel(html);
    const link = page.elements.filter(({ element }) => element.tagName === "a")[1]!;
    expect(evidenceAt(page, link.element)).toMatchObject({
      snippet: "<a href=y>",
      selector: "html > body > ul > li:nth-of-type(2) > a",
    });
  });
});

describe("a hostile page", () => {
  it("that uses the names JavaScript's objects have of their own is read like any other", () => {
    for (const name of ["constructor", "__proto__"]) {
      expect(hiding(body(`<p style="color:${name};background:${name}">the words</p>`))).toBe(null);
      expect(hiding(body(`<p style="font-size:${name}"><i style="font-size:.05em">the words</i></p>`))).toBe(
        "tiny",
      );
      expect(segmentsOf(body(`<p ${name}="some words">a</p>`))).toEqual([["a", "text", null]]);
    }
    expect(segmentsOf(body("<constructor>a</constructor>"))).toEqual([["a", "text", null]]);
  });

  it.each(HOSTILE_PAGES)("of %s is read within a second", (_, make) => {
    const html = make();
    const tookMs = processorWatch();
    readPageModel(html);
    expect(tookMs()).toBeLessThan(1_500);
  });

  it("whatever it is, is read", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom(..."<>/=\"'&;!-pdiv style{}:#"), maxLength: 300 }),
        (html) => {
          for (const segment of readPageModel(html).segments) {
            const { start, end } = evidenceIn(readPageModel(html), segment);
            expect(start).toBeLessThanOrEqual(end!);
            expect(end).toBeLessThanOrEqual(html.length);
          }
        },
      ),
    );
  });
});
