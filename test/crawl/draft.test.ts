import { describe, expect, it } from "vitest";
import { DocumentAnswers } from "../../schemas/draft.ts";
import { composeDocument, draftOf } from "../../src/crawl/draft.ts";
import { pageFacts } from "../../src/crawl/pages/page-facts.ts";
import { readDocument } from "../../src/domain/trust/manifest.ts";

const HOST = "shop.example";
const AT = Date.parse("2026-01-31T12:00:00Z");

function drafted(html: string) {
  const url = `https://${HOST}/`;
  const facts = pageFacts({
    body: Buffer.from(html),
    contentType: "text/html; charset=utf-8",
    robotsTag: "",
    url,
    home: url,
  });
  return draftOf(HOST, { page: { state: "read", url, detail: "" }, facts, at: AT });
}
const jsonLd = (...blocks: unknown[]): string =>
  blocks.map((block) => `<script type="application/ld+json">${JSON.stringify(block)}</script>`).join("");
const sourceOf = ({ sources }: ReturnType<typeof drafted>, answer: string) =>
  sources.find((each) => each.answer === answer)?.source;

const SHOP = {
  "@context": "https://schema.org",
  "@graph": [
    { "@type": "WebSite", name: "The web site", publisher: { "@id": "#us" } },
    {
      "@type": ["TeaStore", "Store"],
      "@id": "#us",
      name: "Corner  Shop",
      legalName: "Corner Shop e.U.",
      description: "Tea and spices.",
      email: "mailto:hello@shop.example",
      telephone: "+43 1 234",
      address: {
        "@type": "PostalAddress",
        addressCountry: { "@type": "Country", name: "AT" },
        addressLocality: "Graz",
      },
      geo: { "@type": "GeoCoordinates", latitude: "47.07", longitude: 15.44 },
    },
  ],
};

describe("a draft of a document", () => {
  it("takes name, trade, place and contact from JSON-LD of schema.org", () => {
    const draft = drafted(`<title>Buy tea</title>${jsonLd(SHOP)}<a href="/impressum">Imprint</a>`);
    expect(draft.answers).toEqual({
      name: "Corner Shop",
      category: "retail",
      description: "Tea and spices.",
      owner: "Corner Shop e.U.",
      location: { country: "AT", city: "Graz", lat: 47.07, lon: 15.44 },
      contact: { email: "hello@shop.example", phone: "+43 1 234", url: "https://shop.example/impressum" },
    });
    expect(sourceOf(draft, "name")).toBe("json_ld");
  });

  it("falls back to Open Graph, metadata and the title, and says from where it is", () => {
    const page = `<title>Buy tea</title><meta name=description content="Tea since 1974">`;
    const named = drafted(`${page}<meta property="og:site_name" content="Corner Shop">`);
    expect(named.answers).toMatchObject({ name: "Corner Shop", description: "Tea since 1974" });
    expect([sourceOf(named, "name"), sourceOf(named, "description")]).toEqual(["open_graph", "meta"]);
    expect(drafted(page)).toMatchObject({ answers: { name: "Buy tea" } });
    expect(sourceOf(drafted(page), "name")).toBe("title");
  });

  it("declares the page's forms as actions, by the names that a session finds them under", () => {
    const { answers } = drafted(
      `<form data-bridge-action="find-tea" action="/s"><input name=q required aria-label="Words"><button>Search</button></form>
       <form method=post action="/letters" id=letters><input type=email name=mail><button>Subscribe</button></form>`,
    );
    expect(answers.actions).toMatchObject([
      { name: "find-tea", effect: "read", parameters: [{ name: "q", required: true }] },
      { name: "submit-letters", effect: "write" },
    ]);
  });

  it("invents nothing: an empty page leaves all unknown, and names what is required", () => {
    const draft = drafted("<p>Under construction</p>");
    expect(draft.answers).toEqual({});
    expect(draft.unknown.filter(({ required }) => required).map(({ answer }) => answer)).toEqual([
      "name",
      "is_independent",
      "commission_rate",
    ]);
    expect(draft.unknown.map(({ answer }) => answer)).toContain("intent_tags");
  });

  it.each([
    ["numbers that are no degrees", { geo: { latitude: "x", longitude: 999 } }],
    ["members of another kind", { name: { a: 1 }, description: 7, address: "Graz", email: [] }],
    ["a nested publisher a thousand deep", "deep"],
    ["what is no JSON", "broken"],
  ])("reads %s without harm", (_, node) => {
    const deep = `${'{"@type":"Organization","publisher":'.repeat(1_000)}1${"}".repeat(1_000)}`;
    const text =
      node === "deep"
        ? deep
        : node === "broken"
          ? "{"
          : JSON.stringify({ "@type": "Store", ...(node as object) });
    const { answers } = drafted(`<script type="application/ld+json">${text}</script>`);
    expect(answers.name).toBeUndefined();
    expect(answers.location).toBeUndefined();
  });

  it("with the owner's answers is a document that a registry reads", () => {
    const { answers } = drafted(jsonLd(SHOP));
    const whole = DocumentAnswers.parse({ ...answers, is_independent: true, commission_rate: 0 });
    const document = composeDocument(HOST, whole, { endpoint: `https://${HOST}`, now: AT });
    const read = readDocument(Buffer.from(JSON.stringify(document)), HOST);
    expect(read).toMatchObject({
      ok: true,
      document: {
        provider: { name: "Corner Shop", category: "retail", contact: { email: "hello@shop.example" } },
        fairness: { is_independent: true, commission_rate: 0 },
        location: { city: "Graz" },
      },
    });
    expect(document.intent_tags).toBeUndefined();
  });
});
