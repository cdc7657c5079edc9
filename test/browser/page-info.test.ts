import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { PageInfo } from "../../schemas/page-info.ts";
import { readBrowserPage } from "../../src/browser/page.ts";
import { pageInfoOf } from "../../src/browser/page-info.ts";

const infoOf = (text: string): PageInfo =>
  pageInfoOf(
    readBrowserPage({
      url: "https://www.shop.example/a/b",
      status: 200,
      mediaType: "text/html",
      encoding: "utf-8",
      text,
    }),
    "shop.example",
    0,
  );

describe("what is on a page", () => {
  it("is all that a reader of its HTML would find", () => {
    const info =
      infoOf(`<!doctype html><html lang="de-AT"><head><title> Tee &amp; Kessel </title><base href="/base/">
      <meta name="description" content="Feiner Tee"><meta property="og:image" content="/i.png"><link rel="canonical" href="https://shop.example/tee">
      <link rel="icon" sizes="32x32" href="fav.ico"><script type="application/ld+json">{"@type":"Store"}</script><script type="application/ld+json">oops</script></head>
      <body><h1 id="oben">Tee</h1><h3>Kessel</h3><p>Zwei Wörter</p><a href="sorten" rel="next">Sorten</a><a href="https://else.example/">Weg</a><a href="javascript:x()">nie</a>
      <form method="post" action="kauf"><label>Menge <input type="number" name="n" required></label><select name="s"><option value="1">eins</select></form>
      <img src="k.jpg" alt="Ein Kessel" width="200" height="150px"><p hidden>unsichtbar <a href="/versteckt">x</a></p></body></html>`);
    expect(info).toEqual({
      siteId: "shop.example",
      url: "https://www.shop.example/a/b",
      status: 200,
      title: "Tee & Kessel",
      description: "Feiner Tee",
      language: "de-AT",
      canonical: "https://shop.example/tee",
      icons: [{ href: "https://www.shop.example/base/fav.ico", rel: "icon", sizes: "32x32" }],
      open_graph: { image: "/i.png" },
      json_ld: [{ "@type": "Store" }],
      headings: [
        { level: 1, text: "Tee", anchor: "oben" },
        { level: 3, text: "Kessel", anchor: null },
      ],
      links: [
        { href: "https://www.shop.example/base/sorten", text: "Sorten", rel: "next", internal: true },
        { href: "https://else.example/", text: "Weg", rel: "", internal: false },
      ],
      forms: [
        {
          action: "https://www.shop.example/base/kauf",
          method: "POST",
          fields: [
            { type: "number", name: "n", label: "Menge", required: true },
            { type: "select", name: "s", label: "", required: false, options: ["1"] },
          ],
        },
      ],
      images: [{ src: "https://www.shop.example/base/k.jpg", alt: "Ein Kessel", width: 200, height: 150 }],
      word_count: 8,
      truncated: false,
      fetched_at: "1970-01-01T00:00:00.000Z",
    });
  });

  it("fits its schema, whatever the page is", () => {
    const part = fc.oneof(
      fc.constantFrom(
        "<a href='",
        "<img src=",
        "<form action=//[>",
        "<input type=",
        "<meta property='og:x' content='",
        "<link rel=icon href=",
        "<h1 id='",
        "<base href='",
        "'>",
        ">",
        "</form>",
        "<script type=application/ld+json>{",
        "</script>",
        "<svg><a href=x>",
        "<table><form>",
      ),
      fc.string(),
    );
    fc.assert(
      fc.property(fc.array(part, { maxLength: 30 }), (parts) => {
        expect(PageInfo.safeParse(infoOf(parts.join(""))).success).toBe(true);
      }),
      { numRuns: 300 },
    );
  });
});
