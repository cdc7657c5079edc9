import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseRobots } from "../../src/egress/robots.ts";
import { anyCharacter } from "../support/any-character.ts";
import { processorWatch } from "../support/processor-watch.ts";

const allowed = (text: string, path: string, token = "BridgeBot"): boolean =>
  parseRobots(text, 200).allows(path, token);
/** One group for everybody with these rules. */
const rules = (...lines: string[]): string => ["User-agent: *", ...lines].join("\n");

describe("the reply's status", () => {
  const text = rules("Disallow: /private");
  it("counts the text of 2xx alone", () => {
    expect(parseRobots(text, 200).allows("/private", "BridgeBot")).toBe(false);
    expect(parseRobots(text, 200).allows("/public", "BridgeBot")).toBe(true);
  });

  it.each([401, 403, 404, 410, 429])("allows everything for %i", (status) => {
    expect(parseRobots(text, status).allows("/private", "BridgeBot")).toBe(true);
  });

  it.each([301, 304, 500, 503, 599, "unreachable"] as const)(
    "allows nothing but robots.txt for %s",
    (status) => {
      expect(parseRobots(text, status).allows("/", "BridgeBot")).toBe(false);
      expect(parseRobots(text, status).allows("/robots.txt", "BridgeBot")).toBe(true);
    },
  );
});

describe("groups", () => {
  it("are chosen by product token in any case, before the one for everybody", () => {
    const text = "user-AGENT: bridgebot\nDisallow: /a\n\nUser-agent: *\nDisallow: /";
    expect(allowed(text, "/b")).toBe(true);
    expect(allowed(text, "/a")).toBe(false);
    expect(allowed(text, "/b", "OtherBot")).toBe(false);
    expect(allowed(text, "/b", "BridgeBot/1.0 (+https://registry.example)")).toBe(true);
    expect(allowed(text, "/b", "BridgeBotExtra")).toBe(false);
  });

  it("take a version after the token in the file", () => {
    expect(allowed("User-agent: BridgeBot/2.0\nDisallow: /", "/x")).toBe(false);
  });

  it("of one token are merged, wherever they stand", () => {
    const text =
      "User-agent: BridgeBot\nDisallow: /a\nUser-agent: *\nDisallow: /c\nUser-agent: bridgebot\nDisallow: /b";
    expect(["/a", "/b", "/c"].map((path) => allowed(text, path))).toEqual([false, false, true]);
  });

  it("may have many user agents, with blank and unknown lines between them", () => {
    const text =
      "User-agent: a\n\n# more\nSitemap: https://x.test/s\nUser-agent: BridgeBot\nNoindex: /\nDisallow: /x";
    expect(allowed(text, "/x")).toBe(false);
    expect(allowed(text, "/x", "a")).toBe(false);
  });

  it("without rules allow everything, even beside one for everybody", () => {
    expect(allowed("User-agent: BridgeBot\nDisallow:\n\nUser-agent: *\nDisallow: /", "/x")).toBe(true);
  });

  it("are not begun by rules: those before any user agent mean nothing", () => {
    expect(allowed("Disallow: /\nUser-agent: other\nDisallow: /", "/x")).toBe(true);
  });
});

describe("lines", () => {
  it("may end in CR, LF or both, begin with a byte order mark, and carry comments and blanks", () => {
    for (const end of ["\n", "\r", "\r\n"]) {
      const text = `\ufeffUser-agent : *${end}  Disallow\t:  /a # not /b${end}#Disallow: /c${end}nonsense${end}`;
      expect(["/a", "/b", "/c"].map((path) => allowed(text, path))).toEqual([false, true, true]);
    }
  });

  it("are read to at least 500 KiB, and not after 512 Ki characters", () => {
    const filler = `#${"x".repeat(1_022)}\n`;
    const text = (kibibytes: number) => `User-agent: *\n${filler.repeat(kibibytes)}Disallow: /late\n`;
    expect(allowed(text(499), "/late")).toBe(false);
    expect(allowed(text(512), "/late")).toBe(true);
  });

  it("cut at the limit are dropped, not read as something shorter", () => {
    const head = "User-agent: *\n";
    const line = "Disallow: /private";
    const text = `${head}${"#".repeat(512 * 1024 - head.length - 12)}\n${line}`;
    expect(allowed(text, "/public")).toBe(true);
  });
});

