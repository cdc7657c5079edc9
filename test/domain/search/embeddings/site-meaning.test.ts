import { describe, expect, it } from "vitest";
import { embeddingModel } from "../../../../src/classifiers/embedding-model.ts";
import {
  queryMeaning,
  queryVector,
  siteVector,
} from "../../../../src/domain/search/embeddings/site-meaning.ts";
import { cosine, quantize } from "../../../../src/domain/search/embeddings/static-vectors.ts";
import type { EncodeOptions } from "../../../../src/ports/encoder.ts";

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

  it("is given to the encoder as such, also where the table knows no word of it", async () => {
    const asked: [text: string, foreign: boolean | undefined][] = [];
    const encoder = {
      name: "e",
      state: "running" as const,
      close: async () => undefined,
      encode: async (text: string, { foreign }: EncodeOptions) => {
        asked.push([text, foreign]);
        return Float32Array.from({ length: 256 }, (_, i) => (i === 0 ? 1 : 0));
      },
    };
    const texts = ["wer repariert mein Fahrrad", "who repairs my bicycle", "항공권 예약"];
    for (const text of texts) {
      const { vector, by } = (await queryMeaning(model, encoder, text))!;
      expect(vector[0], text).toBe(quantize(Float32Array.of(1))[0]);
      expect(by).toBe(text === texts[1] ? "encoder" : "foreign");
    }
    // A name is no language: whatever is near to it is so by accident.
    for (const nothing of ["zamkovol grarlofum", "", "🙂"])
      expect(await queryMeaning(model, encoder, nothing), nothing).toBeUndefined();
    expect(asked).toEqual(texts.map((text, i) => [text, i !== 1]));
  });

  it("has its static vector while the encoder does not answer", async () => {
    const encoder = {
      name: "e",
      state: "starting" as const,
      close: async () => undefined,
      encode: async () => undefined,
    };
    for (const [text, by] of [
      ["wer repariert mein Fahrrad", "foreign"],
      ["who repairs my bicycle", "static"],
    ] as const)
      expect(await queryMeaning(model, encoder, text)).toEqual({ vector: queryVector(model, text), by });
  });
});
