/** What strangers send to stop the program: each is read in the time that its length takes, on whatever machine. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { decodeMessage } from "../../src/adapters/dns/message.ts";
import { describeForm, formsOf } from "../../src/browser/describe.ts";
import { readBrowserPage as readSessionPage } from "../../src/browser/page.ts";
import { valueFault } from "../../src/browser/submission.ts";
import { scanPage } from "../../src/detectors/affiliate/rules.ts";
import { scanDarkPatterns } from "../../src/detectors/dark-pattern/rules.ts";
import { scanFirewall } from "../../src/detectors/firewall/rules.ts";
import { analyzeUrl } from "../../src/detectors/phishing/url-analysis.ts";
import { analyzeQuery, analyzeText } from "../../src/domain/search/text-analysis.ts";
import { selectRecords } from "../../src/domain/trust/txt-record.ts";
import { parseRobots } from "../../src/egress/robots.ts";
import { decodeBody } from "../../src/pages/body-encoding.ts";
import { readPageModel } from "../../src/pages/page-model.ts";
import { type Element, parseHtml } from "../../src/pages/parse-html.ts";
import { defineService, type Handlers } from "../../src/rpc/contract.ts";
import { scoreHeaders } from "../../workers/gateway/gov/observatory.ts";
import { readPageFacts } from "../../workers/gateway/gov/page-facts.ts";
import { readSecurityTxt } from "../../workers/gateway/gov/security-txt.ts";
import { entitiesOf } from "../../workers/gateway/neural/entities.ts";
import { type Engine, startEngine } from "../support/engine.ts";
import { processorWatch } from "../support/processor-watch.ts";
import { request } from "../support/raw-http.ts";

const URL_OF_PAGE = "https://shop.example/";
const spaces = (count: number): string => " ".repeat(count);
const numbered = (part: (i: number) => string, count: number): string =>
  Array.from({ length: count }, (_, i) => part(i)).join("");

/** Processor time of this thread, milliseconds. */
function timeOf(run: () => unknown): number {
  const spentMs = processorWatch();
  run();
  return spentMs();
}

/** The shortest of five: compilers and neighbours make the others longer. */
const leastOf = (run: () => unknown): number => Math.min(...Array.from({ length: 5 }, () => timeOf(run)));

const darkPatterns = (html: string) =>
  scanDarkPatterns({ first: { html, text: undefined }, later: undefined, secondsLater: undefined });
const firewall = (html: string) => scanFirewall({ url: URL_OF_PAGE, html, text: undefined });
const affiliate = (html: string) => scanPage(readPageModel(html), new URL(URL_OF_PAGE));

/** Models and tables are read when they are first asked for: not what is measured here. */
beforeAll(() => {
  darkPatterns("<p>hurry");
  firewall("<p>hello");
  affiliate("<p>hello");
});

const echo = defineService({
  name: "echo",
  description: "",
  operations: {
    get: {
      method: "GET",
      paths: ["/get"],
      summary: "",
      auth: "none",
      reply: z.object({ a: z.int() }),
      errors: [],
      example: "",
    },
  },
});
const handlers: Handlers<typeof echo> = { get: async () => ({ a: 1 }) };

describe("a header field of a request", () => {
  let engine: Engine;
  beforeAll(async () => {
    engine = await startEngine([echo]);
    await engine.work(echo, handlers);
  });
  afterAll(() => engine?.stop());

  it.each([
    ["one long gap", `x${spaces(60_000)}y`],
    ["many gaps", `x${`${spaces(100)}y`.repeat(590)}`],
    ["commas", ",".repeat(60_000)],
    ["quotes", '"'.repeat(60_000)],
    ["tags that nothing closes", '"a,'.repeat(20_000)],
  ])("If-None-Match of 60,000 characters is read at once: %s", async (_, field) => {
    await fetch(`${engine.url}/get`);
    const spentMs = processorWatch();
    const { status } = await request(engine.url, "GET /get", [`If-None-Match: ${field}`]);
    expect(status).toBe(200);
    expect(spentMs()).toBeLessThan(500);
  });
});

