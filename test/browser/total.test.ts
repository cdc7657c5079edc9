/** The total that a page shows beside a form: as shops of many countries lay it out, and never too low. */
import { describe, expect, it } from "vitest";
import { ofMinor, totalText } from "../../src/browser/amount.ts";
import { readBrowserPage } from "../../src/browser/page.ts";
import { sendsOfForm } from "../../src/browser/sends.ts";
import { totalOf } from "../../src/browser/total.ts";
import { processorWatch } from "../support/processor-watch.ts";

const pageOf = (html: string, language = "", host = "shop.test") =>
  readBrowserPage({
    url: `https://${host}/`,
    status: 200,
    mediaType: "text/html",
    encoding: "utf-8",
    text: `<html lang="${language}">${html}`,
  });
function totalIn(html: string, button = "", language = "", host = "shop.test"): string | null {
  const page = pageOf(html, language, host);
  const total = totalOf(
    page,
    page.elements.find(({ tagName }) => tagName === "form"),
    button,
  );
  return total && totalText(total);
}
/** In the digits that the currency has here. */
function money(minor: number, currency: string, digits: number): string {
  const two = (ofMinor(1, currency)!.amount.split(".")[1] ?? "").length;
  return totalText(ofMinor(Math.round(minor * 10 ** (two - digits)), currency)!);
}

describe("a total is unknown", () => {
  it.each([
    ["while shipping is not known", "Estimated total $45.00<p>Shipping calculated at the next step", ""],
    ["while taxes are not", "Gesamtsumme 45,00 €<p>Versandkosten werden im nächsten Schritt berechnet", "de"],
    ["where more is paid again and again", "Total due today: $0.00<p>Then $9.99/month", "en"],
    ["where it renews at more", "Total $1.00<p>Renews at $49.00 per year after trial", "en"],
    ["in units of ten thousand", "合計 1万2,800円", "ja"],
    ["in lakhs and millions", "Total ₹1.2 lakh", "en-IN"],
    ["in thousands", "Total $12k", "en"],
    ["in tomans, which are ten rials", "مجموع ۱۴۰,۰۰۰ تومان", "fa"],
    ["in money of no country", "Total 0.00123 BTC (≈ $120.00)", "en"],
    ["where a dollar is one of nobody knows whom", "Total 12,00 $XY", "fr"],
    ["where francs are of two unions", "Total 12 500 FCFA", "fr"],
    [
      "where a card is charged in another currency",
      "Order Total €43.30<p>You will be charged for $47.11",
      "en",
    ],
    ["where another currency stands beside it", "Total: €100.00 (approx. $108.50)", "en"],
  ])("%s", (_, text, language) => {
    expect(totalIn(`<form><p>${text}</form>`, "", language)).toBeNull();
  });
});

describe("a total is read", () => {
  it.each([
    ["where it renews at the same", "Total $9.99<p>Then $9.99/month", "en", "9.99 USD"],
    ["by a code before a shared sign", "Total AUD $59.90 inc. GST $5.45", "en", "59.90 AUD"],
    ["beside a word in capitals that is a code, too", "ORDER TOTAL FOR ALL $45.00", "en", "45.00 USD"],
    ["in the dollars of the page's country", "Total $ 129.990", "es-CL", "129990 CLP"],
    ["in Canada's, as French writes them", "Total 12,00 $CA", "fr-CA", "12.00 CAD"],
    ["in those that its label names", "Total (AUD)<p>$145.00", "en", "145.00 AUD"],
    ["in francs of the country's union", "Total 12 500 FCFA", "fr-SN", "12500 XOF"],
    ["in the words of the currency", "Total: 120 dollars", "en", "120.00 USD"],
    ["below a note of the tax in it", "Total price<p>includes €7.18 tax<p>€45.00", "en", "45.00 EUR"],
    ["in Ukrainian", "Проміжний підсумок 999,00 ₴<p>Загалом 1 059,00 ₴", "uk", "1059.00 UAH"],
    ["in Thai", "ยอดรวม ฿450.00<p>รวม ฿500.00", "th", "500.00 THB"],
    ["in Polish, whose ł has no mark to take away", "Do zapłaty 211,99 zł", "pl", "211.99 PLN"],
    ["in Danish, whose ø has none", "Beløb i alt 1.299,00 kr.", "da", "1299.00 DKK"],
    ["in Turkish, whose ı has none", "Sipariş toplamı 1.299,90 TL", "tr", "1299.90 TRY"],
    [
      "with a policy in the page's prose",
      `Total $45.00<p>${"We ship each week. ".repeat(5)}Shipping is calculated at checkout.`,
      "en",
      "45.00 USD",
    ],
  ])("%s", (_, text, language, total) => {
    expect(totalIn(`<form><p>${text}</form>`, "", language)).toBe(total);
  });
});

