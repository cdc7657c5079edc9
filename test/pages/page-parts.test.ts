import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decodeBody } from "../../src/pages/body-encoding.ts";
import { readPageModel } from "../../src/pages/page-model.ts";
import {
  baseOf,
  descriptionOf,
  headingsOf,
  linksOf,
  metadataOf,
  metaRobots,
  pageTitle,
  robotsDirectives,
} from "../../src/pages/page-parts.ts";
import { attribute } from "../../src/pages/parse-html.ts";
import { oneLine, visibleText } from "../../src/pages/visible-text.ts";
import { anyCharacter } from "../support/any-character.ts";
import { processorWatch } from "../support/processor-watch.ts";

const URL_HERE = new URL("https://shop.example/de/page?x=1#top");
function read(html: string, maxChars = 100_000) {
  const page = readPageModel(html);
  const { text, cut } = visibleText(page, page.document, maxChars);
  return {
    title: pageTitle(page) || null,
    description: descriptionOf(metadataOf(page)),
    language: page.language,
    text: oneLine(text),
    links: [...linksOf(page, baseOf(page, URL_HERE))].map(({ element, url }) => ({
      href: url.href,
      rel: attribute(element, "rel"),
      text: oneLine(visibleText(page, element, 256).text),
    })),
    headings: headingsOf(page, 100).map(({ level, text: words }) => ({ level, text: words })),
    metaRobots: metaRobots(page),
    truncated: cut || !page.complete,
  };
}
const textOf = (html: string): string => read(html).text;

describe("the head", () => {
  it("gives title, description, language and what crawlers are told", () => {
    const page = read(`<!doctype html><html lang="de-AT"><head><title> The
      &amp; Shop</title><meta name=Description content=" All   of it "><meta name="robots" content="NoIndex, nofollow">
      <title>Second</title></head><body>Hello</body></html>`);
    expect(page).toMatchObject({
      title: "The & Shop",
      description: "All of it",
      language: "de-AT",
      text: "Hello",
      metaRobots: { noindex: true, nofollow: true },
      truncated: false,
    });
  });

  it("may be missing, or written where a browser takes it all the same", () => {
    expect(read("Hello")).toMatchObject({ title: null, description: null, language: null, text: "Hello" });
    expect(read("<body><p>x<title>T</title><meta name=description content=D>")).toMatchObject({
      title: "T",
      description: "D",
      text: "x",
    });
    expect(read("<html lang='not a tag'>").language).toBeNull();
    expect(read("<meta property='og:description' content=O>").description).toBe("O");
  });

  it("does not take a picture's title for the page's", () => {
    expect(read("<svg><title>Icon</title></svg><p>x</p>")).toMatchObject({ title: null, text: "x" });
  });
});

describe("robotsDirectives", () => {
  it.each([
    ["", false, false],
    ["noindex", true, false],
    ["nofollow, noarchive", false, true],
    [" NONE ", true, true],
    ["index, follow", false, false],
    ["max-snippet:20", false, false],
  ])("%j", (text, noindex, nofollow) => {
    expect(robotsDirectives(text)).toEqual({ noindex, nofollow });
  });
});

describe("visible text", () => {
  it("keeps words together across inline elements and apart across blocks", () => {
    expect(textOf("<p>un<b>break</b>able</p><p>next</p>a<br>b<table><tr><td>c<td>d</table>")).toBe(
      "unbreakable next a b c d",
    );
    expect(textOf("one\n\t <i> two </i>&nbsp;three")).toBe("one two three");
  });

  it.each([
    "<script>x</script>",
    "<style>x</style>",
    "<template>x</template>",
    "<noscript>x</noscript>",
    "<svg><text>x</text></svg>",
    "<iframe>x</iframe>",
    "<p hidden>x</p>",
    "<div style='color: red; DISPLAY : none'>x<p>x</p></div>",
    "<span style=visibility:hidden>x</span>",
    "<dialog>x</dialog>",
    "<!-- x -->",
  ])("leaves out %s", (html) => {
    expect(textOf(`a ${html} b`)).toBe("a b");
  });

  it("shows what only looks hidden", () => {
    expect(
      textOf("<dialog open>x</dialog><p style='display:nonempty-x'>y</p><details>z</details>"),
    ).toContain("x");
    expect(textOf("<p data-hidden style='--display:none'>y</p>")).toBe("y");
  });

  it("ends at its bound, never inside a character", () => {
    const page = read(`<p>${"a".repeat(9)}\u{1f600}b</p>`, 10);
    expect(page.text).toBe("a".repeat(9));
    expect(page.truncated).toBe(true);
  });
});

describe("links and headings", () => {
  it("are absolute, http or https, with rel and text, by the first base", () => {
    const page = read(`<base href="/base/"><base href="https://other.example/">
      <a href="a?b#c" rel=" NoFollow  ugc">An <b>a</b></a><a href="//x.example/">X</a><area href=z alt=Zed>
      <a href="javascript:alert(1)">no</a><a href="mailto:a@b.example">no</a><a>no</a><a href="http://[">no</a>`);
    expect(page.links).toEqual([
      { href: "https://shop.example/base/a?b#c", rel: " NoFollow  ugc", text: "An a" },
      { href: "https://x.example/", rel: undefined, text: "X" },
      { href: "https://shop.example/base/z", rel: undefined, text: "Zed" },
    ]);
  });

  it("of hidden elements are left out: they are traps", () => {
    expect(read("<div hidden><a href=/trap>x</a></div><a href=/trap style=display:none>x</a>").links).toEqual(
      [],
    );
  });

  it("are bounded in number and length", () => {
    const page = readPageModel("<a href=/x>y</a><h2>z</h2>".repeat(20));
    expect(linksOf(page, URL_HERE).take(5).toArray().length).toBe(5);
    expect(headingsOf(page, 6).length).toBe(6);
    expect(read(`<a href="/${"x".repeat(3_000)}">long</a>`).links).toEqual([]);
  });

  it("gives headings with their level and text", () => {
    expect(read("<h1>A <a href=/x>link</a></h1><h3>C</h3><h7>no</h7>").headings).toEqual([
      { level: 1, text: "A link" },
      { level: 3, text: "C" },
    ]);
  });
});

