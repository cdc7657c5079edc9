import { afterAll, describe, expect, it } from "vitest";
import type { z } from "zod";
import type { Principals, RequestContext } from "../../../../src/rpc/contract.ts";
import { Failure } from "../../../../src/rpc/errors.ts";
import type { FetchPage } from "../../../../workers/gateway/common/observed-page.ts";
import { openScans } from "../../../../workers/gateway/common/scans.ts";
import { neural } from "../../../../workers/gateway/neural/contract.ts";
import { neuralHandlers } from "../../../../workers/gateway/neural/handlers.ts";

const { scans, close } = openScans();
afterAll(close);

const noPage: FetchPage = async () => ({ ok: false, reason: "dns_none" });
const handlers = neuralHandlers({ fetchPage: noPage, scans });
const context: RequestContext<Principals["key"]> = {
  requestId: "0190-test",
  timeoutMs: 10_000,
  host: "",
  clientAddress: "",
  principal: {
    kind: "key",
    keyId: "k",
    keyHash: "h",
    usageId: "u",
    plan: "PRO",
    accountId: null,
    standing: "anonymous",
  },
  allowances: [],
};

/** A reply as it crosses the wire: what its contract would refuse fails here. */
function read<S extends z.ZodType>(schema: S, reply: unknown): z.output<S> {
  if (reply instanceof Failure) throw new Error(`${reply.code}: ${reply.detail}`);
  return schema.parse(reply);
}
const only = { params: undefined, query: undefined };
const { analyzeUrl, classifyText: classifyOperation, embedTexts: embeddings } = neural.operations;

const analyze = async (body: { url: string; html?: string; text?: string }) =>
  read(analyzeUrl.reply, await handlers.analyzeUrl({ body, ...only }, context));
const classify = async (text: string, labels?: { name: string; description?: string }[]) =>
  read(classifyOperation.reply, await handlers.classifyText({ body: { text, labels }, ...only }, context));
const embed = async (texts: string[]) =>
  read(embeddings.reply, await handlers.embedTexts({ body: { texts }, ...only }, context));

const BAKERY = `<!doctype html><html lang="de-AT"><head><title>Bäckerei Huber – frisches Brot</title>
<meta name="description" content="Brot und Kuchen aus Wien">
<script type="application/ld+json">{"@context":"https://schema.org","@graph":[{"@type":"Bakery","name":"Huber",
"address":{"@type":"PostalAddress","addressLocality":"Wien"}},{"@type":["Product"],"name":"Sauerteigbrot"}]}</script>
<script type="application/ld+json">{broken</script></head><body><h1>Sauerteigbrot</h1>
<p>Wir backen das Brot jeden Tag und verkaufen es auch an der Tür. Sauerteigbrot kostet € 4,50.</p>
<a href="mailto:brot@huber.example?subject=x">Schreib uns</a> <a href="tel:+43%201%20234">Ruf an</a>
<time datetime="2026-01-06T08:00">Dreikönig</time><p hidden>spam@hidden.example</p></body></html>`;

describe("an address", () => {
  it("is taken apart, and loses what only tracks", async () => {
    const { address } = await analyze({
      url: "https://user:pw@xn--bcker-gra.example.co.uk:8443/fresh-bread/rye_loaf?utm_source=x&id=7&gclid=1#top",
      text: "bread",
    });
    expect(address).toMatchObject({
      registrable_domain: "example.co.uk",
      is_internationalised: true,
      is_secure: true,
      has_credentials: true,
      port: 8443,
      path_words: ["fresh", "bread", "rye", "loaf"],
      parameters: ["utm_source", "id", "gclid"],
      tracking_parameters: ["utm_source", "gclid"],
      clean_url: "https://xn--bcker-gra.example.co.uk:8443/fresh-bread/rye_loaf?id=7",
    });
  });

  it("of numbers has no domain", async () => {
    const { address } = await analyze({ url: "http://192.0.2.7/%ff", text: "x" });
    expect(address).toMatchObject({ is_ip_address: true, registrable_domain: null, is_secure: false });
  });

  it("that is none of the web's is refused", async () => {
    for (const url of ["ftp://a.example/", "javascript:alert(1)", "nonsense"]) {
      const reply = await handlers.analyzeUrl({ body: { url }, ...only }, context);
      expect(reply).toMatchObject({ code: "invalid_url" });
    }
  });

  it("is analysed though its page cannot be fetched, and the reply says so", async () => {
    const reply = await analyze({ url: "https://gone.example/" });
    expect(reply.page).toBeNull();
    expect(reply.not_observed).toEqual([{ what: "html", reason: "the page could not be fetched: dns_none" }]);
  });
});

