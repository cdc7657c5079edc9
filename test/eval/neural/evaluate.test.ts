import { describe, expect, it } from "vitest";
import { embeddingModel } from "../../../src/classifiers/embedding-model.ts";
import { readCalibrations } from "../../../workers/gateway/neural/classifier.ts";
import { measureQuality, nearSets } from "./calibration.ts";
import { readLabelledSets } from "./labelled.ts";

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
