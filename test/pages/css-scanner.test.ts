/** The scanner of style sheets against css-tree, which reads what is well-formed the same, and against CSS Syntax Level 3. */
import type { CssNodePlain } from "css-tree";
import parseCss from "css-tree/parser";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  type Declaration,
  readDeclarationList,
  readSheet,
  type SheetReader,
} from "../../src/pages/css-scanner.ts";

const PARSING = {
  parseValue: false,
  parseCustomProperty: false,
  parseRulePrelude: false,
  parseAtrulePrelude: false,
  list: false,
} as const;

const READ = new Set(["media", "supports", "layer", "container"]);

const rawOf = (node: CssNodePlain | null): string => (node?.type === "Raw" ? node.value.trim() : "");

const declarationsOf = (nodes: readonly CssNodePlain[]): Declaration[] =>
  nodes.flatMap((node) =>
    node.type === "Declaration"
      ? [{ property: node.property, value: rawOf(node.value), isImportant: Boolean(node.important) }]
      : [],
  );

/** One line an at-rule or rule: what it is, what it is for, what it says. */
type Line = readonly [kind: string, prelude: string, declarations: readonly Declaration[]];

const linesOf = (nodes: readonly CssNodePlain[]): Line[] =>
  nodes.flatMap((node): Line[] => {
    if (node.type === "Rule") return [["rule", rawOf(node.prelude), declarationsOf(node.block.children)]];
    if (node.type !== "Atrule") return [];
    const line: Line = [`@${node.name}`, rawOf(node.prelude), []];
    return node.block && READ.has(node.name) ? [line, ...linesOf(node.block.children)] : [line];
  });

function oldList(text: string): Declaration[] {
  const list = parseCss(text, { ...PARSING, context: "declarationList" }) as CssNodePlain;
  return list.type === "DeclarationList" ? declarationsOf(list.children) : [];
}

function oldSheet(text: string): Line[] {
  const sheet = parseCss(text, PARSING) as CssNodePlain;
  return sheet.type === "StyleSheet" ? linesOf(sheet.children) : [];
}

function sheetOf(text: string): Line[] {
  const lines: Line[] = [];
  const reader: SheetReader = {
    declarations: () => undefined,
    rule: (prelude) => {
      const found: Declaration[] = [];
      lines.push(["rule", prelude, found]);
      return {
        declarations: (list) => void found.push(...list),
        rule: () => undefined,
        atRule: () => undefined,
      };
    },
    atRule: (name, prelude) => {
      lines.push([`@${name}`, prelude, []]);
      return READ.has(name) ? reader : undefined;
    },
  };
  readSheet(text, reader);
  return lines;
}

const REALISTIC = `<!-- @charset "utf-8"; @import url("a;b.css") screen;
:root { --gap: { a: b }; --x: calc(1px + (2px * 3)) ; color-scheme:light dark }
.a > b[title="};"] , #c:not(.d, [e='{']) { color : rgb(0,0,0)!important; background: url(data:image/png;base64,AA==) no-repeat;; }
@media screen and (min-width: 10px) { @supports (display: grid) { p { display: none ! important } } .x{left:-9999px} }
@font-face { font-family: "A;B"; src: url( a.woff ) format("woff"), url('b;{.ttf') }
@keyframes k { from { opacity: 0 } 50.5% { opacity: .5 } to { opacity: 1 } }
/* } */ p::after { content: "\\"}; \\
x"; /* ; */ width: calc(100% - var(--gap, 1px)) /* why */ ; }
@layer base, theme; @layer base { html { font: 12px/1.5 "X", serif } } @container (width > 1px) { q { clip: rect(0 0 0 0) } }
.\\31 0\\:x { transform: translate(-50%, -50%) } -->`;

const NAMES = ["color", "display", "-webkit-x", "--gap", "font-size", "caf\u00e9", "_zoom", "Left"];
const VALUES = [
  "red",
  "none",
  "12px",
  "-1.5em",
  "50%",
  "#fff",
  "rgb(0,0,0)",
  "calc(1px + (2px*3))",
  "var(--x,[a;b])",
  "url(a;b)",
  "url( 'a)b' )",
  "url(a\\)b)",
  'url("x;y")',
  '"a;b"',
  "'}'",
  '"\\""',
  "/* ; } */",
  ",",
  "/",
  "1.5",
  "a\\;b",
  "\u00e9",
  "xurl(a)",
  "<!--",
  "#url(a)",
];
const BLANKS = fc.constantFrom("", " ", "\n\t ", "/**/", " /* x;{ */ ");
const VALUE = fc
  .array(fc.constantFrom(...VALUES), { minLength: 1, maxLength: 4 })
  .map((parts) => parts.join(" "));
