import fc from "fast-check";
import { type DefaultTreeAdapterTypes as Dom, parse, serialize } from "parse5";
import { describe, expect, it } from "vitest";
import { parseHtml } from "../../src/pages/parse-html.ts";
import { HOSTILE_PAGES } from "../support/hostile-pages.ts";

/** What HTML's many states and modes treat by itself, and plain words between. */
const PARTS = [
  ..."<table>|<tr>|<td>|</table>|<caption>|<colgroup>|<col>|<select>|<option>|<frameset>|<frame>|</frameset>|<noframes>".split(
    "|",
  ),
  ..."<svg>|</svg>|<math><mi>|<foreignObject>|<template>|</template>|<p>|</p>|<b>|</b>|<a href='/?a=1&amp;b'>|</a>".split(
    "|",
  ),
  ..."<textarea>\n x|</textarea>|<pre>\n|<script>let a = '<b> c';</script>|<style>b > i { c: d }</style>|<plaintext>".split(
    "|",
  ),
  ..."<!-- a -- b -->|<!--|-->|<![CDATA[ a b ]]>|<!doctype html>|<?a b?>|</ >|<>|<x-y A=1 a=2 B:c='3 4' d_e>|<div style=\"f: g\" ".split(
    "|",
  ),
  ...'<title>a &lt; b</title>|<iframe> a <b> </iframe>|<body>|</body>|</html>|<head>|</head>|<form>|<input value="a b" c>|<br/>'.split(
    "|",
  ),
  `<i a="b" c='d' e>`,
  "<g/>",
  "<p a=b/ c=",
  '<p a="',
  '" b="c">',
  "\r\n",
  "\r",
  "\n",
  "\0",
  "\t",
  "\f",
  " ",
  "  one two  ",
  "word",
  "&",
  "&amp;",
  "&#65;",
  "&notit;",
  "😀",
  "\ud800",
  "é",
  "'",
  '"',
  "=",
  ">",
  "-",
];

describe("HTML is parsed into the tree of parse5's own parser", () => {
  it("whatever its tags, references, line ends and unfinished ends", () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...PARTS), { maxLength: 40 }), (parts) => {
        const html = parts.join("");
        expect(serialize(parseHtml(html).document)).toBe(serialize(parse(html, { scriptingEnabled: false })));
      }),
      { numRuns: 1_500 },
    );
  });

  it.each([
    ["blanks between the frames of a frameset", "<frameset> a b \n<frame> c d </frameset> e f </html> g h "],
    ["blanks among the columns of a template", "<template><col> a b \n<col>\ud83d\ude00\t</template> c d "],
    ["text that belongs before a table", "<table> a b <tr> c d <td> e f </table>"],
    ["the line end that begins a textarea", "<textarea>\n\n a b</textarea><pre>\r\n a</pre>"],
    ["line ends of every kind", "a\r\nb\rc\n\r\nd <!-- a\r\nb\r --><p title='a\r\nb\r'>"],
    [
      "a tag with every kind of attribute",
      `<i a b="c d" e='f g' h=i j = "k" l="m"n o="&lt;p" q="r\r\ns" t/>u</i >`,
    ],
    [
      "values without quotes",
      `<p a=b/c d=/><p a=b/><p a=&lt; b=c><p a= b><p a=><p a=b"c d='><p a=b=c><p a=\u00e9\ud83d\ude00 b>x`,
    ],
    ["attributes said twice", `<i a="b" a="c"><i a="b" a="c" d="e"><i a a><i a='b' c a=d>`],
    ["a tag of many attributes", `<i ${Array.from({ length: 70 }, (_, i) => `a${i}="${i}" `).join("")}>x`],
    [
      "tags that close themselves, or seem to",
      `<br/><br /><p a="b"/>x<svg><g/><g a/><g a="b"/ c="d"/></svg><p/ a>`,
    ],
    ["tags that never end", `<p a="b" c='d <i e="f">g</i>`],
    ["a name of both cases", "<DiV DATA-a=1 dAtA-A=2 ünï=3>a</dIv>"],
  ])("%s", (_, html) => {
    expect(serialize(parseHtml(html).document)).toBe(serialize(parse(html, { scriptingEnabled: false })));
  });
});

/** Nodes in document order, each with the place that parse5 itself gives it, if it does. */
function nodesOf(root: Dom.Node): Dom.Node[] {
  const nodes: Dom.Node[] = [];
  const stack = [root];
  for (let top = stack.pop(); top !== undefined; top = stack.pop()) {
    nodes.push(top);
    if ("content" in top) stack.push(top.content);
    if ("childNodes" in top) stack.push(...top.childNodes.toReversed());
  }
  return nodes;
}

/**
 * Tags and comments that are written in the source, in document order: name, place with the patches, place without. Where the
 * parser opens a formatting element once more (HTML section 13.2.4.3), parse5 gives both the one tag's place, and neither counts.
 */
function placesOf(html: string) {
  const [patched, plain] = [true, false].map((on) => nodesOf(parseHtml(html, { patched: on }).document));
  const places = plain!.flatMap((node, i) => {
    if (!("tagName" in node || "data" in node) || !node.sourceCodeLocation) return [];
    return [{ name: node.nodeName, patched: patched![i] as Placed, plain: node as Placed }];
  });
  const starts = Map.groupBy(places, ({ plain: { at } }) => at);
  return places.filter(({ plain: { at } }) => starts.get(at)!.length === 1);
}
type Placed = Dom.Node & { at: number; until: number };

describe("with and without the patches", () => {
  it.each(HOSTILE_PAGES)("a page of %s has the same tree", (_, make) => {
    const html = make().slice(0, 200_000);
    const [patched, plain] = [true, false].map((on) => serialize(parseHtml(html, { patched: on }).document));
    expect(patched === plain).toBe(true);
  });

  it("a tag or comment ends at the same place, and a tag begins there or with the text before it", () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...PARTS), { maxLength: 40 }), (parts) => {
        for (const { name, patched, plain } of placesOf(parts.join(""))) {
          expect([patched.nodeName, patched.until]).toEqual([name, plain.until]);
          // A comment that follows text in a table is placed when that text is, at its own end.
          if ("tagName" in patched) expect(patched.at).toBeLessThanOrEqual(plain.at);
        }
      }),
      { numRuns: 500 },
    );
  });
});