it("is in the dollars of the domain's country, unless its names are sold to the whole world", () => {
  const inDollars = (host: string) => totalIn("<form>Total $45.00</form>", "", "en", host);
  expect(["shop.com.au", "shop.ca", "shop.co"].map(inDollars)).toEqual([
    "45.00 AUD",
    "45.00 CAD",
    "45.00 USD",
  ]);
});

describe("of several amounts in a total's line", () => {
  it.each([
    ["tax that is included", "Total €120.00 (includes €20.00 VAT)", "120.00 EUR"],
    ["tax in German", "Gesamtsumme 1.190,00 € (inkl. 190,00 € MwSt.)", "1190.00 EUR"],
    ["tax in French", "Total TTC 1 049,00 € dont TVA 174,83 €", "1049.00 EUR"],
    ["instalments beside it", "Total $1,299.00 or 4 payments of $324.75", "1299.00 USD"],
    ["instalments alone", "Total 4 interest-free payments of $30.00", "120.00 USD"],
    ["a number of months", "Total: 12 x 99,00 €", "1188.00 EUR"],
    ["what is saved", "Order total £1,299.00 You save £200.00", "1299.00 GBP"],
    ["what is saved, though more", "Order total £150.00 You save £200.00", "150.00 GBP"],
    ["what comes on top", "Total €120.00 + €9.90 shipping", "129.90 EUR"],
    ["what comes on top, in German", "Gesamtsumme 99,00 € zzgl. 4,90 € Versand", "103.90 EUR"],
    ["a condition", "Total €120.00 (free shipping over €150.00)", "120.00 EUR"],
    ["what it was before", "Total <del>€150.00</del> €120.00", "150.00 EUR"],
    ["the sum of its lines", "Total 2 × €60.00 = €120.00", "120.00 EUR"],
    ["net beside gross", "Total incl. VAT €120.00 (€100.00 excl. VAT)", "120.00 EUR"],
  ])("the one that is paid counts: %s", (_, line, total) => {
    expect(totalIn(`<form><p>${line}</p></form>`)).toBe(total);
  });

  it.each([
    ["another currency", "Total $120.00 (about €110.00)"],
    ["a currency that is not known, and one that is", "Total 1 299,00 kr (€110.00)"],
    ["something that is no figure", "Total €1,2345"],
    ["somebody's dollars", "Total X$12.50"],
    ["net alone", "Total excl. VAT €100.00"],
    ["shipping that nobody names", "Total €120.00 plus shipping"],
  ])("the total is unknown beside %s", (_, line) => {
    expect(totalIn(`<form><p>${line}</p></form>`)).toBeNull();
  });
});

describe("of several lines", () => {
  it.each([
    ["a total and its shipping", "<p>Shipping total €9.90</p><p>Order total €129.90</p>", "129.90 EUR"],
    ["a deposit and the total", "<p>Total €500.00</p><p>Due today €50.00</p>", "500.00 EUR"],
    ["what would ship free", "<p>Order total over €35.00 ships free</p><p>Total €20.00</p>", "20.00 EUR"],
    [
      "what would cost more",
      "<p>Order total under €35.00 ships for €5.90</p><p>Total €20.00</p>",
      "20.00 EUR",
    ],
    ["a label and its amounts", "<p>Total</p><p>€120.00 (includes €20.00 VAT)</p>", "120.00 EUR"],
    ["a label, a note, an amount", "<p>Total</p><p>(incl. VAT)</p><p>€120.00</p>", "120.00 EUR"],
    [
      "columns",
      "<div><p>Subtotal</p><p>Shipping</p><p>Total</p></div><div><p>€100.00</p><p>€9.90</p><p>€109.90</p></div>",
      "109.90 EUR",
    ],
    ["a total in a field", "<p>Total <input value='€120'></p><p>Shipping €4.90</p>", null],
    ["a total without a currency", "<p>Total 120.00</p><p>VAT €20.00</p>", null],
  ])("%s: the whole total, or none", (_, html, total) => {
    expect(totalIn(`<form>${html}</form>`)).toBe(total);
  });

  it("the page's counts where the form names but a part", () => {
    expect(totalIn("<form><p>Total €9.90</p></form><p>Order total €129.90</p>")).toBe("129.90 EUR");
  });

  it("a button that asks for less than the form's total asks for a part", () => {
    expect(totalIn("<form><p>Total €500.00</p></form>", "Pay €50.00 now")).toBe("500.00 EUR");
    expect(totalIn("<p>Total raised €5,000.00</p><form></form>", "Donate €5")).toBe("5.00 EUR");
  });
});

