/**
 * Scanners and linear expressions against the expressions that they took the place of, which took quadratic or exponential
 * time: on any text of their own tokens, the same answer. The old ones are kept here alone.
 */
import { readFileSync } from "node:fs";
import { stripTypeScriptTypes } from "node:module";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { slug } from "../../src/browser/page-actions.ts";
import { isLoad, refreshTarget } from "../../src/detectors/affiliate/loads.ts";
import { isPersonal, rewriteIn } from "../../src/detectors/affiliate/rules.ts";
import { repeatsQuestions } from "../../src/detectors/dark-pattern/choices.ts";
import { restarts } from "../../src/detectors/dark-pattern/pressure.ts";
import { decodeHidden } from "../../src/detectors/firewall/decode.ts";
import { markdownLinks } from "../../src/detectors/firewall/links.ts";
import { withoutPadding } from "../../src/domain/protocols/base64url.ts";
import { charsetOf, matchesEntityTag } from "../../src/domain/protocols/header-fields.ts";
import { DROPPED } from "../../src/domain/search/embeddings/tokenizer.ts";
import { trimFws } from "../../src/domain/trust/txt-record.ts";

import { isTranslatedFar } from "../../src/pages/computed-style.ts";
import { pixels } from "../../src/pages/length.ts";
import { isPlain, readSelector } from "../../src/pages/style-sheet.ts";
import { readPageFacts } from "../../workers/gateway/gov/page-facts.ts";
import { mailsIn } from "../../workers/gateway/neural/entities.ts";
import { compact } from "../../workers/session/bridge-script.ts";

const RUNS = 5_000;

/** Texts of these tokens: what the old expression names, and what stands between. */
const textOf = (tokens: readonly string[], maxLength = 14): fc.Arbitrary<string> =>
  fc
    .array(fc.oneof({ weight: 8, arbitrary: fc.constantFrom(...tokens) }, fc.string({ maxLength: 2 })), {
      maxLength,
    })
    .map((parts) => parts.join(""));

/**
 * Holds both to the same answer.
 * @param least how many texts must make the old one find something: else the texts would show nothing
 */
function agree<T>(
  texts: fc.Arbitrary<string>,
  old: (text: string) => T,
  own: (text: string) => T,
  least = 20,
): void {
  const answers = new Map<string, number>();
  fc.assert(
    fc.property(texts, (text) => {
      const expected = old(text);
      const key = JSON.stringify(expected) ?? "undefined";
      answers.set(key, (answers.get(key) ?? 0) + 1);
      expect(own(text)).toEqual(expected);
    }),
    { numRuns: RUNS },
  );
  const commonest = Math.max(...answers.values());
  expect(answers.size, "every text gave the same answer").toBeGreaterThan(1);
  expect(RUNS - commonest).toBeGreaterThan(least);
}

// The same texts in every run: what differs is then found by whoever changed it.
fc.configureGlobal({ seed: 33 });

