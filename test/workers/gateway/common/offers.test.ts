import { describe, expect, it } from "vitest";
import { readOffers } from "../../../../workers/gateway/common/offers.ts";

const inBlock = (block: string, type = "application/ld+json"): string =>
  `<!doctype html><title>Tea</title><script type="${type}">${block}</script><h1>Tea</h1>`;
const inPage = (...blocks: object[]): string =>
  blocks.map((block) => inBlock(JSON.stringify({ "@context": "https://schema.org/", ...block }))).join("");
const product = (offers: unknown, more: object = {}) => ({
  "@type": "Product",
  name: "Green tea",
  sku: "GT1",
  offers,
  ...more,
});
const pricesOf = (html: string) => readOffers(html).map(({ priceMinor }) => priceMinor);
const unit = (price: string, more: object = {}) => ({
  "@type": "UnitPriceSpecification",
  price,
  priceCurrency: "EUR",
  ...more,
});

describe("the price of an offer", () => {
  it("is read from its price specification, as WooCommerce writes it", () => {
    const offer = { "@type": "Offer", priceSpecification: [unit("7.90", { valueAddedTaxIncluded: true })] };
    expect(readOffers(inPage(product([offer])))).toEqual([
      { name: "Green tea", ids: ["GT1"], currency: "EUR", priceMinor: 790, seller: null },
    ]);
  });

  it.each([
    ["ListPrice"],
    ["https://schema.org/ListPrice"],
    ["StrikethroughPrice"],
    ["http://schema.org/MSRP"],
    ["RegularPrice"],
  ])("is not the one that is crossed out beside it: %s", (priceType) => {
    const specifications = [unit("7.90", { priceType }), unit("6.90")];
    const offer = { "@type": "Offer", priceSpecification: specifications };
    expect(pricesOf(inPage(product(offer)))).toEqual([690]);
  });

  it("is the regular one where no other is named, and its own before what is specified beside it", () => {
    const regular = { priceSpecification: unit("7.90", { priceType: "RegularPrice" }) };
    expect(pricesOf(inPage(product({ "@type": "Offer", ...regular })))).toEqual([790]);
    const own = { "@type": "Offer", price: 5, priceCurrency: "EUR", ...regular };
    expect(pricesOf(inPage(product(own)))).toEqual([500]);
  });

  it.each([
    ["3,700.00", "EUR", 370_000],
    ["12,34 €", "EUR", 1_234],
    ["£199.99", "GBP", 19_999],
    ["US$7.90", "USD", 790],
    ["129,90 zł", "PLN", 12_990],
    ["1 299 Kč", "CZK", 129_900],
    ["1'299.00", "CHF", 129_900],
    ["129,-", "NOK", 12_900],
    ["7.90&nbsp;&euro;", "EUR", 790],
    ["7.90", "€", 790],
  ])("is read as shops write it: %s in %s", (price, priceCurrency, minor) => {
    expect(pricesOf(inPage(product({ "@type": "Offer", price, priceCurrency })))).toEqual([minor]);
  });

  it.each([
    ["1.299 €", "EUR"],
    ["ab 7,90", "EUR"],
    ["7.90 - 9.90", "EUR"],
    ["$7.90", "EUR"],
    ["7.90", "$"],
  ])("is unknown where it may be another: %s in %s", (price, priceCurrency) => {
    expect(pricesOf(inPage(product({ "@type": "Offer", price, priceCurrency })))).toEqual([]);
  });

  it("is read from lists that PHP wrote as objects, and in the currency of the aggregate around it", () => {
    const specification = { "0": unit("7.90"), priceCurrency: "EUR" };
    expect(pricesOf(inPage(product({ "@type": "Offer", priceSpecification: specification })))).toEqual([790]);
    const offers = [{ "@type": "Offer", price: "7.90" }];
    const aggregate = { "@type": "AggregateOffer", lowPrice: "7.90", priceCurrency: "EUR", offers };
    expect(pricesOf(inPage(product(aggregate)))).toEqual([790]);
  });

  it("is the one with taxes, of the whole, and of a range that is none", () => {
    const priceOf = (...priceSpecification: object[]) =>
      pricesOf(inPage(product({ "@type": "Offer", priceSpecification })));
    const net = unit("6.64", { valueAddedTaxIncluded: false });
    expect(priceOf(net, unit("7.90", { valueAddedTaxIncluded: "true" }))).toEqual([790]);
    expect(priceOf(net)).toEqual([664]);
    expect(
      priceOf(unit("79.00", { referenceQuantity: { value: 1, unitCode: "KGM" } }), unit("7.90")),
    ).toEqual([790]);
    expect(priceOf({ minPrice: "7.90", maxPrice: "7.90", priceCurrency: "EUR" })).toEqual([790]);
    expect(priceOf({ minPrice: "7.90", maxPrice: "9.90", priceCurrency: "EUR" })).toEqual([]);
  });

  it("is read past comments of scripts in a block", () => {
    const block = `{ /* tea */ "@type": "Product", // the offer
      "name": "Tea // green", "offers": { "@type": "Offer", "price": 7.9, "priceCurrency": "EUR" } }`;
    expect(readOffers(inBlock(block))).toMatchObject([{ name: "Tea // green", priceMinor: 790 }]);
  });

  it("is no charge for delivery, no installment, no price of members or of many", () => {
    const others = [
      { "@type": "DeliveryChargeSpecification", price: "4.90", priceCurrency: "EUR" },
      unit("1.00", { priceComponentType: "https://schema.org/Installment" }),
      unit("6.00", { validForMemberTier: { "@id": "#gold" } }),
      unit("5.00", { eligibleQuantity: { "@type": "QuantitativeValue", minValue: 10 } }),
    ];
    const offer = { "@type": "Offer", priceSpecification: [...others, unit("7.90")] };
    expect(pricesOf(inPage(product(offer)))).toEqual([790]);
  });

  it("is that of a range only where the range is one price", () => {
    const range = (highPrice: string) =>
      inPage(product({ "@type": "AggregateOffer", lowPrice: "7.90", highPrice, priceCurrency: "EUR" }));
    expect(pricesOf(range("7.90"))).toEqual([790]);
    expect(pricesOf(range("9.90"))).toEqual([]);
  });

  it.each<[string | number, number | undefined]>([
    ["7,90", 790],
    ["€7.90", 790],
    ["7.90 EUR", 790],
    ["1,299.00", 129_900],
    ["1.299,00", 129_900],
    ["19.989999999999998", 1_999],
    [7.9000000000000004, 790],
    ["1,299", undefined],
    ["1.299", undefined],
    ["from 7.90", undefined],
    ["-7.90", undefined],
  ])("%j is read where it can be read in one way alone", (price, minor) => {
    const html = inPage(product({ "@type": "Offer", price, priceCurrency: "EUR" }));
    expect(pricesOf(html)).toEqual(minor === undefined ? [] : [minor]);
  });
});

