import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { FeatureReader } from "../../src/classifiers/feature-reader.ts";
import { loadModel } from "../../src/classifiers/linear-model.ts";
import { asModel, trainLinear } from "../../train/linear.ts";

const FEATURES = { buckets: 1 << 12, words: 2, chars: [3, 4] } as const;
const OPTIONS = { features: FEATURES, classes: ["fruit"], seed: 7, epochs: 20, rate: 0.3, decay: 1e-6 };
const ROWS = [
  "a red apple",
  "two ripe pears",
  "apple and pear",
  "a grey stone",
  "two old roads",
  "stone and road",
].map((text, index) => ({ text, class: index < 3 ? 0 : -1 }));

describe("a linear model", () => {
  it.each(["firewall", "dark-pattern"])("%s is the one that its card describes, and small", (name) => {
    const { card } = loadModel(name);
    const weights = readFileSync(new URL(`../../models/${name}/weights.bin`, import.meta.url));
    expect(createHash("sha256").update(weights).digest("hex")).toBe(card.weightsSha256);
    expect(weights.length).toBeLessThanOrEqual(2 * 1024 * 1024);
    expect(card.trainedOn.every(({ license }) => license !== "")).toBe(true);
  });

  it("learns the same weights from the same rows, and tells classes apart", () => {
    const [one, other] = [trainLinear(ROWS, OPTIONS), trainLinear(ROWS, OPTIONS)];
    expect(one.weightsSha256).toBe(other.weightsSha256);
    const model = asModel(one, { name: "", threshold: 0.5, trainedOn: [], measured: {} });
    expect(model.scores("ripe apple")[0]).toBeGreaterThan(0.6);
    expect(model.scores("old stone")[0]).toBeLessThan(0.4);
  });

  it("reads the same n-grams from a text in any letter case and spacing, with any digits", () => {
    const reader = new FeatureReader(FEATURES);
    const read = (text: string) => [...reader.read(text)].sort();
    expect(read("ONLY  2\nleft")).toEqual(read("only 7 left"));
    expect(read("")).toHaveLength(1);
  });
});
