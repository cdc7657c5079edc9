import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { embeddingModel } from "../../../../src/classifiers/embedding-model.ts";
import { anyText } from "../../../support/any-character.ts";

interface Case {
  text: string;
  ids: number[];
}

const { tokenizer } = embeddingModel();
const MODEL = `${import.meta.dirname}/../../../../models/embeddings/model.json`;
const { tokens } = JSON.parse(readFileSync(MODEL, "utf8")) as { tokens: number };
/** What the model's own tokenizer makes of hard texts (train/embeddings/distill.py). */
const cases = JSON.parse(readFileSync(`${import.meta.dirname}/pieces.json`, "utf8")) as Case[];

describe("the tokenizer", () => {
  for (const { text, ids } of cases)
    it(`cuts ${JSON.stringify(text.slice(0, 40))} as the model's own does`, () => {
      expect(tokenizer.pieces(text)).toEqual(ids);
    });

  it("takes a special token in a text for text", () => {
    expect(tokenizer.pieces("[CLS]")).toEqual([...tokenizer.pieces("["), ...tokenizer.pieces("cls]")]);
  });

  it("gives ids of the vocabulary for any text at all, lone surrogates among them", () => {
    fc.assert(
      fc.property(anyText, (any) => {
        for (const id of tokenizer.pieces(any)) expect(id >= 0 && id < tokens).toBe(true);
      }),
    );
  });
});