describe("rules", () => {
  it.each([
    ["/fish", "/fish.html", true],
    ["/fish", "/fishheads/yummy.html", true],
    ["/fish", "/Fish.asp", false],
    ["/fish", "/catfish", false],
    ["/fish*", "/fish.html?id=1", true],
    ["/fish/", "/fish/salmon.htm", true],
    ["/fish/", "/fish", false],
    ["/*.php", "/folder/any.php.file.html", true],
    ["/*.php", "/windows.PHP", false],
    ["/*.php$", "/folder/filename.php", true],
    ["/*.php$", "/filename.php?parameters", false],
    ["/*.php$", "/a.php/b.php", true],
    ["/fish*.php", "/fishheads/catfish.php?parameters", true],
    ["/a$", "/a", true],
    ["/a$", "/ab", false],
    ["/a$b", "/a$b", true],
    ["/$", "/", true],
    ["/$", "/x", false],
    ["*", "/x", true],
    ["/a*a$", "/a", false],
    ["/a*aa$", "/aa", false],
    ["/a*aa$", "/aaa", true],
    ["/a**b", "/axxb", true],
    ["fish", "/fish", false],
    // RFC 9309 section 2.2.2
    ["/foo/bar?baz=quz", "/foo/bar?baz=quz", true],
    ["/foo/bar?baz=https://foo.bar", "/foo/bar?baz=https://foo.bar", true],
    ["/foo/bar/\u30c4", "/foo/bar/%E3%83%84", true],
    ["/foo/bar/%e3%83%84", "/foo/bar/%E3%83%84", true],
    ["/foo/bar/%62%61%7A", "/foo/bar/baz", true],
    ["/foo/bar/baz", "/foo/bar/%62%61%7a", true],
    ["/path/file-with-a-%2A.html", "/path/file-with-a-*.html", true],
    ["/path/foo-%24", "/path/foo-$", true],
    ["/a%2Fb", "/a/b", false],
    ["/a%2Fb", "/a%2fb", true],
    ['/a"b c', "/a%22b%20c", true],
  ])("%s against %s: %j", (pattern, path, matched) => {
    expect(allowed(rules(`Disallow: ${pattern}`), path)).toBe(!matched);
  });

  it("are weighed by length, and allow wins among equals, in either order", () => {
    for (const turn of [(lines: string[]) => lines, (lines: string[]) => lines.toReversed()]) {
      const text = (...lines: string[]) => rules(...turn(lines));
      expect(allowed(text("Allow: /p", "Disallow: /"), "/page")).toBe(true);
      expect(allowed(text("Allow: /folder", "Disallow: /folder"), "/folder/page")).toBe(true);
      expect(allowed(text("Allow: /page", "Disallow: /*.htm"), "/page.htm")).toBe(false);
      expect(allowed(text("Allow: /page", "Disallow: /*.ph"), "/page.php5")).toBe(true);
      expect(allowed(text("Allow: /$", "Disallow: /"), "/")).toBe(true);
      expect(allowed(text("Allow: /$", "Disallow: /"), "/page.htm")).toBe(false);
    }
  });

  it("never keep robots.txt itself away", () => {
    expect(allowed(rules("Disallow: /"), "/robots.txt")).toBe(true);
    expect(allowed(rules("Disallow: /"), "/robots.txt.bak")).toBe(false);
  });

  it("match like the pattern language says, for any pattern and path", () => {
    const patternOf = fc.string({ unit: fc.constantFrom("a", "b", "*", "/", "$"), maxLength: 8 });
    const pathOf = fc.string({ unit: fc.constantFrom("a", "b", "/"), maxLength: 12 });
    fc.assert(
      fc.property(patternOf, pathOf, (pattern, rest) => {
        const literal = pattern.replace(/\$$/, "");
        const source = literal
          .split("*")
          .map((part) => part.replaceAll("$", "\\$"))
          .join(".*");
        const expected = new RegExp(`^/${source}${pattern.endsWith("$") ? "$" : ""}`).test(`/${rest}`);
        expect(allowed(rules(`Disallow: /${pattern}`), `/${rest}`)).toBe(!expected);
      }),
      { numRuns: 2_000 },
    );
  });
});

describe("many rules", () => {
  it("decide by the longest that the pattern language says matches, allow among equals", () => {
    const letters = (maxLength: number, ...units: string[]) =>
      fc.string({ unit: fc.constantFrom(...units), maxLength });
    const ruleOf = fc.tuple(fc.boolean(), letters(9, "ab", "ba", "c", "*", "*"));
    // The longest, and so tried before those that are compared.
    const others = Array.from({ length: 300 }, (_, i) => `Disallow: /*${"z".repeat(40)}${i}`);
    fc.assert(
      fc.property(
        fc.array(ruleOf, { minLength: 1, maxLength: 60, size: "max" }),
        fc.array(letters(12, "ab", "ba", "c"), { minLength: 8, maxLength: 8 }),
        (list, paths) => {
          const given = list.map(([allow, rest]) => ({ allow, pattern: `/${rest.replace(/\*+/g, "*")}` }));
          const robots = parseRobots(
            rules(
              ...others,
              ...given.map(({ allow, pattern }) => `${allow ? "Allow" : "Disallow"}: ${pattern}`),
            ),
            200,
          );
          for (const path of paths.map((rest) => `/${rest}`)) {
            const best = given
              .filter(({ pattern }) => new RegExp(`^${pattern.replaceAll("*", ".*")}`).test(path))
              .sort((a, b) => b.pattern.length - a.pattern.length || Number(b.allow) - Number(a.allow))[0];
            expect(robots.allows(path, "BridgeBot")).toBe(best?.allow ?? true);
          }
        },
      ),
      { numRuns: 500 },
    );
  });
});

