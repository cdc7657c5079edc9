import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { embeddingModel } from "../../../../src/classifiers/embedding-model.ts";
import { foreignness, isForeign } from "../../../../src/domain/search/embeddings/foreign.ts";
import { ENGLISH_TOKENS, StaticVectors } from "../../../../src/domain/search/embeddings/static-vectors.ts";
import { readEveryday, readLanguages } from "../../../eval/search/questions.ts";

const model = embeddingModel();

/** Languages that no choice was made by. */
const OTHERS = [
  "prenotare un tavolo per stasera",
  "scarpe da corsa per bambini",
  "fiets laten repareren in de buurt",
  "huis te koop met tuin",
  "naprawa rowerów w centrum",
  "tanie bilety lotnicze do Rzymu",
  "aulas de natação para crianças",
  "consertar a máquina de lavar",
  "ремонт велосипедов",
  "حجز فندق",
  "항공권 예약",
  "预订酒店",
];

describe("a text in another language", () => {
  it("is known as such, in languages that nothing was chosen by", () => {
    for (const text of OTHERS) expect(isForeign(model, text), text).toBe(true);
  });

  it("is known as such where it is short: one of forty at most is taken for English", () => {
    const texts = readLanguages().flatMap(({ description = "", question }) => [description, question]);
    const missed = texts.filter((text) => !isForeign(model, text));
    expect(missed.length, missed.join("; ")).toBeLessThanOrEqual(texts.length / 40);
  });

  it("is none in English, whatever it names", () => {
    const everyday = readEveryday().flatMap(({ description = "", question }) => [description, question]);
    const asked = readLanguages().map(({ english }) => english);
    for (const text of [
      ...everyday,
      ...asked,
      "",
      "2024",
      "🙂",
      "Kornblume bakes sourdough bread, rolls and cakes in Vienna",
      "Château wines delivered to your door",
      "does the restaurant serve sushi, pizza or kebab",
      "Pizza Margherita",
      "hotel in San Sebastián with a view of the sea",
    ])
      expect(isForeign(model, text), text).toBe(false);
  });

  it("is surely so where its words say it, and not where pieces of a name do", () => {
    for (const text of ["tekerleğim patladı", "meine Waschmaschine", "항공권"])
      expect(foreignness(model, text).surely, text).toBe(true);
    for (const text of ["bomfagom", "zamkovol grarlofum"])
      expect(foreignness(model, text).surely, text).toBe(false);
  });

  it("is read to a bound, in linear time", () => {
    const bread = "fresh bread every day ".repeat(100);
    expect(isForeign(model, `${bread}${"für die Küche ".repeat(1_000)}`)).toBe(false);
    const startedMs = performance.now();
    for (const sign of ["ß", "é", "a", "\u0300", "日", "\ud800", " "])
      isForeign(model, sign.repeat(1_000_000));
    expect(performance.now() - startedMs).toBeLessThan(1_000);
  });

  it("is told by a table of the words' own size", () => {
    const card = new URL("../../../../models/embeddings/model.json", import.meta.url);
    expect(JSON.parse(readFileSync(card, "utf8"))).toMatchObject({ english_tokens: ENGLISH_TOKENS });
    expect(() => new StaticVectors(["a"], new Uint8Array(132), new Int8Array(2))).toThrow("Of 1 tokens, 2");
  });
});
