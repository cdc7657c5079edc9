import { describe, expect, it } from "vitest";
import { embeddingModel } from "../../../src/classifiers/embedding-model.ts";
import { readCalibrations } from "../../../workers/gateway/neural/classifier.ts";
import { measureQuality, nearSets } from "./calibration.ts";
import { readLabelledSets } from "./labelled.ts";
import { embedWith, measureNearness, readPairs } from "./products.ts";

describe("labels that others gave to their texts", () => {
  it("are told apart by static vectors, far better than by chance", async (context) => {
    const sets = readLabelledSets();
    if (sets === undefined) return context.skip("no labeled texts: set BRIDGE_DATA_DIR");
    const tools = sets.filter(({ name }) => name === "tools of ToolEmu");
    const [set] = await nearSets(tools, async (text) => embeddingModel().embed(text));
    const quality = measureQuality(set!, readCalibrations().static);
    expect(Number.parseFloat(quality.likeliestIsRight)).toBeGreaterThan(0.8);
    expect(quality.calibrationError).toBeLessThan(0.25);
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
