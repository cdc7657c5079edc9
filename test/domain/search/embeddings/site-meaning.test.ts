import { describe, expect, it } from "vitest";
import { embeddingModel } from "../../../../src/classifiers/embedding-model.ts";
import { queryVector, siteVector } from "../../../../src/domain/search/embeddings/site-meaning.ts";
import { cosine } from "../../../../src/domain/search/embeddings/static-vectors.ts";

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