const fill = (piece: string, size = 2 * 1024 * 1024): string => piece.repeat(Math.floor(size / piece.length));
const numbered = (piece: (i: number) => string, count: number): string =>
  Array.from({ length: count }, (_, i) => piece(i)).join("");

describe("hostile pages of 2 MiB are read in under a second", () => {
  it.each<[string, () => string]>([
    ["nested blocks", () => fill("<div>")],
    ["nested formatting", () => fill("<b>")],
    ["formatting with distinct attributes", () => numbered((i) => `<b id=${i}>`, 200_000)],
    [
      "formatting opened again for every paragraph",
      () => `<p>${numbered((i) => `<b id=${i}>`, 500)}</p>${fill("<p>x</p>")}`,
    ],
    ["misnested formatting", () => fill("<b><p></b>x")],
    ["unclosed links", () => fill("<a href=x>")],
    ["nested lists", () => fill("<li><ul>")],
    ["nested tables", () => fill("<table><td>")],
    ["text moved out of a table", () => `<table>${fill("x<i></i>")}`],
    ["elements moved out of a table", () => `<table>${fill("<p></p>")}`],
    ["end tags that close nothing", () => fill("<b>", 1_048_576) + fill("</i>", 1_048_576)],
    ["nested pictures", () => fill("<svg>")],
    ["nested templates", () => fill("<template>")],
    ["nested headings", () => fill("<h1><div>x")],
    ["one tag of attributes", () => `<a ${numbered((i) => ` a${i}`, 300_000)}>x`],
    ["styles that nearly hide", () => `<p style="${fill("; display :")}">x`],
    ["less-than signs", () => fill("<")],
    ["character references", () => fill("&amp;")],
    ["an unclosed comment", () => `<!--${fill("-")}`],
    ["white space", () => fill(" ")],
    ["words", () => fill("word ")],
    ["unclosed forms and buttons", () => fill("<form><button><p>")],
    ["options", () => fill("<select><option>x")],
    ["framesets", () => fill("<frameset>")],
  ])("%s", (_name, make) => {
    const html = make();
    const tookMs = processorWatch();
    const page = readPageModel(html);
    const { text } = visibleText(page, page.document, 100_000);
    expect(headingsOf(page, 100).length).toBeLessThanOrEqual(100);
    expect(linksOf(page, URL_HERE).take(500).toArray().length).toBeLessThanOrEqual(500);
    expect(tookMs()).toBeLessThan(1_000);
    expect(text.length).toBeLessThanOrEqual(100_000);
  });

  it("and whatever the bytes, nothing is thrown", () => {
    const piece = fc.oneof(
      fc.string({ unit: anyCharacter }),
      fc.constantFrom(
        "<a href=",
        "<base href=",
        ">",
        "</",
        "<table>",
        "<p hidden>",
        "<title>",
        "<svg>",
        "<b>",
        "\ud800",
      ),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
        const page = read(pieces.join(""));
        expect(page.text.isWellFormed()).toBe(true);
        for (const { href } of page.links) expect(href).toMatch(/^https?:/);
      }),
      { numRuns: 300 },
    );
  });
});

describe("decodeBody", () => {
  const latin = Buffer.from("caf\u00e9", "latin1");
  const meta = (charset: string) => Buffer.concat([Buffer.from(`<meta charset="${charset}">`), latin]);

  it("reads the charset of the content type, in any writing", () => {
    expect(decodeBody(latin, "text/html; charset=ISO-8859-1")).toBe("café");
    expect(decodeBody(latin, 'text/html;x=y; Charset="windows-1252"')).toBe("café");
    expect(decodeBody(Buffer.from("日本", "utf8"), "text/html;charset=utf8")).toBe("日本");
    expect(decodeBody(Uint8Array.of(0x93, 0xfa, 0x96, 0x7b), "text/html; charset=Shift_JIS")).toBe("日本");
  });

  it("lets a byte order mark win, and removes it", () => {
    expect(decodeBody(Buffer.from("\ufeffcafé"), "text/html; charset=latin1")).toBe("café");
    expect(decodeBody(Buffer.from("\ufeffé", "utf16le"), "text/html")).toBe("é");
  });

  it("looks for a meta element in HTML alone", () => {
    expect(decodeBody(meta("latin1"), "text/html")).toContain("café");
    expect(decodeBody(meta("latin1"), "")).toContain("café");
    expect(decodeBody(meta("latin1"), "application/json")).toContain("caf\ufffd");
    const old = Buffer.concat([
      Buffer.from("<META http-equiv=content-type content='text/html; charset=iso-8859-1'>"),
      latin,
    ]);
    expect(decodeBody(old, "text/html")).toContain("café");
    expect(decodeBody(Buffer.from('<meta charset="utf-16">é'), "text/html")).toContain("é");
  });

  it("falls back to UTF-8 for encodings that nobody knows", () => {
    expect(decodeBody(Buffer.from("é"), "text/html; charset=klingon")).toBe("é");
    expect(decodeBody(Buffer.from("é"), "text/html; charset=")).toBe("é");
    expect(decodeBody(meta("klingon"), "text/html")).toContain("caf\ufffd");
    expect(decodeBody(new Uint8Array(0), "")).toBe("");
  });
});
