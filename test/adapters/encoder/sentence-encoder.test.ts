/** The real encoder, installed as an operator installs it. */
import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { ensureEncoder, type InstalledEncoder } from "../../../deploy/encoder.ts";
import { VECTOR_SIZE } from "../../../schemas/common.ts";
import { EncoderProcess } from "../../../src/adapters/encoder/encoder-process.ts";
import { encoderModel } from "../../../src/adapters/encoder/graph.ts";
import { readArrays } from "../../../src/adapters/encoder/multilingual/archive.ts";
import { FILES } from "../../../src/adapters/encoder/multilingual/files.ts";
import { multilingualModel } from "../../../src/adapters/encoder/multilingual/graph.ts";
import { UnigramTokenizer } from "../../../src/adapters/encoder/multilingual/unigram-tokenizer.ts";
import { readWeights } from "../../../src/adapters/encoder/onnx-format.ts";
import { embeddingModel } from "../../../src/classifiers/embedding-model.ts";
import { cosine } from "../../../src/domain/search/embeddings/static-vectors.ts";

let installed: InstalledEncoder;
let encoder: EncoderProcess;
beforeAll(async () => {
  installed = await ensureEncoder(() => undefined);
  encoder = new EncoderProcess({ ...installed, onFailure: () => undefined });
  await vi.waitFor(() => expect(encoder.state).toBe("running"), { timeout: 30_000, interval: 20 });
}, 300_000);
afterAll(() => encoder?.close());

const vectorOf = async (text: string, foreign = false): Promise<Float32Array> =>
  (await encoder.encode(text, { for: "query", waitMs: 30_000, foreign }))!;

/** What the package itself makes of texts (train/embeddings/projection.py). */
interface Reference {
  text: string;
  ids: number[];
  vector: number[];
}
const references = JSON.parse(
  readFileSync(`${import.meta.dirname}/multilingual.json`, "utf8"),
) as Reference[];

describe("the sentence encoder", () => {
  it("gives unit vectors in the space of the static ones: both say the same of most texts", async () => {
    const model = embeddingModel();
    const texts = [
      "where can I get fresh bread",
      "book a flight to Lisbon",
      "translate a contract into French",
    ];
    for (const text of texts) {
      const vector = await vectorOf(text);
      expect(vector).toHaveLength(VECTOR_SIZE);
      expect(Math.hypot(...vector)).toBeCloseTo(1, 4);
      expect(cosine(vector, model.embed(text)), text).toBeGreaterThan(0.6);
    }
  });

  it("understands what a sum of words does not", async () => {
    const model = embeddingModel();
    const [asked, right, wrong] = [
      "clean up my overflowing mailbox",
      "email triage and unsubscribe",
      "home cleaning service",
    ];
    const prefers = (of: (text: string) => ArrayLike<number>) =>
      cosine(of(asked), of(right)) - cosine(of(asked), of(wrong));
    const encoded = new Map(
      await Promise.all([asked, right, wrong].map(async (text) => [text, await vectorOf(text)] as const)),
    );
    expect(prefers((text) => encoded.get(text)!)).toBeGreaterThan(prefers((text) => model.embed(text)));
  });

  it("reads any text, to a bound", async () => {
    for (const text of [
      "",
      "\u0000",
      "🙂".repeat(50),
      "東京タワー",
      "a".repeat(100_000),
      "\ufdfa".repeat(9_000),
    ])
      for (const foreign of [false, true])
        expect(Math.hypot(...(await vectorOf(text, foreign))), text.slice(0, 9)).toBeCloseTo(1, 3);
    const long = "fresh bread every day ".repeat(100);
    expect(await vectorOf(`${long} car repair`)).toEqual(await vectorOf(`${long} gardening`));
  });

  it("cuts texts of other languages as the package's tokenizer does, and gives its vectors", async () => {
    const at = (name: string) => `${installed.folder}/${name}`;
    const pieces = readFileSync(at(FILES.pieces), "utf8").trimEnd().split("\n");
    const scores = readFileSync(at(FILES.scores));
    const tokenizer = new UnigramTokenizer(
      pieces,
      new Float32Array(scores.buffer.slice(scores.byteOffset, scores.byteOffset + scores.length)),
    );
    for (const { text, ids, vector } of references) {
      expect(tokenizer.pieces(text), text).toEqual(ids);
      expect(cosine(await vectorOf(text, true), vector), text).toBeGreaterThan(0.9999);
    }
  });

  it("brings what means the same together, in whatever language", async () => {
    const english = await vectorOf("bicycle repair");
    const other = await vectorOf("divorce lawyer");
    for (const text of [
      "Reparatur von Fahrrädern",
      "reparación de bicicletas",
      "自転車の修理",
      "ремонт велосипедов",
    ]) {
      const vector = await vectorOf(text, true);
      expect(Math.hypot(...vector)).toBeCloseTo(1, 4);
      expect(cosine(vector, english), text).toBeGreaterThan(cosine(vector, other) + 0.3);
    }
  });

  it("is made of the pinned weights alone", () => {
    const model = readFileSync(`${installed.folder}/model.onnx`);
    const weights = readWeights(model);
    expect(weights.get("axes")?.shape).toEqual([384, VECTOR_SIZE]);
    expect(weights.get("5.narrow")).toMatchObject({ elements: "int8", shape: [1_536, 384] });
    const projection = {
      mean: new Float32Array(384),
      axes: new Float32Array(384 * VECTOR_SIZE),
      size: VECTOR_SIZE,
    };
    expect(() => encoderModel(model, new Uint8Array(), projection)).toThrow(
      "is not the one whose weights are known",
    );
    expect(() => readWeights(model.subarray(0, 10_000_000))).toThrow("a field does not end");
    expect(() => readArrays(model)).toThrow("no zip archive");
    expect(() => multilingualModel(new Map(), projection)).toThrow("The package's model has another proj2");
  });
});
