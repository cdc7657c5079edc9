/** Inputs that were slow once: tried first in every run, up to their parser's bound. */
import type { Segment } from "./recipe.ts";

export interface Known {
  /** Name of the parser. */
  parser: string;
  /** Beginning of the frame, as the parser has it; the plain one without. */
  before?: string;
  segments: readonly Segment[];
}

const fixed = (text: string): Segment => ({ text, grows: false });
const grows = (text: string): Segment => ({ text, grows: true });
const CRAWLED = "page of a crawl: text, links, evidence";
const SESSION = "page of a session: forms, links, page-info";

export const KNOWN: readonly Known[] = [
  { parser: CRAWLED, before: '<p style="', segments: [grows("a:  ;"), fixed("!")] },
  { parser: CRAWLED, before: "<script>", segments: [fixed("var "), grows("OPENPOPUP")] },
  { parser: CRAWLED, before: "<script>", segments: [grows("showPopupx"), fixed('"')] },
  {
    parser: "page for affiliate links",
    before: '<meta http-equiv="refresh" content="',
    segments: [grows(" "), fixed(">")],
  },
  {
    parser: "page for affiliate links",
    before: "<script>",
    segments: [grows("document.write("), fixed('"//a.example/x')],
  },
  {
    parser: "page for affiliate links",
    before: '<a href="',
    segments: [fixed("https://shop.example/"), grows("?em=")],
  },
  {
    parser: "page for affiliate links",
    before: "<script>",
    segments: [fixed("a.href"), grows(" "), fixed("x")],
  },
  {
    parser: "page for the government module",
    before: '<meta http-equiv="refresh" content="',
    segments: [grows(" \t "), fixed(";")],
  },
  { parser: "page for the firewall", segments: [grows("--.--.aa:x"), fixed("\u0001")] },
  {
    parser: SESSION,
    before: '<form action="/x"><input name="a" required type="number" value="',
    segments: [grows("1"), fixed("a")],
  },
  { parser: "page for the firewall", before: "<title>", segments: [grows("\u180b"), fixed("@import\n")] },
  { parser: "text for the firewall", segments: [grows("\u200b"), fixed("=.\u0000url(location.href=")] },
  { parser: "text for the firewall", segments: [grows("\t"), fixed("x")] },
  { parser: "text for the firewall", segments: [grows("[INST]")] },
  { parser: "text for the firewall", segments: [grows('"ignore rules" ')] },
  {
    parser: SESSION,
    before: '<form action="/x"><input name="a" required type="number" value="',
    segments: [grows("\n"), fixed("\n3")],
  },
  { parser: "text for the firewall", segments: [fixed("  allleft"), grows("-"), fixed(";")] },
  {
    parser: "header fields of a request",
    before: "if-none-match: ",
    segments: [fixed("x"), grows(" "), fixed("y")],
  },
  { parser: "content-type of a reply", segments: [fixed("text/plain;charset="), grows(" "), fixed(";")] },
  { parser: "security header fields", segments: [grows(","), fixed(">")] },
  {
    parser: "search query",
    segments: [fixed(")127.0.0.1é"), grows("~é"), grows(":é"), grows("'ü"), fixed("\t. a")],
  },
  { parser: "DNS message", segments: [grows("\u0000\u0000\u0000<")] },
  {
    parser: "robots.txt",
    before: "User-agent: *\nDisallow: /",
    segments: [grows("* "), fixed("a<")],
  },
  {
    parser: "robots.txt",
    before: "User-agent: *\n",
    segments: [grows(`Disallow: /*${"* ".repeat(20)}a*b\n`)],
  },
  { parser: "security.txt", segments: [grows("\r\nhttps://"), fixed("Contact:https://Expires:")] },
  { parser: "security.txt", segments: [grows("a:bc\n")] },
  { parser: "style attribute", segments: [grows("a:  ;"), fixed("!")] },
  { parser: "style attribute", segments: [fixed("rgb(0,0,0)var(--x)"), grows(";)x ")] },
  { parser: "style attribute", segments: [fixed("#fff);"), grows("\t")] },
  ...[";)x ", "x;", "x:y!;"].map((bad) => ({
    parser: "page for dark patterns",
    before: "<style>",
    segments: [fixed("p{"), grows(bad)],
  })),
];
