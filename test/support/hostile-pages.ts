/** Pages of 2 MiB that ask the most of whoever reads them. */

const CHARS = 2 * 1024 * 1024;
const fill = (part: string): string => part.repeat(Math.floor(CHARS / part.length));
const numbered = (part: (i: number) => string, count: number): string =>
  Array.from({ length: count }, (_, i) => part(i)).join("");

export const HOSTILE_PAGES: readonly [name: string, make: () => string][] = [
  ["nested blocks", () => fill("<div>")],
  ["nested formatting that never ends", () => fill("<b><p>x")],
  ["formatting of which every one is different", () => numbered((i) => `<b id=${i}>`, 180_000)],
  ["unclosed links", () => fill("<a href=x>")],
  ["text moved out of a table", () => `<table>${fill("x<i></i>")}`],
  ["a tag of attributes", () => `<p ${numbered((i) => `a${i} `, 300_000)}>x`],
  ["a million attributes of one name", () => `<p ${fill("a ")}>x`],
  ["attributes everywhere", () => fill("<i a b c d e f>")],
  ["styles everywhere", () => fill('<p style="color:red;font-size:calc(1px + 2px)">x')],
  [
    "rules and classes",
    () =>
      `<style>${numbered((i) => `.a .b${i % 9} .c { color: red }`, 4_000)}</style>${fill('<i class="a b1 c">')}`,
  ],
  ["an unclosed comment", () => `<!--${fill("-x ")}`],
  ["an unclosed style sheet", () => `<style>${fill("a{color:red;b{")}`],
  ["classes", () => fill(`<p class="${"a ".repeat(900)}">x`)],
];