describe("a page", () => {
  it("has a language, topics, entities of its structured data, links and text, and a category", async () => {
    const { page, not_observed } = await analyze({ url: "https://huber.example/", html: BAKERY });
    expect(page).toMatchObject({
      fetched: false,
      title: "Bäckerei Huber – frisches Brot",
      description: "Brot und Kuchen aus Wien",
      language: { declared: "de-AT", detected: "de" },
      truncated: false,
    });
    expect(page!.topics.map(({ topic }) => topic)).toContain("sauerteigbrot");
    expect(page!.topics[0]!.weight).toBe(1);
    expect(page!.entities.map(({ type, text }) => `${type} ${text}`)).toEqual([
      "organization Huber",
      "place Wien",
      "product Sauerteigbrot",
      "email brot@huber.example",
      "phone +43 1 234",
      "date 2026-01-06",
      "price € 4,50",
    ]);
    expect(not_observed).toEqual([]);
  });

  it.each([
    [
      "de",
      "Wir backen mit viel Liebe. Mit Sauerteig aus der Region backen wir Brot, und mit Butter die Kuchen.",
    ],
    ["fr", "Nous vendons du pain avec du levain. Avec nous, le pain est frais et les gâteaux sont bons."],
    ["es", "Con nosotros el pan es fresco. Vendemos pan con masa madre y pasteles para todos."],
  ])("in %s has topics that say something, and no words between them", async (_, text) => {
    const { page } = await analyze({ url: "https://huber.example/", text });
    const topics = page!.topics.map(({ topic }) => topic);
    expect(topics.some((topic) => /brot|pain|pan/.test(topic))).toBe(true);
    expect(topics.filter((topic) => /^(?:mit|wir|und|avec|nous|con|para)$/.test(topic))).toEqual([]);
  });

  it("in English is put into its category", async () => {
    const html =
      "<title>The Corner Oven</title><p>Fresh bread, cakes and coffee. Order a birthday cake or have lunch in our restaurant.";
    const { page } = await analyze({ url: "https://oven.example/", html });
    expect(page!.category).toMatchObject({ label: "food", abstained: false });
    expect(page!.language.detected).toBe("en");
  });

  it("that is hostile is answered in bounded time with bounded lists", async () => {
    const html = `${"<div>".repeat(20_000)}${"a@b.cc ".repeat(5_000)}${"€1 ".repeat(20_000)}<script type="application/ld+json">${'{"@type":"Person","name":"x","knows":'.repeat(2_000)}1${"}".repeat(2_000)}</script>`;
    const { page } = await analyze({ url: "https://deep.example/", html });
    expect(page!.entities.length).toBeLessThanOrEqual(100);
    expect(page!.topics.length).toBeLessThanOrEqual(10);
  });
});

describe("classification", () => {
  it("ranks every label, with confidences that add up to one with none's", async () => {
    const { result } = await classify("My tooth hurts, I need an appointment");
    expect(result.label).toBe("health");
    const sum = result.ranked.reduce((total, { confidence }) => total + confidence, result.none_confidence);
    expect(sum).toBeCloseTo(1, 2);
    expect(result.ranked).toHaveLength(24);
  });

  it("chooses among labels that the caller gives, described or not", async () => {
    const text = "The engine stalls and the brakes squeal";
    expect(
      (
        await classify(
          text,
          ["car repair", "opera", "knitting"].map((name) => ({ name })),
        )
      ).result.ranked[0]!.label,
    ).toBe("car repair");
    const described = [
      { name: "A", description: "vehicles, motors, brakes and their repair" },
      { name: "B", description: "music and singers on stage" },
    ];
    expect((await classify(text, described)).result.label).toBe("A");
  });

  it("gives none where none fits, or nothing is said", async () => {
    for (const text of ["lorem ipsum dolor", "🙂🙂", "\u200b", "%&/(", "404 page not found"])
      expect((await classify(text)).result).toMatchObject({ label: null, abstained: true });
  });
});

describe("embeddings", () => {
  it("are vectors of unit length in the order of the texts, with their tokens counted", async () => {
    const reply = await embed(["fresh bread", "a bakery\nand its cakes", "\u200b"]);
    expect(reply).toMatchObject({ model: "bridge-static-256-v3", dimensions: 256 });
    expect(reply.embeddings.map(({ index, tokens }) => [index, tokens])).toEqual([
      [0, 2],
      [1, 5],
      [2, 0],
    ]);
    expect(reply.total_tokens).toBe(7);
    expect(Math.hypot(...reply.embeddings[0]!.vector)).toBeCloseTo(1, 4);
    expect(Math.hypot(...reply.embeddings[2]!.vector)).toBe(0);
  });

  it("of many long texts, made in a thread, are those of one text made at once", async () => {
    const long = "bread and butter ".repeat(400);
    const [many, one] = [await embed(Array.from({ length: 20 }, () => long)), await embed([long])];
    expect(many.embeddings[19]!.vector).toEqual(one.embeddings[0]!.vector);
  });
});

describe("bounds", () => {
  it("hold for texts and labels", () => {
    expect(embeddings.body.safeParse({ texts: Array.from({ length: 129 }, () => "x") }).success).toBe(false);
    expect(embeddings.body.safeParse({ texts: [] }).success).toBe(false);
    expect(classifyOperation.body.safeParse({ text: "x".repeat(8_193) }).success).toBe(false);
    const labels = Array.from({ length: 51 }, (_, i) => ({ name: `l${i}` }));
    expect(classifyOperation.body.safeParse({ text: "x", labels }).success).toBe(false);
  });
});
