import { describe, expect, it } from "vitest";
import type { Effect } from "../../schemas/action.ts";
import { isAbove, readTotal, totalText } from "../../src/browser/amount.ts";
import { effectOfWords } from "../../src/browser/effect-words.ts";
import { readPageModel } from "../../src/browser/page.ts";
import { sendsOfForm, sendsOfLink } from "../../src/browser/sends.ts";
import { pricesIn } from "../../src/browser/prices.ts";
import { totalOf } from "../../src/browser/total.ts";
import { LEAST_PURCHASE_RECALL } from "../eval/effects/evaluate.ts";
import { FORM_SETS, judge, readForms, sharesOf, weaker } from "../eval/effects/measure.ts";
import { processorWatch } from "../support/processor-watch.ts";

const forms = FORM_SETS.flatMap((set) => readForms(set).map(judge));
const shareOf = ({ right, of }: { right: number; of: number }): number => right / of;

describe("the effect of a form", () => {
  it("is told of 200 forms in several languages: hardly a purchase is missed", () => {
    expect(forms).toHaveLength(200);
    const { recall, precision } = sharesOf(forms, "purchase");
    expect(shareOf(recall)).toBeGreaterThanOrEqual(LEAST_PURCHASE_RECALL);
    expect(shareOf(precision)).toBeGreaterThanOrEqual(0.95);
    expect(weaker(forms).length).toBeLessThanOrEqual(2);
  });

  it("is what the signed document says of the action that a form performs", () => {
    const html =
      '<form data-bridge-action="reserve" method="post"><button>Reserve</button></form><a data-bridge-action="reserve" href="/r">Reserve</a>';
    const page = pageOf(html);
    const [form, link] = ["form", "a"].map((name) => page.elements.find(({ tagName }) => tagName === name)!);
    const said = (effect: Effect) => [
      {
        name: "reserve",
        description: "",
        category: "custom" as const,
        parameters: [],
        permissions_required: [],
        effect,
      },
    ];
    expect(sendsOfForm(page, {}, form!, undefined, []).effect).toBe("write");
    expect(sendsOfForm(page, {}, form!, undefined, said("purchase")).effect).toBe("purchase");
    expect(sendsOfLink(page, link!, said("purchase"))?.effect).toBe("purchase");
    expect(sendsOfLink(page, link!, said("read"))).toBeUndefined();
  });

  it("masks passwords and numbers of cards among what would be sent", () => {
    const html =
      '<form method="post"><input name="who" value="Ada"><input type="password" name="pw" value="secret"><input name="cc" autocomplete="cc-number" value="4111"><button>Pay</button></form>';
    const page = pageOf(html);
    const form = page.elements.find(({ tagName }) => tagName === "form")!;
    expect(sendsOfForm(page, {}, form, undefined, [])).toMatchObject({
      effect: "purchase",
      fields: [
        { name: "who", value: "Ada" },
        { name: "pw", value: "••••" },
        { name: "cc", value: "••••" },
      ],
    });
  });

  it.each([
    ["Buy the basket", "commerce", "purchase"],
    ["Add to cart", "commerce", "write"],
    ["Book a table", "commerce", "purchase"],
    ["Show the menu", "content", "read"],
    ["Empty the basket", "custom", "write"],
  ])("of a script is told by its words: %s (%s) is %s", (words, category, effect) => {
    expect(effectOfWords(words, category)).toBe(effect);
  });
});

const pageOf = (html: string) =>
  readPageModel({
    url: "https://shop.test/",
    status: 200,
    mediaType: "text/html",
    encoding: "utf-8",
    text: html,
  });
const totalIn = (html: string, button = ""): string | null => {
  const page = pageOf(html);
  const total = totalOf(
    page,
    page.elements.find(({ tagName }) => tagName === "form"),
    button,
  );
  return total && totalText(total);
};

describe("the total beside a form", () => {
  it.each([
    ["<p>Subtotal 10.00 EUR</p><p>Shipping 4.90 EUR</p><p>Total 14.90 EUR</p><form></form>", "14.90 EUR"],
    ["<dl><dt>Order total</dt><dd>$1,234.50</dd></dl><form></form>", "1234.50 USD"],
    ["<table><tr><td>Gesamtsumme</td><td>1.234,50 €</td></tr></table><form></form>", "1234.50 EUR"],
    ["<p>Zwischensumme 9,00 €</p><form><p>Summe: 12,- €</p></form>", "12.00 EUR"],
    ["<form><p>Total TTC : 1 049,00 €</p></form>", "1049.00 EUR"],
    ["<form><p>Total ¥1,200</p></form>", "1200 JPY"],
    ["<form><p>Total CHF 12.50</p></form>", "12.50 CHF"],
    ["<p>Total 10.00 EUR</p><p>Total incl. VAT 12.00 EUR</p><form></form>", "12.00 EUR"],
    ["<p>Total 10.00 EUR</p><p>Total 11.00 EUR</p><form></form>", "11.00 EUR"],
    ["<form><p>Book, 19.99 USD</p><button>Buy</button></form>", "19.99 USD"],
    ["<form></form><p>Free delivery above 50.00 EUR</p><p>Mug 7.00 EUR</p>", null],
    ["<p>Total 10.00 EUR</p><p>Total $11.00</p><form></form>", null],
    ["<p>In total 3 items</p><form></form>", null],
    ["<form></form>", null],
  ])("%s is %s", (html, total) => {
    expect(totalIn(html)).toBe(total);
  });

  it("is that of the button, where it names one", () => {
    expect(totalIn("<p>Total 10.00 EUR</p><form></form>", "Pay €12.00")).toBe("12.00 EUR");
  });

  it("is read as callers write it, and compared in one currency alone", () => {
    expect(readTotal("14.9 EUR")).toEqual({ amount: "14.90", currency: "EUR" });
    expect(readTotal("14.999 EUR")).toBeUndefined();
    expect(readTotal("14.9 XYZ")).toBeUndefined();
    expect(readTotal("500 JPY")).toEqual({ amount: "500", currency: "JPY" });
    const [total, limit] = [readTotal("9.00 EUR")!, readTotal("10 EUR")!];
    expect([isAbove(total, limit), isAbove(limit, total), isAbove(total, readTotal("1 USD")!)]).toEqual([
      false,
      true,
      undefined,
    ]);
  });

  it.each(["1".repeat(200_000), "1 ".repeat(100_000), "1.".repeat(100_000), "€1 total\n".repeat(20_000)])(
    "is looked for in linear time",
    (text) => {
      const watch = processorWatch();
      pricesIn(text);
      totalIn(`<form><pre>${text}</pre></form>`);
      expect(watch()).toBeLessThan(3_000);
    },
  );
});
