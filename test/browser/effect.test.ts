import { describe, expect, it } from "vitest";
import type { Effect } from "../../schemas/action.ts";
import { isAbove, readTotal, totalText } from "../../src/browser/amount.ts";
import { effectOfForm } from "../../src/browser/effect.ts";
import { effectOfWords } from "../../src/browser/effect-words.ts";
import { readBrowserPage } from "../../src/browser/page.ts";
import { availableActions } from "../../src/browser/page-actions.ts";
import { pricesIn } from "../../src/browser/prices.ts";
import { sendsOfForm, sendsOfLink } from "../../src/browser/sends.ts";
import { totalOf } from "../../src/browser/total.ts";
import { processorWatch } from "../support/processor-watch.ts";
import { FORM_SETS, judge, readForms, sharesOf, weaker } from "./effects/measure.ts";

const forms = FORM_SETS.flatMap((set) => readForms(set).map(judge));
const shareOf = ({ right, of }: { right: number; of: number }): number => right / of;

describe("the effect of a form", () => {
  it("is told of 200 forms in several languages: hardly a purchase is missed", () => {
    expect(forms).toHaveLength(200);
    const { recall, precision } = sharesOf(forms, "purchase");
    expect(shareOf(recall)).toBeGreaterThanOrEqual(0.98);
    expect(shareOf(precision)).toBeGreaterThanOrEqual(0.95);
    expect(weaker(forms).length).toBeLessThanOrEqual(2);
  });

  it.each([
    ["sq", "Arka", "Totali 2400 L", "Bëj porosinë"],
    ["af", "Betaal", "Totaal R240.00", "Plaas bestelling"],
    ["be", "Афармленне", "Разам 24,00 Br", "Аформіць заказ"],
    ["uz", "To'lov", "Jami 24000 so'm", "Buyurtma berish"],
    ["bn", "চেকআউট", "মোট ৳2,400", "অর্ডার করুন"],
    ["sw", "Malipo", "Jumla KSh 2,400", "Weka agizo"],
    ["am", "ክፍያ", "ድምር 240 ብር", "ይዘዙ"],
    ["az", "Ödəniş", "Cəmi 20 ₼", "Sifariş ver"],
  ])(
    "is a purchase where a price stands beside words that no list has: %s",
    (language, title, sum, button) => {
      const page = pageOf(
        `<html lang="${language}"><title>${title}</title><form method=post><p>${sum}</p><button>${button}</button></form>`,
      );
      const form = page.elements.find(({ tagName }) => tagName === "form")!;
      expect(sendsOfForm(page, {}, form, undefined, []).effect).toBe("purchase");
    },
  );

  it("is read in scripts that write vowels as marks: Thai, Hindi, Bengali, Tamil", () => {
    for (const words of ["สั่งซื้อ", "ऑर्डर करें", "অর্ডার করুন", "ஆர்டர் செய்"])
      expect(effectOfWords(words, "custom")).toBe("purchase");
    for (const words of ["หยิบใส่ตะกร้า", "कार्ट में डालें"]) expect(effectOfWords(words, "commerce")).toBe("write");
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

  it("is never less than its form shows, whatever the signed document says of it", () => {
    const pays =
      '<form data-bridge-action="look" method="post"><input autocomplete="cc-number" name="n"><p>Order total 9,999.00 EUR</p><button>Place order and pay</button></form>';
    const page = pageOf(pays);
    const form = page.elements.find(({ tagName }) => tagName === "form")!;
    const read = { name: "look", description: "", category: "content" as const, effect: "read" as const };
    const declared = [{ ...read, parameters: [], permissions_required: [] }];
    expect(sendsOfForm(page, {}, form, undefined, declared)).toMatchObject({
      effect: "purchase",
      total: { amount: "9999.00", currency: "EUR" },
    });
    expect(availableActions(declared, page)[0]).toMatchObject({ name: "look", effect: "purchase" });
  });

  it("of a script is never less than its words say, whatever the site calls it", () => {
    const said = {
      description: "Place the order and pay",
      category: "content" as const,
      effect: "read" as const,
    };
    const [listed] = availableActions(
      [{ name: "look", ...said, parameters: [], permissions_required: [] }],
      undefined,
    );
    expect(listed?.effect).toBe("purchase");
  });

  it.each([
    ...[
      "注文を確定する",
      "立即购买",
      "提交订单",
      "去付款",
      "주문하기",
      "결제하기",
      "Оформить заказ",
      "Купить",
      "Замовити",
    ],
    ...[
      "Siparişi onayla",
      "Satın al",
      "Kupuję i płacę",
      "Złóż zamówienie",
      "Slutför köp",
      "Fullfør kjøp",
      "Gennemfør køb",
    ],
    ...[
      "Vahvista tilaus",
      "Fazer pedido",
      "Passer la commande",
      "Đặt hàng",
      "สั่งซื้อ",
      "إتمام الشراء",
      "לתשלום",
    ],
    ...["Odeslat objednávku", "Objednať s povinnosťou platby", "Rendelés elküldése", "Plasează comanda"],
    ...[
      "Ολοκλήρωση παραγγελίας",
      "Поръчай",
      "Naruči",
      "Bayar",
      "ऑर्डर करें",
      "Užsakyti",
      "Pasūtīt",
      "Esita tellimus",
    ],
    ...["Nunua sasa", "Erosi", "Kaupa núna", "Qxzzy"],
  ])(
    "beside a price under a checkout is a purchase, in a language of which no word is known too: %s",
    (words) => {
      const html = `<title>Checkout</title><h1>Checkout</h1><form method=post action=/order><p>120,00 €</p><button>${words}</button></form>`;
      expect(effectIn(html)).toBe("purchase");
    },
  );

  it.each([
    ["sw", "Nunua sasa", "purchase"],
    ["ja", "カートに入れる", "write"],
    ["ru", "В корзину", "write"],
    ["ja", "ログイン", "write"],
    ["en", "Save my address", "write"],
  ])("beside a price of a page without a word of a checkout (%s): %s is %s", (language, words, effect) => {
    const html = `<html lang=${language}><form method=post action=/f><p>120,00 €</p><button>${words}</button></form>`;
    expect(effectIn(html)).toBe(effect);
  });

  it.each([
    ["<button name=go>Delete account</button>", "write"],
    ["<button name=find value=1>Remove my address</button>", "write"],
    ["<button name=search>Send</button>", "write"],
    ["<input type=search name=q value=tea><button>Unsubscribe everybody</button>", "write"],
    ["<input name=q><button>Empty the archive</button>", "write"],
    ["<input type=search name=q><button><svg></svg></button>", "write"],
    ["<button>Find and delete</button>", "write"],
    ["<button>Check out</button>", "write"],
    ["<input name=q><button>Search</button>", "read"],
    ["<button>Show results</button>", "read"],
    ["<input name=q><button name=op value=buy>OK</button>", "purchase"],
  ])("that is sent by POST is read only where its button says so: %s is %s", (controls, effect) => {
    expect(effectIn(`<form method=post action=/f>${controls}</form>`)).toBe(effect);
  });

  it.each([
    ["Place order, pay later", "purchase"],
    ["Book now, pay later", "purchase"],
    ["Add to cart and buy now", "purchase"],
    ["Save card and pay", "purchase"],
    ["Add to cart", "write"],
    ["Cancel order", "write"],
    ["View cart", "read"],
  ])("of an order is not hidden by what its button puts aside: %s is %s", (words, effect) => {
    const html = `<h1>Checkout</h1><form method=post><p>Total €10.00</p><button>${words}</button></form>`;
    expect(effectIn(html)).toBe(effect);
  });

  it("that is sent by GET is a purchase too where its button says so, whatever field stands in it", () => {
    expect(effectIn("<form><input type=search name=q><button>Buy now</button></form>")).toBe("purchase");
    expect(effectIn("<form><input type=search name=q><button>Go</button></form>")).toBe("read");
  });

  it("of an order is not hidden by a password for an account that is opened with it", () => {
    const html =
      "<h1>Checkout</h1><form method=post><input type=password name=account_password><p>Total €10.00</p><button>Place order</button></form>";
    expect(effectIn(html)).toBe("purchase");
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
  readBrowserPage({
    url: "https://shop.test/",
    status: 200,
    mediaType: "text/html",
    encoding: "utf-8",
    text: html,
  });
function effectIn(html: string): Effect {
  const page = pageOf(html);
  return effectOfForm(page, page.elements.find(({ tagName }) => tagName === "form")!);
}
function totalIn(html: string, button = ""): string | null {
  const page = pageOf(html);
  const total = totalOf(
    page,
    page.elements.find(({ tagName }) => tagName === "form"),
    button,
  );
  return total && totalText(total);
}

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