describe("header fields", () => {
  it("If-None-Match is read as it was split, but for commas inside tags", () => {
    const old = (field: string): boolean =>
      field === "*" || field.split(/\s*,\s*/).some((one) => one.replace(/^W\//, "") === '"a"');
    // Quotes stand around whole tags alone: what is between them otherwise is told below.
    const tokens = ['"a"', '"b"', "W/", ",", " , ", "\t", "x", "*", ",,"];
    const texts = fc
      .array(fc.constantFrom(...tokens), { maxLength: 12 })
      .map((parts) => parts.join("").trim());
    agree(texts, old, (field) => matchesEntityTag(field, '"a"'));
  });

  it.each([
    ['"a"', true],
    ['W/"a"', true],
    ['  "b" ,\tW/"a"', true],
    [',,, "a",', true],
    ['"b, c", "a"', true],
    // RFC 9110 section 8.8.3: a comma may stand in a tag, so this is one tag and not three.
    ['"b,"a","c"', false],
    ['"a', false],
    ['a"', false],
    ['"a"x', false],
    ["*", true],
    ["", false],
  ])("If-None-Match: %s names the tag: %s", (field, named) => {
    expect(matchesEntityTag(field, '"a"')).toBe(named);
  });

  it.each([
    ["text/html; charset=utf-8", "utf-8"],
    ['text/html;CHARSET="koi8-r"', "koi8-r"],
    // As browsers have it: blanks belong to the name, and a quote that nothing closes holds the rest.
    ["text/html;charset = koi8-r", undefined],
    ['text/html; charset="utf-8', "utf-8"],
    ["text/html; charset=; charset=big5", "big5"],
    ['text/html; title="; charset=big5"; charset=utf-8', "utf-8"],
    ['text/html; title="a\\"; charset=big5"; charset=utf-8', "utf-8"],
    ['text/html; title="a; charset=utf-8', undefined],
    ["text/html; charset=utf-8, text/html; charset=big5", "big5"],
    ["text/html; charset=big5, text/html", "big5"],
    ["text/html; charset=big5, text/plain", undefined],
    ["text/html charset=utf-8", undefined],
    ["charset=utf-8", undefined],
  ])("content type %s names the charset %s", (type, charset) => {
    expect(charsetOf(type)).toBe(charset);
  });
});

describe("records", () => {
  it("folding white space around a tag's value", () => {
    const old = (text: string): string =>
      text.replace(/^(?:[ \t]|\r\n(?=[ \t]))+|(?:[ \t]|\r\n(?=[ \t]))+$/g, "");
    agree(textOf([" ", "\t", "\r\n", "\r", "\n", "a", "\r\n "]), old, trimFws);
  });

  it("padding of base64", () => {
    agree(textOf(["=", "==", "a"]), (text) => text.replace(/=+$/, ""), withoutPadding);
  });

  it("characters that the tokenizer drops", () => {
    const old = /[[\p{Cc}\p{Cf}\p{Co}\p{Cs}\ufffd]--[\t\n\r]]/gv;
    for (let code = 0; code < 0x11_00_00; code++) {
      const char = String.fromCodePoint(code);
      if ((char.replace(old, "") === "") !== (char.replace(DROPPED, "") === "")) expect.fail(`U+${code}`);
    }
  });

  it("names of actions", () => {
    const old = (text: string): string =>
      text
        .normalize("NFKD")
        .toLowerCase()
        .replace(/[^a-z0-9]+/g, "-")
        .replace(/^-+|-+$/g, "")
        .slice(0, 48);
    agree(textOf(["-", "--", " ", "Buy", "é", "_", "1"]), old, slug);
  });
});

describe("addresses", () => {
  it("personal data in a query", () => {
    const old = /[?&](?:em|email|e-?mail|mail|ph|phone|tel)=[^&]*(?:@|%40|%2B?\d{7}|\+?\d{7})/i;
    const tokens = [
      "?",
      "&",
      "em=",
      "e-mail=",
      "tel=",
      "phone",
      "=",
      "@",
      "%40",
      "%2b",
      "1234567",
      "12",
      "x",
    ];
    agree(textOf(tokens), (search) => old.test(search), isPersonal);
  });

  it("where a refresh leads, where that is an address of another host", () => {
    const old = (content: string): string | undefined =>
      /^\s*[\d.]*\s*[;,]\s*(?:url\s*=\s*)?["']?([^"']+)/i.exec(content)?.[1]?.trim();
    // Only such texts are looked at (referencesOf).
    const told = (address: string | undefined) =>
      address !== undefined && (address.includes("//") || address.includes("http")) ? address : undefined;
    const tokens = [
      "0",
      "5.",
      " ",
      ";",
      ",",
      "url",
      "=",
      "URL=",
      '"',
      "'",
      "http://a.example/",
      "//b.example",
    ];
    agree(
      textOf(tokens, 8),
      (content) => told(old(content)),
      (content) => told(refreshTarget(content)),
    );
  });

  it("what a script loads", () => {
    const old =
      /(?:\.src\s*=|setAttribute\(\s*["']src["']\s*,|document\.write(?:ln)?\([^)]*|innerHTML\s*\+?=[^;]*|\blocation(?:\.href)?\s*=|location\.(?:replace|assign)\(|\bfetch\(|sendBeacon\(|\.open\(\s*(?:["']GET["']\s*,)?|\bopen\()\s*[^;]{0,60}$/i;
    const tokens = [
      ...[
        ".src",
        "=",
        " ",
        " = ",
        "setAttribute(",
        '"src",',
        "document.write(",
        "document.writeln(",
        ")",
        ";",
      ],
      ...[
        "innerHTML",
        "+=",
        "location",
        ".href",
        "location.replace(",
        "fetch(",
        "sendBeacon(",
        ".open(",
        "open(",
      ],
      ...['"GET",', "'get' ,", "x".repeat(25), "y".repeat(58), "   ", "\n"],
    ];
    agree(textOf(tokens, 10), (before) => old.test(before), isLoad);
  });

  it("scripts that write a partner's parameter into links", () => {
    const old =
      /(?:\.href|setAttribute\(\s*["']href["']\s*,)\s*(?:\+?=|\s)[^;]{0,200}(?:[?&](?:tag|aff_?id|affid|campid|awinaffid|clickref|subid)=)/i;
    const tokens = [
      ...[
        ".href",
        "=",
        " ",
        "+=",
        " + ",
        "setAttribute(",
        '"href"',
        ",",
        "?tag=",
        "&awinaffid=",
        "&aff_id=",
        ";",
      ],
      ...["x".repeat(66), "y".repeat(100), "&tag", "'a'", "\n\t"],
    ];
    const found = (source: string) => {
      const match = old.exec(source);
      return match ? { start: match.index, end: match.index + match[0].length } : undefined;
    };
    agree(textOf(tokens, 10), found, rewriteIn);
  });
});

describe("style", () => {
  it("plain declarations", () => {
    const old = /^\s*(?:[a-z-]+\s*:\s*[#\w.%\s-]+(?:;|$)\s*)*$/i;
    const tokens = ["color", "top", ":", ": ", ";", "; ", "#fff", "0", "-1px", " ", "!", "\n", "(", '"'];
    agree(textOf(tokens, 8), (text) => old.test(text), isPlain);
  });

  it("selectors", () => {
    const oldPart = /([#.]?)(-?[A-Za-z_][\w-]*)|\[\s*([\w-]+)\s*(?:=\s*["']?([^"'\]]*)["']?\s*)?\]/gy;
    const compound = (text: string) => {
      const read = { tag: undefined, id: undefined, classes: [], attributes: [] } as Record<string, any>;
      oldPart.lastIndex = 0;
      let end = 0;
      for (let part = oldPart.exec(text); part; part = oldPart.exec(text)) {
        const [, sign, name, attributeName, value] = part;
        if (attributeName !== undefined) read.attributes.push({ name: attributeName.toLowerCase(), value });
        else if (sign === "#") read.id = name;
        else if (sign === ".") read.classes.push(name!);
        else read.tag = name!.toLowerCase();
        end = oldPart.lastIndex;
      }
      return end === text.length && text !== "" ? read : undefined;
    };
    const old = (selector: string) => {
      if (/[+~:*|\\"']/.test(selector.replace(/\[[^\]]*\]/g, ""))) return undefined;
      const parts = selector
        .replace(/\s*>\s*/g, " >")
        .trim()
        .split(/\s+/);
      if (parts.length > 6) return undefined;
      const steps = [];
      for (const part of parts.reverse()) {
        const child = part.startsWith(">");
        const read = compound(child ? part.slice(1) : part);
        if (!read) return undefined;
        steps.push({ compound: read, child });
      }
      return steps;
    };
    const tokens = [
      "a",
      ".b",
      "#c",
      " ",
      ">",
      " > ",
      "[",
      "]",
      "[d]",
      "[e=f]",
      '["',
      "='g'",
      "[ h =  ",
      "  ",
      "'",
      '"',
    ];
    agree(textOf(tokens, 8), old, (selector) => readSelector(selector) as ReturnType<typeof old>);
  });

  it("lengths", () => {
    const oldParts = /^(-?\d*\.?\d+)(px|em|rem|ex|ch|pt|pc|cm|mm|in|vw|vh|vmin|vmax|%)?$/;
    const tokens = ["-", "1", "0", "25", ".", ".5", "px", "em", "%", " "];
    agree(
      textOf(tokens, 5),
      (value) => oldParts.test(value.trim()) && (/[^\d.-]$/.test(value.trim()) || Number(value) === 0),
      (value) => pixels(value, 16) !== undefined,
    );
  });

  it("translations out of sight", () => {
    const old = /translate(?:x|y|3d)?\([^)]*-\s*(?:\d{4,}(?:px|em|rem)?|[1-9]\d{2,}(?:vw|vh|%))/;
    const tokens = [
      "translate(",
      "translatex(",
      ")",
      "-",
      " ",
      "100%",
      "99",
      "1000",
      "9999px",
      ",",
      "0",
      "vw",
    ];
    agree(textOf(tokens, 8), (transform) => old.test(transform), isTranslatedFar);
  });
});

describe("scripts that press", () => {
  it("timers that ask again", () => {
    const old =
      /setInterval\s*\([^;]{0,400}?(?:show|open|display|popup|modal|prompt|notif|dialog)|(?:show|open)\w*(?:Popup|Modal|Dialog|Prompt|Overlay)\w*[^;]{0,120}setInterval|Notification\.requestPermission/i;
    const tokens = [
      ...["setInterval", "(", " ", ";", "show", "open", "Popup", "modal", "x", "_", "= function", "\n"],
      ...["Notification", ".requestPermission", "y".repeat(60), "z ".repeat(60), "(".repeat(100), "display"],
    ];
    agree(textOf(tokens, 9), (script) => old.test(script), repeatsQuestions);
  });

  it("clocks that start again", () => {
    const old =
      /(?:Date\.now\(\)|new Date\(\)(?:\.getTime\(\))?|\+new Date)\s*\+\s*[\d(]|set(?:Minutes|Hours|Seconds)\([^)]*get(?:Minutes|Hours|Seconds)\(\)\s*\+|(?:let|var|const)\s+\w*(?:time|left|remaining|countdown|seconds|timer|duration)\w*\s*=\s*(?:\d+(?:\s*\*\s*\d+)*)\s*[;,\n]/i;
    const tokens = [
      ...["Date.now()", "new Date()", "+", " ", "5", "(", ")", ".setMinutes(", "d.getMinutes()", "getHours("],
      ...[
        "let ",
        "var",
        "const ",
        "timeLeft",
        "let timer = 60",
        "d.setHours(",
        "d.getHours()+",
        "x",
        " = ",
        "=",
        "15 * 60",
        "60",
        ";",
        ",",
        "\n",
        "*",
      ],
    ];
    agree(textOf(tokens, 10), (script) => old.test(script), restarts);
  });
});

describe("texts", () => {
  it("letters in characters of no width", () => {
    const isReadable = (text: string): boolean => {
      if (text.length < 6 || !/[\p{L}]{3,}/u.test(text)) return false;
      let odd = 0;
      for (const char of text) if (/[\p{Cc}\ufffd\p{Co}\p{Cn}]/u.test(char) && !/\s/.test(char)) odd++;
      return odd * 20 < text.length;
    };
    const old = (text: string): string | undefined => {
      for (const run of text.matchAll(/[\u200b-\u200d\u2060-\u2064\ufeff]{16,}/g)) {
        const kinds = [...new Set(run[0])];
        const pairs =
          kinds.length === 2 ? [kinds, kinds.toReversed()] : ["\u200b\u200c", "\u200c\u200b", "\u200b\u200d"];
        for (const [zero, one] of pairs)
          for (const width of [8, 7, 16]) {
            const bits = [...run[0]]
              .filter((char) => char === zero || char === one)
              .map((char) => (char === one ? "1" : "0"))
              .join("");
            const letters = Array.from({ length: Math.floor(bits.length / width) }, (_, at) =>
              Number.parseInt(bits.slice(at * width, (at + 1) * width), 2),
            );
            const decoded =
              width === 16 ? String.fromCharCode(...letters) : Buffer.from(letters).toString("utf8");
            if (isReadable(decoded)) return decoded;
          }
      }
      return undefined;
    };
    const written = fc
      .tuple(
        fc.constantFrom("read this", "ignoriere es", "\u4f60\u597d ok then", "\u0001\u0002abcdefg", "abcde"),
        fc.constantFrom(7, 8, 16),
        fc.constantFrom("\u200b\u200c", "\u200c\u200b", "\u200b\u200d", "\u2060\ufeff", "\u2063\u200b"),
        fc.constantFrom("", "\u2060", "\u200d"),
      )
      .map(([text, width, [zero, one], last]) => {
        const letters =
          width === 8 ? [...Buffer.from(text)] : text.split("").map((char) => char.charCodeAt(0));
        const bits = letters.map((letter) => letter.toString(2).padStart(width, "0")).join("");
        return bits.replaceAll("0", zero!).replaceAll("1", one!) + last;
      });
    const noise = textOf(["\u200b", "\u200c", "\u200d", "\ufeff", "!", "\u200b\u200c".repeat(9)]);
    const texts = fc.tuple(noise, fc.option(written, { nil: "" }), noise).map((parts) => parts.join("!"));
    const own = (text: string) =>
      decodeHidden(text).find(
        ({ encoding, from, to }) => encoding === "zero-width" && to - from < text.length,
      )?.text;
    agree(texts, old, own);
  });

  it("links of Markdown", () => {
    const old = /(!?)\[([^\]\n]{0,200})\]\(\s*<?((?:https?:|data:|javascript:)[^\s)>]{1,2000})/gi;
    const links = (text: string) =>
      [...text.matchAll(old)].map(({ 0: found, 1: bang, 3: target, index }) => ({
        isImage: bang === "!",
        target: target!,
        from: index,
        to: index + found.length,
      }));
    const tokens = [
      "!",
      "[",
      "]",
      "(",
      "](",
      "![a](",
      "https://e.example",
      "data:x",
      ")",
      " ",
      "\n",
      "<",
      "b".repeat(99),
      "](http:",
    ];
    agree(textOf(tokens, 10), links, (text) => [...markdownLinks(text)]);
  });

  it("mail addresses among entities", () => {
    const old = /[\p{L}\p{N}._%+-]{1,64}@(?:[\p{L}\p{N}-]{1,63}\.){1,5}\p{L}{2,24}/gu;
    const tokens = ["a", "ü", "𝒳", "@", ".", "b.cc", "shop.example", " ", "-", "x".repeat(40), "\ud835", "%"];
    agree(
      textOf(tokens, 10),
      (text) => text.match(old) ?? [],
      (text) => [...mailsIn(text)],
    );
  });

  it("the mail address of a page", () => {
    const old = /[a-z0-9._%+-]{1,64}@[a-z0-9-]{1,63}(?:\.[a-z0-9-]{1,63}){1,4}/i;
    const tokens = ["a", "B", "@", ".", "b.cc", "shop.example", " ", "-", "x".repeat(40), "_"];
    // A text without a letter says nothing, and is no text of a page.
    const page = fc
      .array(fc.constantFrom(...tokens), { maxLength: 9 })
      .map((parts) => `a ${parts.join("")}`.trim());
    const seen = new Set<boolean>();
    fc.assert(
      fc.property(page, (text) => {
        const match = old.exec(text);
        const found = readPageFacts(`<p>${text}`, undefined).texts.email;
        seen.add(found !== undefined);
        expect(found && { start: found.start, end: found.end }).toEqual(
          match ? { start: 3 + match.index, end: 3 + match.index + match[0].length } : undefined,
        );
      }),
      { numRuns: 2_000 },
    );
    expect(seen.size).toBe(2);
  });
});

it("the bridge script is served without comments, blank lines and indentation", () => {
  const source = readFileSync(
    new URL("../../workers/session/bridge-script/script.ts", import.meta.url),
    "utf8",
  );
  const javascript = stripTypeScriptTypes(source);
  const old = javascript
    .replace(/^\s*\/\*\*.*?\*\/\s*$/gms, "")
    .replace(/^\s*\/\/.*$/gm, "")
    .replace(/^[ \t]+|[ \t]+$/gm, "")
    .replace(/\n{2,}/g, "\n");
  expect(compact(javascript)).toBe(old.replace(/^\n/, ""));
});