describe("what a server answers", () => {
  it.each([
    ["a gap after charset", `text/plain;charset=${spaces(30_000)};`],
    ["a gap before charset", `text/plain${`;${spaces(300)}`.repeat(100)}`],
    ["parameters without end", ";charset=".repeat(5_000)],
    ["open quotes", ';charset="\\'.repeat(5_000)],
  ])("a content type of 30,000 characters is read at once: %s", (_, contentType) => {
    expect(timeOf(() => decodeBody(Buffer.from("User-agent: *"), contentType))).toBeLessThan(50);
  });

  it("the beginning of a page names its encoding at once", () => {
    const page = Buffer.from(`${"<meta charset ".repeat(40)}${"<meta ".repeat(80)}charset=`);
    const run = () => {
      for (let i = 0; i < 200; i++) decodeBody(page, "text/html");
    };
    expect(timeOf(run)).toBeLessThan(500);
  });

  it("robots.txt has as many rules as its lines, however many agents they are for", () => {
    // Letters alone: a product token has no digits.
    const agents = numbered(
      (i) => `user-agent: ${i.toString(2).replaceAll("0", "a").replaceAll("1", "b")}\n`,
      4_000,
    );
    const rules = numbered((i) => `allow: /${i}\ncrawl-delay: 1\n`, 4_000);
    expect(timeOf(() => parseRobots(agents + rules, 200).allows("/", "ab"))).toBeLessThan(1_000);
    expect(timeOf(() => parseRobots("user-agent: a\n".repeat(4_000) + rules, 200))).toBeLessThan(1_000);
  });

  it.each([
    ["one pattern of stars", (size: number) => `Disallow: /${"* ".repeat(size / 2)}a<`],
    ["patterns of stars", (size: number) => `Disallow: /${"* ".repeat(20)}\n`.repeat(size / 52)],
  ])("robots.txt of half a mebibyte is read at once: %s", (_, rules) => {
    const text = `User-agent: *\n${rules(500_000)}`;
    const read = () => parseRobots(text, 200).allows(`/${"a".repeat(2_000)}`, "a");
    expect(leastOf(read)).toBeLessThan(100);
  });

  it.each([
    ["the beginnings of a rule stand in the path", (i: number) => `Allow:*a${i.toString(36)}`],
    ["the same part is far away", (i: number) => `Allow:*aaaab*${i.toString(36)}`],
    ["parts stand side by side", (i: number) => `Allow:${"*a".repeat(30)}${i}`],
  ])("a path is decided at once by 20,000 rules that nearly match: %s", (_, rule) => {
    const robots = parseRobots(`User-agent: *\n${numbered((i) => `${rule(i)}\n`, 20_000)}`, 200);
    const path = `/${"a".repeat(1_990)}b`;
    robots.allows(path, "a");
    expect(
      timeOf(() => {
        for (let i = 0; i < 4; i++) robots.allows(path, "a");
      }),
    ).toBeLessThan(200);
  });

  it.each([
    ["commas", ",".repeat(32_768)],
    ["directives of one letter", "a;".repeat(16_384)],
    ["one directive of many values", "img-src x ".repeat(3_276)],
  ])("a policy of 32 KiB is scored at once: %s", (_, policy) => {
    const run = () => {
      for (let i = 0; i < 10; i++) scoreHeaders({ "content-security-policy": policy }, [], undefined, true);
    };
    expect(timeOf(run)).toBeLessThan(200);
  });

  it.each([
    ["fields of one name", "a:bc\n".repeat(6_500)],
    ["lines that are no field", "\r\nhttps://".repeat(3_276)],
    ["a head of a signature without end", `-----BEGIN PGP SIGNED MESSAGE-----\n${"a\n".repeat(16_000)}`],
  ])("a security.txt of 32 KiB is read at once: %s", (_, text) => {
    const run = () => {
      for (let i = 0; i < 50; i++)
        readSecurityTxt(text, "https://a.example/.well-known/security.txt", "text/plain", 0);
    };
    expect(timeOf(run)).toBeLessThan(60);
  });

  it("a message of DNS is read in the time of its length", () => {
    const header = Buffer.alloc(12);
    header.writeUInt16BE(0x8180, 2);
    header.writeUInt16BE(0xffff, 6);
    for (const record of ["\0\0\0<", "\0\0\x10\0\x01\0\0\0\0\0\x01\0", "\xc0\x20"]) {
      const records = Buffer.from(record.repeat(65_000 / record.length), "latin1");
      const message = Buffer.concat([header, records]);
      const run = () => {
        for (let i = 0; i < 10; i++) decodeMessage(message, "a.example", 12);
      };
      expect(timeOf(run)).toBeLessThan(300);
    }
  });

  it("a TXT record of white space is read at once", () => {
    const text = `v=BRIDGE1;k=${" \r\n".repeat(330)}`;
    const run = () => {
      for (let i = 0; i < 200; i++) selectRecords([text, ` v${spaces(60_000)}`], "shop.example");
    };
    expect(timeOf(run)).toBeLessThan(1_000);
  });
});