describe("Crawl-delay and Sitemap", () => {
  it("gives the group's delay in milliseconds, the larger of two, at most a day", () => {
    const text = "User-agent: *\nCrawl-delay: 2\nUser-agent: BridgeBot\nCrawl-delay: 1.5\nCrawl-delay: 0.5\n";
    const robots = parseRobots(`${text}\nDisallow: /\nUser-agent: slow\nCrawl-delay: 999999999`, 200);
    expect(robots.crawlDelayMs("BridgeBot")).toBe(1_500);
    expect(robots.crawlDelayMs("OtherBot")).toBe(2_000);
    expect(robots.crawlDelayMs("slow")).toBe(86_400_000);
  });

  it.each(["", "-1", "soon", "1e9", "NaN", "Infinity"])("takes %j for no delay", (value) => {
    expect(parseRobots(rules(`Crawl-delay: ${value}`), 200).crawlDelayMs("BridgeBot")).toBeUndefined();
  });

  it("lists sitemaps wherever they stand, at most 1,000", () => {
    const robots = parseRobots("Sitemap: https://x.test/1\nUser-agent: *\nsitemap:https://x.test/2#f", 200);
    expect(robots.sitemaps).toEqual(["https://x.test/1", "https://x.test/2"]);
    expect(parseRobots("Sitemap: /x\n".repeat(2_000), 200).sitemaps.length).toBe(1_000);
  });
});

describe("hostile files", () => {
  it("never throw, whatever the text, path and token", () => {
    const any = fc.string({ unit: anyCharacter });
    const line = fc.oneof(
      any,
      any.map((text) => `Disallow: ${text}`),
      fc.constantFrom("User-agent: *", "Allow: *"),
    );
    fc.assert(
      fc.property(fc.array(line), any, any, (lines, path, token) => {
        expect(typeof parseRobots(lines.join("\n"), 200).allows(path, token)).toBe("boolean");
      }),
    );
  });

  it.each([
    ["patterns of many stars", (i: number) => `Disallow: /${"*a".repeat(30)}${i}b`, "a"],
    ["short patterns that nearly match", (i: number) => `Disallow: /*aaaaaa${i.toString(36)}`, "a"],
    ["long patterns that nearly match", (i: number) => `Disallow: /*${"a".repeat(500)}${i}`, "a"],
    ["one pattern as long as the file", () => `Disallow: /${"*a".repeat(250_000)}$`, "a"],
  ])("of half a mebibyte with %s are decided in under a second", (_name, rule, letter) => {
    const lines = ["User-agent: *"];
    for (let size = 0, i = 0; size < 512 * 1024; i++) size += lines[lines.push(rule(i)) - 1]!.length + 1;
    const tookMs = processorWatch();
    const robots = parseRobots(lines.join("\n"), 200);
    robots.allows(`/${letter.repeat(2_047)}`, "BridgeBot");
    expect(tookMs()).toBeLessThan(1_000);
  });

  it("of rules without number take paths over 2,048 characters as disallowed", () => {
    expect(allowed(rules("Disallow: /x"), `/${"a".repeat(5_000)}`)).toBe(false);
    expect(allowed(rules("Disallow:"), `/${"a".repeat(5_000)}`)).toBe(true);
  });

  it("of rules that only longer paths could match keep those away, and no others", () => {
    for (const part of ["a", "*a", "é", "* "]) {
      const text = rules(`Disallow: /${part.repeat(8_000)}`);
      expect(allowed(text, `/${"a".repeat(9_000)}`)).toBe(false);
      expect(allowed(text, `/${"a".repeat(2_000)}`)).toBe(true);
    }
    expect(allowed(rules(`Disallow: /${"*a".repeat(2_000)}`), `/${"ba".repeat(1_000)}`)).toBe(true);
    expect(allowed(rules(`Disallow: /${"*a".repeat(1_000)}`), `/${"ba".repeat(1_000)}`)).toBe(false);
    // Three octets are one letter: shorter than it is written.
    expect(allowed(rules(`Disallow: /${"%61".repeat(2_047)}`), `/${"a".repeat(2_047)}`)).toBe(false);
    expect(allowed(rules(`Disallow: /${"*".repeat(9_000)}b`), "/ab")).toBe(false);
  });
});
