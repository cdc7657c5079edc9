import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { affiliateOf } from "../../../../src/detectors/affiliate/addresses.ts";
import { scanPage } from "../../../../src/detectors/affiliate/rules.ts";
import { readPageModel } from "../../../../src/pages/page-model.ts";
import { hopOf, replacedTags } from "../../../../workers/gateway/affiliate/hops.ts";
import { processorWatch } from "../../../support/processor-watch.ts";
import { PAID_LINKS } from "./links.ts";
import { misses } from "./misses.ts";
import { PAGE_CASES } from "./pages.ts";

const PAGE = new URL("https://kettles.example/best");
const scan = (html: string) => scanPage(readPageModel(html), PAGE);

describe("affiliate links", () => {
  it("of 35 programmes and more are known with partner and target, ordinary ones left alone, pages told from their twins", () => {
    expect(misses()).toEqual([]);
    expect(new Set(PAID_LINKS.map(({ program }) => program)).size).toBeGreaterThanOrEqual(35);
    expect(PAGE_CASES.length).toBeGreaterThanOrEqual(20);
  });

  it("are no fault where they are said and shown", () => {
    const { verdict, riskScore, findings } = scan(
      '<p>We may earn a commission.</p><a rel="sponsored" href="https://www.amazon.de/dp/B0?tag=k-21">Kettle</a>',
    );
    expect([verdict, riskScore, findings]).toEqual(["tagged", 0, []]);
  });

  it("are found with the place of their markup and a selector", () => {
    const html = '<main><p>Affiliate</p><a id="k" href="https://amzn.to/3x">Kettle</a></main>';
    const [link] = scan(html).links;
    expect(html.slice(link!.evidence.start!, link!.evidence.end!)).toBe(
      '<a id="k" href="https://amzn.to/3x">',
    );
    expect(link!.evidence.selector).toBe("#k");
  });

  it("go to a base that the page names, and through a redirector of the site's own", () => {
    const based = scan(
      '<base href="https://www.awin1.com/"><iframe src="//www.awin1.com/cread.php?awinaffid=1"></iframe>',
    );
    expect(based.verdict).toBe("stuffing");
    const through = scan(
      `<p>Anzeige</p><a href="/go?to=${encodeURIComponent("https://www.awin1.com/cread.php?awinmid=1&awinaffid=7")}">x</a>`,
    );
    expect(through.links.map(({ network, id }) => [network, id])).toEqual([["Awin", "7"]]);
  });

  it("to brands under other suffixes are not taken for the brand's", () => {
    for (const url of [
      "https://amazon.evil.example/?tag=x-20",
      "https://amazon.com.evil.example/?tag=x-20",
      "https://notamazon.de/?tag=x-20",
    ])
      expect(affiliateOf(new URL(url))).toBeUndefined();
    expect(affiliateOf(new URL("https://www.amazon.com.br/dp/1?tag=x-20"))?.id).toBe("x-20");
  });
});

describe("hops", () => {
  const hops = (...urls: string[]) => urls.map((url) => hopOf(new URL(url), 302, []));
  it("on which the tag changes are reported", () => {
    const told = replacedTags(
      hops("https://www.amazon.com/dp/1?tag=blog-20", "https://www.amazon.com/dp/1?tag=thief-20"),
    );
    expect(told.map(({ rule_id }) => rule_id)).toEqual(["tag-replaced"]);
  });
  it("that keep the tag, or go from one network to another, are not", () => {
    expect(
      replacedTags(hops("https://www.amazon.com/dp/1?tag=a-20", "https://www.amazon.com/dp/1?tag=a-20&x=1")),
    ).toEqual([]);
    expect(
      replacedTags(
        hops("https://www.awin1.com/cread.php?awinaffid=1", "https://www.amazon.com/dp/1?tag=a-20"),
      ),
    ).toEqual([]);
  });
  it("name the cookies that were set, with commas in their dates", () => {
    const fields = ["AWSESS=1; Expires=Wed, 01 Jan 2027 00:00:00 GMT", "bId=x; Path=/"];
    expect(hopOf(PAGE, 200, fields).cookies).toEqual(["AWSESS", "bId"]);
  });
});

describe("hostile pages", () => {
  const mebibyte = 1_048_576;
  const repeated = (text: string, length = 2 * mebibyte) =>
    text.repeat(Math.ceil(length / text.length)).slice(0, length);
  it.each([
    ["a page of paid links", repeated('<a href="https://www.amazon.com/dp/1?tag=x-20">k</a>')],
    ["deep nesting", repeated("<div class=d-none>")],
    [
      "hidden frames in deep nesting",
      repeated('<div class=a><iframe src="https://www.awin1.com/cread.php?awinaffid=1">'),
    ],
    [
      "one script of addresses",
      `<script>${repeated('a.src="https://www.awin1.com/cread.php?awinaffid=1";')}</script>`,
    ],
    [
      "style sheets without end",
      `<style>${repeated(".a{background:url(https://www.awin1.com/cread.php?a=1)}")}`,
    ],
    [
      "a long address",
      `<a href="https://www.awin1.com/cread.php?${repeated("ued=https%3A%2F%2Fa.example%2F&")}">x</a>`,
    ],
    ["one long attribute", `<img srcset="${repeated("https://www.awin1.com/cread.php?a=1 1x, ")}">`],
    ["angle brackets", repeated("<")],
    ["open parentheses", `<script>${repeated("document.write(")}</script>`],
  ])("take less than a second: %s", (_, html) => {
    const tookMs = processorWatch();
    const { complete, links, findings } = scan(html);
    expect(tookMs()).toBeLessThan(1_000);
    expect(links.length).toBeLessThanOrEqual(200);
    expect(findings.length).toBeLessThanOrEqual(100);
    expect(typeof complete).toBe("boolean");
  });

  it("never make the scan throw", () => {
    const piece = fc.constantFrom(
      "<a href=",
      '"https://www.awin1.com/cread.php?ued=',
      "%E0%A4%A",
      ">",
      "</a>",
      "<script>",
      "url(",
      "<style>",
      "&amp;",
      "\u0000",
      "https://[::1",
      "//",
      "tag=x",
      "<meta http-equiv=refresh content='0;url=",
    );
    fc.assert(
      fc.property(fc.array(fc.oneof(piece, fc.string()), { maxLength: 30 }), (pieces) => {
        scan(pieces.join(""));
      }),
    );
  });
});