function inputOf(html: string): Element {
  let input: Element | undefined;
  parseHtml(html, {
    onElement: (element) => {
      if (element.tagName === "input") input = element;
    },
  });
  return input!;
}

describe("a page", () => {
  it.each([
    ["an inline style of empty values", `<p style="${"a:  ;".repeat(40)}!">x`],
    ["inline styles of bad declarations", `<p style="rgb(0,0,0)${";)x ".repeat(1_000)}">x`.repeat(500)],
    ["a sheet of bad declarations", `<style>p{${";)x ".repeat(60_000)}}</style><p>x`],
    ["a sheet of names alone", `<style>p{${"x;".repeat(120_000)}}</style><p>x`],
    ["a sheet of bad marks", `<style>p{${"x:y!;".repeat(50_000)}}</style><p>x`],
    ["a sheet of rules in rules", `<style>${"p{".repeat(120_000)}</style><p>x`],
    ["a sheet of open brackets", `<style>p{${"x:([{".repeat(50_000)}</style><p>x`],
    ["a sheet of open addresses", `<style>p{${"x:url( ".repeat(36_000)}</style><p>x`],
    ["a sheet of open comments", `<style>${"p{/*".repeat(60_000)}</style><p>x`],
    ["an inline style of white space", `<p style="a:${spaces(380)}!">x`.repeat(500)],
    ["selectors of brackets", `<style>${`${"[".repeat(3_900)}{color:red}`.repeat(60)}</style><p>x`],
    ["selectors of white space", `<style>${`a${spaces(3_900)}b>c{color:red}`.repeat(60)}</style><p>x`],
    [
      "a selector whose value never ends",
      `<style>${`a[b=${spaces(3_000)}"c]{color:red}`.repeat(60)}</style><p>x`,
    ],
    [
      "selectors and elements of many classes",
      `<style>${`.x${".a".repeat(1_900)}{color:red}`.repeat(60)}</style>${`<p class="x ${numbered((i) => `c${i} `, 400)} a">x`.repeat(500)}`,
    ],
    [
      "selectors and an element of many attributes",
      `<style>${`p${"[a]".repeat(1_200)}{color:red}`.repeat(60)}</style><p ${numbered((i) => `b${i} `, 100_000)} a>x`,
    ],
    ["fonts of digits", `<p style="font:${"1".repeat(380)}!">x`.repeat(500)],
    ["translations", `<p style="transform:${"translate(-".repeat(18)}">x`.repeat(500)],
  ])("is modelled in the time of its length: %s", (_, html) => {
    expect(timeOf(() => readPageModel(html))).toBeLessThan(1_500);
  });

  it.each([
    ["names of pop-ups", `<script>var ${"OPENPOPUP".repeat(310)}</script>`],
    ["a long name of pop-ups", `<script>var ${"openPopup".repeat(25_000)}</script>`],
    ["timers", `<script>${"setInterval(".repeat(20_000)}</script>`],
    ["clocks that are set", `<script>setTimeout();${"setMinutes(".repeat(20_000)}</script>`],
    ["a counter with a long name", `<script>setTimeout();let ${"time".repeat(50_000)}</script>`],
    [
      "empty dialogs beside many buttons",
      `${"<i>".repeat(35)}${"<button>x</button>".repeat(1_900)}${"</i>".repeat(35)}${"<div class=modal></div>".repeat(20_000)}`,
    ],
    [
      "dialogs in dialogs",
      `${"<div class=modal><button>x</button></div>".repeat(60)}${"<i class=modal>".repeat(38)}${"<b class=modal></b>".repeat(20_000)}`,
    ],
    ["walls", numbered((i) => `<p>You must sign up ${i}</p>`, 10_000)],
    ["consent by going on", numbered((i) => `<p>By using this you agree to cookies ${i}</p>`, 10_000)],
  ])("has its dark patterns counted in the time of its length: %s", (_, html) => {
    expect(timeOf(() => darkPatterns(html))).toBeLessThan(3_000);
  });

  it.each([
    ["a refresh of white space", `<meta http-equiv=refresh content="${spaces(50_000)}x">`],
    ["a refresh of digits", `<meta http-equiv=refresh content="${"1".repeat(50_000)}">`],
    [
      "loads before each address",
      `<script>${'innerHTML=document.write(x.src="http://aaa";'.repeat(5_000)}</script>`,
    ],
    ["loads that never end", `<script>${'document.write("http://aaa",innerHTML= '.repeat(6_000)}</script>`],
    ["links that scripts set", `<script>${".href ".repeat(30_000)}</script>`],
    ["a link that a script sets to nothing", `<script>.href${spaces(190_000)}</script>`],
    [
      "personal parameters",
      `<img width=1 height=1 src="https://pixel.example/?${"?email=".repeat(20_000)}">`,
    ],
  ])("is searched for affiliate links in the time of its length: %s", (_, html) => {
    expect(timeOf(() => affiliate(html))).toBeLessThan(1_500);
  });

  it.each([
    ["brackets of Markdown", `<p>](${"[".repeat(400_000)}`],
    [
      "forms before no password",
      `${"<form action=https://a.test/></form>".repeat(1_900)}${"<input type=text>".repeat(45_000)}`,
    ],
    ["a path of slashes", `<a href="https://a.example/${"/".repeat(400_000)}">a link</a>`],
    ["a query of question marks", `<a href="https://a.example/${"?".repeat(400_000)}">a link</a>`],
    ["a long word", `<p>${"a".repeat(100_000)}! ${"a".repeat(8_000)}`],
    ["a title of invisible characters", `<title>${"\u180b".repeat(2_000_000)}@import</title>`],
    ["characters of no width", `<p>${"\u200b".repeat(2_000_000)}=.url(location.href=`],
  ])("is searched by the firewall in the time of its length: %s", (_, html) => {
    expect(timeOf(() => firewall(html))).toBeLessThan(4_000);
  });

  it.each([
    ["characters of no width", `${"\u200b".repeat(2_000_000)}=.url(location.href=`],
    ["two characters of no width", `${"\u200b\u200c".repeat(1_000_000)}x`],
    ["one long gap", `${"\t".repeat(2_000_000)}x`],
  ])("of text alone is searched by the firewall in the time of its length: %s", (_, text) => {
    expect(timeOf(() => scanFirewall({ url: undefined, html: undefined, text }))).toBeLessThan(4_000);
  });

  it("has a field of line ends read in the time of its length", () => {
    const source = { url: URL_OF_PAGE, status: 200, mediaType: "text/html", encoding: "utf-8" };
    const text = `<form><input name=a type=text value="${"\n".repeat(1_000_000)}3"></form>`;
    const read = () => {
      const page = readSessionPage({ ...source, text });
      return describeForm(page, {}, formsOf(page)[0]!).fields[0]!.value;
    };
    expect(timeOf(() => expect(read()).toBe("3"))).toBeLessThan(500);
  });

  it("has its mail addresses found in the time of its length", () => {
    const text = "a".repeat(400_000);
    expect(timeOf(() => entitiesOf(undefined, text))).toBeLessThan(500);
    expect(timeOf(() => entitiesOf(undefined, "a@".repeat(200_000)))).toBeLessThan(500);
    expect(timeOf(() => readPageFacts(`<p>${text}`, undefined))).toBeLessThan(1_500);
  });

  it("has a number in a field checked in the time of its length", () => {
    expect(timeOf(() => valueFault(inputOf("<input type=number>"), `${"1".repeat(60_000)}x`))).toBeLessThan(
      100,
    );
  });
});

describe("the words of a search", () => {
  it.each([
    ["letters with marks between signs", (size: number) => "~é:é'ü".repeat(size / 6)],
    ["letters that invisible ones part", (size: number) => "ü-\u200c".repeat(size / 3)],
    ["one identifier", (size: number) => "é@".repeat(size / 2)],
  ])("are read in the time of their length: %s", (_, text) => {
    const [short, long] = [text(6_000), text(96_000)];
    const shortMs = leastOf(() => analyzeText(short));
    // Sixteen times as long: a square would take 256 times as long.
    expect(leastOf(() => analyzeText(long))).toBeLessThan(64 * Math.max(shortMs, 0.5));
    expect(timeOf(() => analyzeQuery(long))).toBeLessThan(100);
  });
});

describe("an address", () => {
  it.each([
    ["slashes", "/".repeat(400_000)],
    ["folders of WordPress", "/wp-content/".repeat(40_000)],
    ["question marks", "/a?".repeat(100_000)],
  ])("is judged in the time of its length: %s", (_, path) => {
    expect(timeOf(() => analyzeUrl(`https://a.example${path}`))).toBeLessThan(1_500);
  });
});