describe("JSON-LD", () => {
  const offer = { "@type": "Offer", price: "7.90", priceCurrency: "EUR" };

  it("is put together from nodes that name each other, in one block or several", () => {
    const graph = {
      "@graph": [
        { "@type": "WebPage", mainEntity: { "@id": "#tea" } },
        { ...product({ "@id": "#offer" }), "@id": "#tea" },
        { ...offer, "@id": "#offer", seller: { "@id": "#shop" } },
      ],
    };
    const shop = { "@id": "#shop", "@type": "Organization", name: ["Tea house", "Teehaus"] };
    expect(readOffers(inPage(graph, shop))).toEqual([
      { name: "Green tea", ids: ["GT1"], currency: "EUR", priceMinor: 790, seller: "Tea house" },
    ]);
  });

  it.each([
    ["values as objects", { "@type": "Offer", price: { "@value": "7.90" }, priceCurrency: "EUR" }],
    ["a list", { "@list": [offer] }],
    [
      "whole IRIs",
      { "@type": "http://schema.org/Offer", "https://schema.org/price": 7.9, priceCurrency: "EUR" },
    ],
    ["a prefix", { "@type": "schema:Offer", "schema:price": 7.9, "schema:priceCurrency": "EUR" }],
    [
      "a prefix of the page's own",
      { "@context": { s: "https://schema.org/" }, "s:price": 7.9, "s:priceCurrency": "EUR" },
    ],
  ])("is read with %s", (_, written) => {
    expect(pricesOf(inPage(product(written)))).toEqual([790]);
  });

  it("takes a name in several languages or with character references of HTML as readers see it", () => {
    const nameOf = (name: unknown) => readOffers(inPage(product(offer, { name })))[0]!.name;
    expect(nameOf([{ "@language": "en", "@value": "Green tea" }, "Grüner Tee"])).toBe("Green tea");
    expect(nameOf("Green &amp; &quot;black&quot; tea")).toBe('Green & "black" tea');
    expect(nameOf("<b>Green</b> &amp; tea")).toBe("<b>Green</b> & tea");
  });

  it("is read of a script whose type has a profile, in any case", () => {
    const block = JSON.stringify(product(offer));
    for (const type of [
      "Application/LD+JSON",
      "application/ld+json;profile=http://www.w3.org/ns/json-ld#compacted",
    ])
      expect(pricesOf(inBlock(block, type))).toEqual([790]);
    expect(pricesOf(inBlock(block, "application/json"))).toEqual([]);
  });

  it("is read with the slips that shops make: marks around it, line feeds in strings, a comma or semicolon too many", () => {
    const block = JSON.stringify(product(offer, { description: "First line" }));
    for (const written of [
      `${block};`,
      `\ufeff${block}`,
      `<!--\n${block}\n-->`,
      `\n//<![CDATA[\n${block}\n//]]>\n`,
      block.replace("First line", "First\nline"),
      block.replace(/\}$/, " , }"),
    ])
      expect(pricesOf(inBlock(written))).toEqual([790]);
    expect(pricesOf(inBlock(`${block}}`))).toEqual([]);
  });

  it("describes what is no product by name too: a book, an offer that says what it is for", () => {
    expect(pricesOf(inPage({ ...product(offer), "@type": "Book" }))).toEqual([790]);
    const named = { ...offer, itemOffered: { "@type": "Product", name: "Green tea" } };
    expect(readOffers(inPage(named))).toMatchObject([{ name: "Green tea", priceMinor: 790 }]);
  });

  it("costs no more than its length, whatever names whatever", () => {
    const many = Array.from({ length: 2_000 }, () => ({ "@id": "#all" }));
    const all = { "@id": "#all", "@type": "AggregateOffer", offers: many.map(() => ({ "@id": "#one" })) };
    const circle = { "@id": "#one", "@type": "Product", offers: many, itemOffered: many };
    const deep = `${'{"offers":'.repeat(20_000)}1${"}".repeat(20_000)}`;
    const startedMs = performance.now();
    const html = inPage(all, circle, ...many.map((_, at) => ({ "@id": `#${at}`, offers: many.slice(0, 5) })));
    expect(readOffers(html + inBlock(deep) + inBlock(`[${'",'.repeat(80_000)}`))).toEqual([]);
    expect(performance.now() - startedMs).toBeLessThan(2_000);
  });
});