const DECLARATION = fc
  .tuple(fc.constantFrom(...NAMES), BLANKS, BLANKS, VALUE, fc.constantFrom("", "!important", " ! important "))
  .map(([name, before, after, value, mark]) => `${name}${before}:${after}${value}${mark}`);
const LIST = fc
  .tuple(fc.array(fc.tuple(DECLARATION, BLANKS), { maxLength: 5 }), fc.constantFrom("", ";", " ;; "))
  .map(([list, last]) => list.map(([text, blank]) => blank + text).join(";") + last);
const SELECTOR = fc.constantFrom("p", ".a > #b", '[x="{;}"]', ":not(a,{)", "a,\nb", ".\\{", "p /* { */ q");
const RULE = fc
  .tuple(SELECTOR, BLANKS, LIST, BLANKS)
  .map(([selector, a, list, b]) => `${selector}${a}{${list}}${b}`);
const SHEET = fc
  .array(
    fc.oneof(
      { weight: 4, arbitrary: RULE },
      fc
        .tuple(fc.constantFrom("media print", "supports (a:b)", "page", "layer x"), fc.array(RULE))
        .map(([name, rules]) => `@${name} {${name === "page" ? "margin:0" : rules.join("\n")}}`),
      fc.constantFrom("@import 'a;b';", "@layer a, b;", "<!--", "-->", "\n", "/* { */"),
    ),
    { maxLength: 6 },
  )
  .map((parts) => parts.join(" "));

describe("what is well-formed is read as css-tree reads it", () => {
  it("a sheet of all that sites write", () => {
    const lines = sheetOf(REALISTIC);
    expect(lines).toEqual(oldSheet(REALISTIC));
    expect(lines.flatMap(([, , declarations]) => declarations)).toHaveLength(12);
  });

  it("lists of declarations", () => {
    let declared = 0;
    const same = (text: string) => {
      const expected = oldList(text);
      declared += expected.length;
      expect(readDeclarationList(text)).toEqual(expected);
    };
    fc.assert(fc.property(LIST, same), { numRuns: 5_000 });
    expect(declared).toBeGreaterThan(5_000);
  });

  it("sheets", () => {
    let rules = 0;
    const same = (text: string) => {
      const expected = oldSheet(text);
      rules += expected.length;
      expect(sheetOf(text)).toEqual(expected);
    };
    fc.assert(fc.property(SHEET, same), { numRuns: 3_000 });
    expect(rules).toBeGreaterThan(3_000);
  });

  it("and what ends too early, or is no declaration", () => {
    for (const text of [
      "color:red",
      "color:rgb(0",
      "color:'a",
      "color:'a\nb;left:0",
      "color:url(a",
      "color:/* a",
      "x;color:red",
      "1:2;color:red",
      ")x;color:red",
      "color red;left:0",
      "color:red);left:0",
      "*zoom:1;left:0",
      "@x;left:0",
      "@media{left:1};left:0",
      "color:red!important x;left:0",
      "color:red!important;color:blue",
      ":;;:;color:",
      "a:b}c:d;left:0",
    ]) {
      const own = readDeclarationList(text).filter(({ property }) => /^[a-z]+$/.test(property));
      expect(own, text).toEqual(oldList(text).filter(({ property }) => /^[a-z]+$/.test(property)));
    }
  });
});

describe("what is not well-formed is read as CSS Syntax Level 3 has it, where css-tree does not", () => {
  const left = { property: "left", value: "0", isImportant: false };

  it("a rule that nests in another ends with its block, not with the next semicolon", () => {
    expect(sheetOf("p { .a { color: red } left: 0 }")).toEqual([["rule", "p", [left]]]);
    expect(readDeclarationList("a:hover { color: red } left: 0")).toEqual([left]);
  });

  it("a mark that is not `!important` makes its declaration void", () => {
    expect(readDeclarationList("color: red !ie; left: 0")).toEqual([left]);
  });

  it("names of at-rules have no letter case, and an @import with a block takes no rule with it", () => {
    expect(sheetOf("@IMPORT {} @Media x { p { left: 0 } }")).toEqual([
      ["@import", "", []],
      ["@media", "x", []],
      ["rule", "p", [left]],
    ]);
  });
});
