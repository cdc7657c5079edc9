import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { highlight } from "../../../src/domain/search/highlight.ts";
import { analyzeQuery } from "../../../src/domain/search/text-analysis.ts";
import { processorWatch } from "../../support/processor-watch.ts";

const shown = (text: string, query: string, maxLength = 240) =>
  highlight(text, new Set(analyzeQuery(query)), maxLength);

describe("highlighting", () => {
  it.each([
    ["Green tea, greens and teas", "tea", "Green <mark>tea</mark>, greens and <mark>teas</mark>"],
    ["Café Müller", "cafe muller", "<mark>Café</mark> <mark>Müller</mark>"],
    ["東京タワーへ", "京タワ", "東<mark>京タワ</mark>ーへ"],
    ["an mcp-server for Node.js", "server nodejs", "an mcp-<mark>server</mark> for <mark>Node.js</mark>"],
    ["on GitHub", "github", "on <mark>GitHub</mark>"],
    [
      'Joe\'s <b>bar</b> & "grill"',
      "grill",
      "Joe&#39;s &lt;b&gt;bar&lt;/b&gt; &amp; &quot;<mark>grill</mark>&quot;",
    ],
  ])("of %j for %j is %j", (text, query, expected) => {
    expect(shown(text, query)).toBe(expected);
  });

  it("is null where no word stands", () => {
    expect(shown("green tea", "coffee")).toBeNull();
    expect(shown("", "coffee")).toBeNull();
    expect(shown("the of and", "the")).toBeNull();
  });

  it("cuts a long text between words around the first match", () => {
    const html = shown(`${"many words ".repeat(50)}tea ${"and more ".repeat(50)}`, "tea", 80)!;
    expect(html).toMatch(/^…(many|words) .*<mark>tea<\/mark> .*(and|more)…$/);
    expect(html.length).toBeLessThan(80 + 20);
  });

  it("adds nothing but marks to any text, and no markup of strangers comes through", () => {
    const text = fc.string({
      unit: fc.constantFrom(
        "tea",
        " ",
        "<",
        ">",
        "&",
        "'",
        '"',
        "東",
        "京",
        "\ud83c",
        "\udf75",
        "é",
        "-",
        "c++",
      ),
      maxLength: 60,
    });
    fc.assert(
      fc.property(text, (found) => {
        const html = shown(found, "tea 東京 c++", 1_000);
        if (html === null) return;
        const bare = html.replaceAll(/<\/?mark>/g, "");
        expect(bare).not.toMatch(/[<>"']/);
        const entities: Record<string, string> = { lt: "<", gt: ">", amp: "&", quot: '"', "#39": "'" };
        expect(bare.replaceAll(/&([a-z0-9#]+);/g, (_, name: string) => entities[name]!)).toBe(
          found.toWellFormed(),
        );
      }),
    );
  });

  it("answers at once whatever it is given", () => {
    const tookMs = processorWatch();
    for (const text of [
      "a".repeat(1e6),
      "a-".repeat(5e5),
      "東".repeat(1e6),
      "<".repeat(1e6),
      "é\u0301".repeat(5e5),
    ])
      shown(text, "tea 東京", 240);
    expect(tookMs()).toBeLessThan(2_000);
  });
});
