import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { embeddingModel } from "../../../../src/classifiers/embedding-model.ts";
import { cosine, quantize, StaticVectors } from "../../../../src/domain/search/embeddings/static-vectors.ts";

const model = embeddingModel();
const alike = (a: string, b: string): number => cosine(model.embed(a), model.embed(b));

describe("a text's vector", () => {
  it("has unit length", () => {
    const vector = model.embed("a bakery in Vienna");
    expect(vector).toHaveLength(256);
    expect(Math.hypot(...vector)).toBeCloseTo(1, 5);
  });

  it("is all zero where nothing means anything, and never has a component that is no number", () => {
    for (const text of ["", " ", "\u200b", "𐎀𐎁", "\ud800"]) {
      const vector = model.embed(text);
      expect(vector.every((component) => component === 0)).toBe(true);
      expect(quantize(vector).every((component) => component === 0)).toBe(true);
      expect(cosine(vector, model.embed("bread"))).toBe(0);
    }
  });

  it("is nearer to a text of the same meaning in other words than to another text", () => {
    expect(alike("cheap flights to Spain", "low cost airline tickets")).toBeGreaterThan(0.4);
    expect(alike("cheap flights to Spain", "low cost airline tickets")).toBeGreaterThan(
      alike("cheap flights to Spain", "plumber for blocked drains") + 0.2,
    );
    expect(alike("doctor", "physician")).toBeGreaterThan(alike("doctor", "guitar") + 0.2);
  });

  it("keeps its direction in a byte a component", () => {
    const vector = model.embed("wooden toys for small children, made by hand");
    expect(cosine(vector, quantize(vector))).toBeGreaterThan(0.999);
  });

  it("is made of the table that the model card names", () => {
    const folder = new URL("../../../../models/embeddings/", import.meta.url);
    const card = JSON.parse(readFileSync(new URL("model.json", folder), "utf8")) as {
      sha256: Record<string, string>;
    };
    for (const [file, digest] of Object.entries(card.sha256))
      expect(
        createHash("sha256")
          .update(readFileSync(new URL(file, folder)))
          .digest("hex"),
      ).toBe(digest);
  });
});

describe("a table", () => {
  it("that does not fit its vocabulary is refused", () => {
    expect(() => new StaticVectors(["a", "b"], new Uint8Array(260))).toThrow("264 bytes");
  });
});
