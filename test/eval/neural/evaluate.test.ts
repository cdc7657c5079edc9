import { describe, expect, it } from "vitest";
import { embeddingModel } from "../../../src/classifiers/embedding-model.ts";
import { SITE_CATEGORIES } from "../../../workers/gateway/neural/categories.ts";
import { Classifier } from "../../../workers/gateway/neural/classifier.ts";
import { readCalibrations } from "../../../workers/gateway/neural/tasks.ts";
import { measureQuality } from "./calibration.ts";
import { readSites } from "./evaluate.ts";
import { embedWith, measureNearness, readPairs } from "./products.ts";

describe("the classifier of sites", () => {
  it("is right about most descriptions that were held out, and says how sure it is", () => {
    const { heldOut } = readSites();
    const classifier = new Classifier(embeddingModel(), SITE_CATEGORIES, readCalibrations().described);
    const quality = measureQuality(classifier, heldOut);
    expect(quality.accuracy).toBeGreaterThan(0.75);
    expect(quality.precision).toBeGreaterThan(0.7);
    expect(quality.abstention).toBeGreaterThan(0.6);
    expect(quality.calibrationError).toBeLessThan(0.15);
  });
});

describe("static vectors", () => {
  it("lay titles of one product nearest to each other, mostly", (context) => {
    const pairs = readPairs("abt-buy");
    if (pairs === undefined) return context.skip("no product titles: set BRIDGE_DATA_DIR");
    const { auc, firstPlace } = measureNearness(pairs, embedWith(embeddingModel()));
    expect(auc).toBeGreaterThan(0.75);
    expect(firstPlace).toBeGreaterThan(0.7);
  });
});
