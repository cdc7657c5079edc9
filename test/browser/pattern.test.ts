/** A field's own pattern, length and step: what a browser would not send, an agent's form does not either. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fill } from "../../src/browser/filling.ts";
import { readBrowserPage } from "../../src/browser/page.ts";
import { fitsPattern, plainPattern } from "../../src/browser/pattern.ts";
import { faultsOf } from "../../src/browser/submission.ts";
import { processorWatch } from "../support/processor-watch.ts";

describe("a page's own pattern", () => {
  it.each([
    ["[A-Z]{2}\\d{4}", "^[A-Z]{2}\\d{4}$"],
    ["\\d{5}", "^\\d{5}$"],
    ["[0-9]+", "^[0-9]+$"],
    ["(a+)+", undefined],
    ["a*b*", undefined],
    ["a|b", undefined],
    ["[z-a]", undefined],
    ["a{5,2}", undefined],
    ["[a&&b]", undefined],
  ])("%s is given on as %s", (pattern, given) => {
    expect(plainPattern(pattern)).toBe(given);
    if (given === undefined) expect(fitsPattern(pattern, "a")).toBeUndefined();
  });

  const one = fc.constantFrom(
    "a",
    "B",
    "7",
    " ",
    "-",
    "\\d",
    "\\w",
    "\\s",
    "\\.",
    "[a-z]",
    "[^a-z7]",
    "[\\d_]",
    "[A-Z0-9 ]",
  );
  const times = fc.constantFrom("", "?", "{2}", "{0,3}", "{1,2}");
  const part = fc.tuple(one, times).map((both) => both.join(""));
  const pattern = fc
    .tuple(
      fc.array(part, { maxLength: 4 }),
      one,
      fc.constantFrom("*", "+", ""),
      fc.array(part, { maxLength: 3 }),
    )
    .map(([before, each, mark, after]) => [...before, each + mark, ...after].join(""));
  const value = fc.string({
    unit: fc.constantFrom("a", "B", "7", " ", "-", ".", "_", "z", "\u00a0", "\u{1f375}"),
    maxLength: 12,
  });

  it("is matched as a browser matches it", () => {
    fc.assert(
      fc.property(pattern, value, (pattern, value) => {
        expect(fitsPattern(pattern, value)).toBe(new RegExp(`^(?:${pattern})$`, "v").test(value));
      }),
      { numRuns: 3_000 },
    );
  });

  it("is matched in linear time, whatever it is and whatever is typed", () => {
    const watch = processorWatch();
    for (const hostile of ["a{0,999}".repeat(8), `${"a?".repeat(7)}a*`, "[a-z]{0,999}".repeat(8)])
      expect(fitsPattern(`${hostile}b`, "a".repeat(16_384))).toBe(false);
    expect(watch()).toBeLessThan(500);
  });
});

describe("a form's field", () => {
  const FORM = `<form><input name=code pattern="[A-Z]{2}[0-9]{4}" minlength=4>
    <input name=amount type=number min=0.5 step=0.25><input name=count type=number>
    <input name=odd pattern="(a+)+"><input name=old value=x minlength=5 pattern="[0-9]+"></form>`;
  const source = { status: 200, mediaType: "text/html", encoding: "utf-8", text: FORM };
  const page = readBrowserPage({ ...source, url: "https://shop.example/" });
  const form = page.elements.find(({ tagName }) => tagName === "form")!;
  const named = (name: string) =>
    page.elements.find(({ attrs }) => attrs.some((each) => each.name === "name" && each.value === name))!;
  const said = (name: string, value: string) => {
    const filled = fill(page, {}, named(name), value);
    return filled.ok ? "taken" : filled.message;
  };

  it("takes what its pattern, length and step allow, and says what they ask for", () => {
    expect(said("code", "AB1234")).toBe("taken");
    expect(said("code", "ab1234")).toBe("The value does not fit the pattern [A-Z]{2}[0-9]{4}.");
    expect(said("code", "AB1")).toBe("The value is shorter than 4 characters.");
    expect([said("amount", "0.75"), said("amount", "1.1")]).toEqual([
      "taken",
      "The value is no multiple of 0.25 from 0.5.",
    ]);
    expect([said("count", "3"), said("count", "0.1")]).toEqual(["taken", "The value is no multiple of 1."]);
  });

  it("is left to the server where its pattern is not plain, or the value is the page's own", () => {
    expect(said("odd", "!")).toBe("taken");
    expect(faultsOf(page, {}, form)).toEqual([]);
  });
});
