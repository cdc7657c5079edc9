import { describe, expect, it } from "vitest";
import { affiliateOf } from "../../../../src/detectors/affiliate/addresses.ts";
import { scanHtml } from "../../../../src/detectors/affiliate/rules.ts";

const scanOf = (body: string) =>
  scanHtml({
    html: `<!doctype html><html lang=en><title>Tea</title><main><h1>Tea</h1>${body}</main>`,
    url: "https://blog.example/post",
  });
const LINK =
  '<p>We like this <a href="https://www.amazon.com/dp/B00ABC1234?tag=tea-20">green tea</a> a lot.</p>';

describe("a disclosure", () => {
  it.each([
    // The sentence that Amazon demands of every associate, as its shops give it.
    "As an Amazon Associate I earn from qualifying purchases.",
    "Als Amazon-Partner verdiene ich an qualifizierten Verkäufen.",
    "En tant que Partenaire Amazon, je réalise un bénéfice sur les achats remplissant les conditions requises.",
    "En calidad de Afiliado de Amazon, obtengo ingresos por las compras adscritas que cumplen los requisitos aplicables.",
    "In qualità di Affiliato Amazon io ricevo un guadagno dagli acquisti idonei.",
    "Als Amazon-partner verdien ik aan in aanmerking komende aankopen.",
    "Amazonのアソシエイトとして、当メディアは適格販売により収入を得ています。",
    "Jako partner Amazon zarabiam na kwalifikujących się zakupach.",
    "Som Amazon-associat tjänar jag på kvalificerade köp.",
    "Como associado da Amazon, ganho com compras qualificadas.",
    "Amazon Ortağı olarak, uygun alışverişlerden gelir elde ediyorum.",
    // Others'.
    "Som Amazon-partner tjener jeg på kvalificerede køb.",
    "Indlægget indeholder reklamelinks.",
    "Inlägget innehåller annonslänkar.",
    "Innlegget inneholder annonselenker.",
    "Artikkeli sisältää mainoslinkkejä.",
    "Článek obsahuje provizní odkazy.",
    "Реклама. Статья содержит партнёрские ссылки.",
    "Bu yazı satış ortaklığı bağlantıları içerir.",
    "本文包含推广链接，我们可能获得佣金。",
    "이 포스팅은 쿠팡 파트너스 활동의 일환으로, 이에 따른 일정액의 수수료를 제공받습니다.",
    "Artykuł zawiera linki partnerskie.",
    "This post contains referral links.",
    "If you buy something using our links, we may get a share of the sale.",
    "When you buy through links on our site, we may make money.",
    "Disclosure: I get money when you buy.",
    "Purchases made through our links may earn us a fee.",
    "Buying via these links helps at no extra cost to you.",
    "Wir bekommen eine kleine Beteiligung am Umsatz.",
    "Certains liens nous rapportent une rémunération.",
    "We ontvangen een kleine vergoeding als je via deze link koopt.",
    "Статията съдържа партньорски връзки.",
    "Članak sadrži partnerske poveznice.",
    "מאמר זה מכיל קישורי שותפים",
    "บทความนี้มีลิงก์แอฟฟิลิเอต",
    "#adv",
    "Werbung",
    "Reklama",
  ])("is seen before the links: %s", (sentence) => {
    expect(scanOf(`<p>${sentence}</p>${LINK}`)).toMatchObject({ disclosure: "present", verdict: "tagged" });
  });

  it.each([
    "The European Commission asks shops to be honest.",
    "I receive many letters about tea.",
    "Die Vergütung unserer Gärtner ist gut.",
    "I earn a living as a teacher.",
    "Die Provisionierung der Server dauert.",
    "Shipping is free.",
  ])("is nothing of the kind: %s", (sentence) => {
    expect(scanOf(`<p>${sentence}</p>${LINK}`).disclosure).toBe("absent");
  });
});

describe("a paid link", () => {
  const networkOf = (address: string) => affiliateOf(new URL(address))?.network;

  it.each([
    ["https://redirectingat.com/?id=2927x5&url=https%3A%2F%2Fshop.example", "Skimlinks"],
    ["https://go.redirectingat.com/?id=2927x5&url=https%3A%2F%2Fshop.example", "Skimlinks"],
    ["https://shop.example/affiliates/idevaffiliate.php?id=101", "iDevAffiliate"],
    ["https://tea.7tiv.net/c/123456/654321/9876", "Impact"],
    ["https://goto.anyshop.example/c/123456/654321/9876?u=https%3A%2F%2Fshop.example", "Impact"],
    ["https://goto.anyshop.example/c/123456/654321/9876", "Impact"],
    ["https://tidd.ly/3abc", "Awin"],
    ["https://rstyle.me/+abc", "LTK"],
    ["https://on.adtraction.com/t/t?a=1&as=2&t=2&tk=1", "Adtraction"],
    ["https://a.r10.to/abc", "Rakuten"],
    ["https://gumroad.com/a/123456", "Gumroad"],
    ["https://shop.example/?aff=123", "Lemon Squeezy"],
    ["https://shop.example/?clickref=1100", "unknown"],
    ["https://www.apmebf.com/click-7495-1065", "CJ"],
  ])("is known by its host or its form: %s", (address, network) => {
    expect(networkOf(address)).toBe(network);
  });

  it.each([
    "https://blog.example/c/2024/05/17",
    "https://shop.example/c/123/teapots",
    "https://shop.example/?ref=home",
    "https://shop.example/?tag=green",
    "https://geni.us/",
    "https://www.digidip.net/about",
  ])("is not an ordinary one: %s", (address) => {
    expect(networkOf(address)).toBeUndefined();
  });

  it("that only its form tells is no proof of a click that nobody made", () => {
    const frame = '<iframe src="https://x.example/c/123456/654321/9876" width=1 height=1></iframe>';
    expect(scanOf(frame).verdict).not.toBe("stuffing");
  });
});
