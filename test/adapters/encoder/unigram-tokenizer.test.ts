import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { UnigramTokenizer } from "../../../src/adapters/encoder/multilingual/unigram-tokenizer.ts";
import { anyText } from "../../support/any-character.ts";

const SPACE = "\u2581";
const reserved = ["<unk>", "<s>", "</s>", "x1", "x2", "x3"];
/** A vocabulary of our own: pieces and the logarithms of their likelihoods. */
const known: [piece: string, score: number][] = [
  [SPACE, -3],
  [`${SPACE}brot`, -6],
  [`${SPACE}b`, -5],
  ["rot", -4],
  ["b", -5],
  ["r", -5],
  ["o", -5],
  ["t", -5],
  ["backen", -6],
  ["🚲", -7],
];
const pieces = [...reserved, ...known.map(([piece]) => piece)];
const scores = Float32Array.from([0, 0, 0, 0, 0, 0, ...known.map(([, score]) => score)]);
const tokenizer = new UnigramTokenizer(pieces, scores);
const cut = (text: string): string[] => tokenizer.pieces(text).map((id) => pieces[id]!);

describe("unigram segmentation", () => {
  it("takes the likeliest of all cuts, and not the longest piece first", () => {
    expect(cut("brot")).toEqual([`${SPACE}brot`]);
    // −6 and −6, against −5, −4 and what is left.
    expect(cut("brotbacken")).toEqual([`${SPACE}brot`, "backen"]);
    expect(cut("tbrot")).toEqual([SPACE, "t", "b", "rot"]);
  });

  it("reads spaces, compatibility forms and controls as the vocabulary does", () => {
    for (const text of ["brot rot", "  brot \t\n rot ", "ｂｒｏｔ　rot", "br\u0000ot rot\u200d"])
      expect(cut(text), text).toEqual([`${SPACE}brot`, SPACE, "rot"]);
  });

  it("knows no sign that it has no piece for, one each, and no piece that is not text", () => {
    expect(cut("🚲🙂")).toEqual([SPACE, "🚲", "<unk>"]);
    expect(cut("<s>")).toEqual([SPACE, "<unk>", "<unk>", "<unk>"]);
    expect(cut("")).toEqual(["<unk>"]);
    expect(cut("\u0000 \u200b")).toEqual(["<unk>"]);
  });

  it("gives ids of the vocabulary for any text at all, lone surrogates among them", () => {
    fc.assert(
      fc.property(anyText, (any) => {
        for (const id of tokenizer.pieces(any)) expect(id >= 0 && id < pieces.length).toBe(true);
      }),
    );
  });

  it("reads to a bound, also of signs that stand for many", () => {
    const startedMs = performance.now();
    for (const sign of ["b", "brot", "\ufdfa", "\u0300", "\ud83d", "🚲", " ", "\u0000"])
      expect(tokenizer.pieces(sign.repeat(1_000_000)).length).toBeLessThanOrEqual(2_000);
    expect(performance.now() - startedMs).toBeLessThan(2_000);
  });
});
