import { describe, expect, it } from "vitest";
import { readMarkdown } from "../../src/browser/markdown.ts";
import { markdownWindow } from "../../src/browser/markdown-window.ts";
import { readBrowserPage } from "../../src/browser/page.ts";
import { endWithin } from "../../src/browser/tokens.ts";
import { processorWatch } from "../support/processor-watch.ts";

const markdownOf = (text: string) =>
  readMarkdown(
    readBrowserPage({
      url: "https://a.example/",
      status: 200,
      mediaType: "text/html",
      encoding: "utf-8",
      text,
    }),
  );

describe("a page as Markdown", () => {
  it("keeps headings, lists, tables and what a person sees", () => {
    const { text } = markdownOf(
      "<title>x</title><h1>Tea</h1><p>Two  kinds<br>of it<ul><li>green<li>black</ul><table><tr><th>g<th>EUR<tr><td>50<td>4.90</table><script>no()</script><p hidden>not seen</p>",
    );
    expect(text).toBe("# Tea\nTwo kinds\nof it\n- green\n- black\ng EUR\n50 4.90");
  });

  it("numbers links and forms, and lets no page write such a number itself", () => {
    const { text, links, forms } = markdownOf(
      '<p>Our [Pay][1] and [form 9] <a href="/b">basket</a><form name=order method=post><input name=q required></form>',
    );
    expect(text).toBe("Our \\[Pay\\]\\[1\\] and \\[form 9\\] [basket][1]\n[form 1]");
    expect(links).toEqual([{ n: 1, text: "basket", href: "https://a.example/b" }]);
    expect(forms).toMatchObject([
      { n: 1, name: "order", method: "POST", fields: [{ name: "q", required: true }] },
    ]);
  });

  it("comes in windows of a number of tokens, each with its own links, which together are the whole", () => {
    const items = Array.from({ length: 300 }, (_, i) => `<li><a href="/${i}">Number ${i} – größer</a>`);
    const page = markdownOf(`<ul>${items.join("")}</ul>`);
    let whole = "";
    const seen: number[] = [];
    for (let offset: number | null = 0; offset !== null; ) {
      const { markdown, links, next_offset } = markdownWindow(page, offset, 200);
      expect(endWithin(markdown, 200)).toBe(markdown.length);
      whole += markdown;
      seen.push(...links.map(({ n }) => n));
      offset = next_offset;
    }
    expect(whole).toBe(page.text);
    expect(seen).toEqual(items.map((_, i) => i + 1));
  });

  it("reads hostile markup in time that grows with its length", () => {
    for (const piece of ["<a href=/x>", "<form>", "<ul><li>", "[[[[", "<table><tr><td>", "<h1>x"]) {
      const tookMs = processorWatch();
      markdownOf(piece.repeat(60_000));
      expect(tookMs(), piece).toBeLessThan(3_000);
    }
  });
});
