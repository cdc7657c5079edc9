import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { embeddingModel } from "../../../../src/classifiers/embedding-model.ts";
import {
  encodedQueryVector,
  isForeign,
  queryVector,
  siteVector,
} from "../../../../src/domain/search/embeddings/site-meaning.ts";
import { cosine, ENGLISH_TOKENS, quantize } from "../../../../src/domain/search/embeddings/static-vectors.ts";

const model = embeddingModel();
const bakery = { name: "Huber", description: "Sourdough loaves and cakes", tags: ["order-cake"], text: "" };

describe("what somebody looks for", () => {
  it("has a direction near to sites that mean it", () => {
    const site = siteVector(model, bakery)!;
    expect(cosine(site, queryVector(model, "where can I get fresh bread")!)).toBeGreaterThan(0.25);
    expect(cosine(site, queryVector(model, "change my winter tyres")!)).toBeLessThan(0.15);
  });

  it("has none when it is a name, a typing error or nothing at all", () => {
    for (const words of ["bomfagom", "zamkovol grarlofum", "the makrador", "", "\u200b", "🙂", "q1qzxv7"])
      expect(queryVector(model, words), words).toBeUndefined();
  });

  it("is read to a bound", () => {
    const bread = "bread ".repeat(1_000);
    expect(queryVector(model, `${bread}${"car repair ".repeat(100_000)}`)).toEqual(queryVector(model, bread));
  });
});

describe("a site", () => {
  it("that says nothing has no direction", () => {
    expect(siteVector(model, { name: "", description: "", tags: [], text: "" })).toBeUndefined();
  });

  it("is known by the beginning of what it says", () => {
    const text = "Fresh bread every morning. ".repeat(20);
    const longer = { ...bakery, text: `${text}${"car repair ".repeat(1_000)}` };
    expect(siteVector(model, longer)).toEqual(siteVector(model, { ...bakery, text }));
  });
});

describe("a text in another language", () => {
  const dentist = { name: "", description: "Dentist: fillings and implants", tags: [], text: "" };
  const garage = { name: "", description: "Car repair, tires and brakes", tags: [], text: "" };

  it("is known as such, and one in English that names something is none", () => {
    for (const text of [
      "Zahnarzt: Füllungen und Implantate",
      "réparation de vélos de toutes marques",
      "reparación de bicicletas y alquiler",
      "bisiklet tamiri ve kiralama",
      "自転車の修理",
      "ремонт велосипедов",
    ])
      expect(isForeign(model, text), text).toBe(true);
    for (const text of [
      "",
      "2024",
      "Kornblume bakes sourdough bread, rolls and cakes in Vienna",
      "Château wines delivered to your door",
      "does the restaurant serve sushi, pizza or kebab",
    ])
      expect(isForeign(model, text), text).toBe(false);
  });

  it("means what an English one means", () => {
    for (const words of [
      "Zahnarzt gesucht",
      "chercher un dentiste",
      "buscar un dentista",
      "ağrı için doktor",
      "歯医者",
    ]) {
      const vector = queryVector(model, words)!;
      expect(cosine(siteVector(model, dentist)!, vector), words).toBeGreaterThan(
        cosine(siteVector(model, garage)!, vector) + 0.1,
      );
    }
  });

  it("is not given to the encoder, which knows English alone", async () => {
    const asked: string[] = [];
    const encoder = {
      name: "e",
      state: "running" as const,
      close: async () => undefined,
      encode: async (text: string) => {
        asked.push(text);
        return Float32Array.from({ length: 256 }, (_, i) => (i === 0 ? 1 : 0));
      },
    };
    const german = "wer repariert mein Fahrrad";
    expect(await encodedQueryVector(model, encoder, german)).toEqual(queryVector(model, german));
    const [first] = (await encodedQueryVector(model, encoder, "who repairs my bicycle"))!;
    expect(first).toBe(quantize(Float32Array.of(1))[0]);
    expect(asked).toEqual(["who repairs my bicycle"]);
  });

  it("begins behind the English tokens in the table", () => {
    const card = new URL("../../../../models/embeddings/model.json", import.meta.url);
    expect(JSON.parse(readFileSync(card, "utf8"))).toMatchObject({ english_tokens: ENGLISH_TOKENS });
  });
});
