import { describe, expect, it } from "vitest";
import { collectionOf, confidencesOf } from "../../../../train/price/matcher.ts";
import { readPairs } from "../../../../train/price/pairs.ts";
import { featuresOf, matchConfidence, rarityAmong } from "../../../../workers/gateway/price/matching.ts";
import { readMatchModel } from "../../../../workers/gateway/price/model.ts";
import { prepare } from "../../../../workers/gateway/price/prepared.ts";
import { confusionOf, measuresOf } from "../../../eval/confusion.ts";
import { dataFile } from "../../../support/data.ts";

const model = readMatchModel();
const NAMES = [
  "Sony Cyber-shot DSC-W120 Digital Camera - Silver",
  "Sony DSCW120 Cybershot 7.2 MP camera silver",
  "Sony Cyber-shot DSC-W130 Digital Camera - Silver",
  "Canon PowerShot A590 IS",
  "Garden hose 20 m",
  "",
  "日本語 の 名前",
];
const offers = NAMES.map((name) => prepare({ name }));
const rarity = rarityAmong(offers);

describe("the matcher of offers", () => {
  it("says the same in either order, and always a probability", () => {
    for (const one of offers)
      for (const other of offers) {
        const confidence = matchConfidence(model, one, other, rarity);
        expect(confidence).toBe(matchConfidence(model, other, one, rarity));
        expect(confidence >= 0 && confidence <= 1).toBe(true);
        expect(featuresOf(one, other, rarity).every(Number.isFinite)).toBe(true);
      }
  });

  it("takes another spelling of a model for the same, and another model for another", () => {
    const [first, respelt, next, canon] = offers as [never, never, never, never];
    expect(matchConfidence(model, first, respelt, rarity)).toBeGreaterThan(model.threshold);
    expect(matchConfidence(model, first, next, rarity)).toBeLessThan(
      matchConfidence(model, first, respelt, rarity),
    );
    expect(matchConfidence(model, first, canon, rarity)).toBeLessThan(model.threshold);
  });

  const path = dataFile("product-matching/walmart-amazon-valid.txt");
  it.skipIf(path === undefined)(
    "does better than Magellan on Walmart-Amazon (needs product-matching/)",
    () => {
      const pairs = readPairs(path!);
      const confidences = confidencesOf(model, collectionOf(pairs));
      const { f1 } = measuresOf(
        confusionOf(pairs.map(({ isSame }, i) => [isSame, confidences[i]! >= model.threshold])),
      );
      expect(f1).toBeGreaterThan(0.72);
    },
  );
});