describe("an amount is read as its country writes it", () => {
  it.each([
    ["", "Total ₹1,29,999.00 (includes ₹19,830.00 GST)", "129999.00 INR"],
    ["hi", "कुल ₹१,२९,९९९.००", "129999.00 INR"],
    ["", "合計 ¥12,800（税込）", "12800 JPY"],
    ["ja", "合計 １２，８００円（税込）", "12800 JPY"],
    ["zh-CN", "总计 ¥12,800", "12800.00 CNY"],
    ["ko", "총 결제 금액 12,800원", "12800 KRW"],
    ["sv", "Att betala 1 299,00 kr varav moms 259,80 kr", "1299.00 SEK"],
    ["en", "Totalt 1 299,00 kr (varav moms 259,80 kr)", "1299.00 SEK"],
    ["nb", "Totalt kr 1 299,-", "1299.00 NOK"],
    ["da", "I alt 1.299,00 kr.", "1299.00 DKK"],
    ["pl", "Razem 1 299,00 zł (zawiera 242,90 zł VAT)", "1299.00 PLN"],
    ["ru", "Итого: 1 299,00 ₽ (в т.ч. НДС 20%: 216,50 ₽)", "1299.00 RUB"],
    ["tr", "Toplam 1.299,90 TL", "1299.90 TRY"],
    ["vi", "Tổng cộng 1.299.000₫", "1299000 VND"],
    ["ar", "الإجمالي ١٬٢٩٩٫٥٠ د.إ", "1299.50 AED"],
    ["de", "Total CHF 1’234.–", "1234.00 CHF"],
    ["en-IN", "Total Rs. 1,29,999.00", "129999.00 INR"],
    ["", "Total S$12.50", "12.50 SGD"],
    ["", "Total HK$1,120.00", "1120.00 HKD"],
    ["", "Total AU$1,120.50", "1120.50 AUD"],
    ["", "Total: $120.00 CAD", "120.00 CAD"],
    ["", "Total ,89 €", "0.89 EUR"],
    ["", "Total KWD 12.500", "12.500 KWD"],
  ])("%s: %s is %s", (language, line, total) => {
    expect(totalIn(`<form><p>${line}</p></form>`, "", language)).toBe(total);
  });

  it.each([
    ["Total IDR 1.500.000,00", 150_000_000, "IDR"],
    ["Total COP 45.900,50", 4_590_050, "COP"],
    ["Total PKR 1,299.50", 129_950, "PKR"],
    ["Total 12 990 Ft", 1_299_000, "HUF"],
  ])("%s, with or without its cents, is not lessened", (line, minor, currency) => {
    const [amount = "0"] = totalIn(`<form><p>${line}</p></form>`)!.split(" ");
    expect(Number(amount)).toBeGreaterThanOrEqual(minor / 100);
    expect(Number(amount)).toBeLessThan(minor / 100 + 1);
    expect(money(minor, currency, 2)).toContain(currency);
  });

  it.each([
    ["€ 68<sup>50</sup>", "68.50 EUR"],
    ["€129<small>99</small>", "129.99 EUR"],
    ["<span>68</span><span class='price-cents'>50</span> €", "68.50 EUR"],
    ["€120.00<sup>1</sup>", "120.00 EUR"],
    ["€120 <small>20 % VAT</small>", "120.00 EUR"],
  ])("in elements of their own: %s", (amount, total) => {
    expect(totalIn(`<form><p>Total ${amount}</p></form>`)).toBe(total);
  });
});

describe("the total of a form whose fields were changed", () => {
  it("is unknown where another number of things is sent than the page's total is of", () => {
    const page = pageOf(
      '<form method="post"><input type="number" name="quantity" value="1"><p>Total €19.99</p><button>Buy now</button></form>',
    );
    const [form, field] = ["form", "input"].map(
      (name) => page.elements.find((each) => each.tagName === name)!,
    );
    const sent = (value: string) =>
      sendsOfForm(page, { [page.numberOf.get(field!)!]: { value } }, form!, undefined, []).total;
    expect([sent("1"), sent("3")]).toEqual([{ amount: "19.99", currency: "EUR" }, null]);
  });
});

describe("a hostile page's amounts", () => {
  it.each([
    "Total €1 ".repeat(25_000),
    "1,".repeat(100_000),
    "total\n".repeat(30_000),
    "4 payments of ".repeat(14_000),
    "kr 1 x ".repeat(28_000),
    "<sup>1</sup>".repeat(20_000),
    "<p>Total 1,1.1 $</p>".repeat(9_000),
  ])("are looked for in linear time: %#", (text) => {
    const watch = processorWatch();
    totalIn(`<form>${text}</form>`);
    expect(watch()).toBeLessThan(2_500);
  });
});
