/**
 * all-MiniLM-L6-v2 (BERT: Devlin et al. 2019) as a graph of few, fused operations with int8 weights, a scale an output:
 * activations are quantized as they come (DynamicQuantizeMatMul). Its end is the space of the static vectors: the mean of
 * the last states at unit length, less the mean of explanations of words, in their half whitened principal components
 * (train/embeddings/distill.py).
 */
import { Builder, type Projection } from "./graph-builder.ts";
import { type Graph, readWeights, type Weights, writeModel } from "./onnx-format.ts";
import { addTo, TuningReader } from "./tuning.ts";

const LAYERS = 6;
const HEADS = 12;
/** Components of a state, and of the vector that heads of classifiers read. */
export const SENTENCE_SIZE = 384;
const EPSILON = 1e-12;

/** The six products of a layer stand in the package's file in this order, under names that a converter numbered. */
const PRODUCTS = ["query", "key", "value", "attended", "wide", "narrow"] as const;
type Product = (typeof PRODUCTS)[number];
const SHAPES: Record<Product, [number, number]> = {
  query: [384, 384],
  key: [384, 384],
  value: [384, 384],
  attended: [384, 384],
  wide: [384, 1_536],
  narrow: [1_536, 384],
};
const BIASES: Record<Product, string> = {
  query: "attention.self.query.bias",
  key: "attention.self.key.bias",
  value: "attention.self.value.bias",
  attended: "attention.output.dense.bias",
  wide: "intermediate.dense.bias",
  narrow: "output.dense.bias",
};
const PREFIX = "inner.";
const WORDS = "embeddings.word_embeddings.weight";
const POSITIONS = "embeddings.position_embeddings.weight";

/** Takes weights out of the package's file into the graph. */
class Source {
  readonly #found: ReadonlyMap<string, Weights>;
  readonly #products: string[];
  readonly #tuning: TuningReader;

  constructor(model: Uint8Array, tuning: Uint8Array) {
    this.#tuning = new TuningReader(tuning);
    this.#found = readWeights(model);
    this.#products = [...this.#found.keys()].filter((name) => /^val_[0-9]+_q$/.test(name));
    if (this.#products.length !== LAYERS * PRODUCTS.length)
      throw new Error("The package's model is not the one whose weights are known.");
  }

  take(builder: Builder, name: string, shape?: number[]): string {
    const weights = this.#found.get(PREFIX + name);
    if (weights === undefined) throw new Error(`The package's model has no ${name}.`);
    builder.weights.set(name, { ...weights, shape: shape ?? weights.shape });
    return name;
  }

  /** x times the weights of a product of a layer, plus its bias. */
  multiply(builder: Builder, layer: number, product: Product, x: string): string {
    const found = this.#products[layer * PRODUCTS.length + PRODUCTS.indexOf(product)]!;
    const [from, to] = SHAPES[product];
    const [untuned, untunedScales] = [
      this.#found.get(found)!,
      this.#found.get(found.replace(/_q$/, "_scale"))!,
    ];
    if (untuned.shape[0] !== from || untuned.shape[1] !== to)
      throw new Error(`The package's model has another shape at ${found}.`);
    const { codes, scales } = addTo(untuned, untunedScales, this.#tuning.next(from, to));
    const name = `${layer}.${product}`;
    builder.weights.set(name, codes);
    builder.weights.set(`${name}.scale`, { ...scales, shape: [to] });
    const bias = this.take(builder, `encoder.layer.${layer}.${BIASES[product]}`);
    const inputs = [x, name, `${name}.scale`, "", bias];
    return builder.add("DynamicQuantizeMatMul", inputs, { domain: "com.microsoft" });
  }

  /** Rows of a quantized table by their numbers. */
  rows(builder: Builder, table: string, numbers: string): string {
    const quantized = this.take(builder, `${table}_q`);
    const scales = this.take(builder, `${table}_scale`);
    const codes = builder.add("Gather", [quantized, numbers]);
    const values = builder.add("Cast", [codes], { integers: { to: 1 } });
    return builder.add("Mul", [values, builder.add("Gather", [scales, numbers])]);
  }

  norm(builder: Builder, name: string, x: string, skip?: string): string {
    const gains = [this.take(builder, `${name}.weight`), this.take(builder, `${name}.bias`)];
    const floats = { epsilon: EPSILON };
    return skip === undefined
      ? builder.add("LayerNormalization", [x, ...gains], { floats, integers: { axis: 2 } })
      : builder.add("SkipLayerNormalization", [x, skip, ...gains], { floats, domain: "com.microsoft" });
  }
}

/**
 * The encoder's model. Inputs: `ids` of pieces and `present` (1 or 0) of texts × length, `places` 0, 1, 2 … of length, and
 * `shares` of texts × length × 1: one over a text's pieces at each of them, 0 beyond. Outputs: `vectors`, texts × projection's
 * size, and `sentences`, texts × SENTENCE_SIZE, both of unit length.
 * @param model the package's file
 * @param tuning models/encoder/tuning.bin
 * @throws for another file
 */
export function encoderModel(model: Uint8Array, tuning: Uint8Array, projection: Projection): Uint8Array {
  const builder = new Builder();
  const source = new Source(model, tuning);
  const words = source.rows(builder, WORDS, "ids");
  const places = source.rows(builder, POSITIONS, "places");
  const kind = source.take(builder, "embeddings.token_type_embeddings.weight");
  const first = builder.add("Gather", [kind, builder.whole("first", [0])]);
  let x = builder.add("Add", [builder.add("Add", [words, places]), first]);
  x = source.norm(builder, "embeddings.LayerNorm", x);
  for (let layer = 0; layer < LAYERS; layer++) x = layerOf(builder, source, layer, x);
  const pooled = builder.add("ReduceSum", [builder.add("Mul", [x, "shares"]), builder.whole("length", [1])], {
    integers: { keepdims: 0 },
  });
  builder.project(builder.unit(pooled, "sentences"), projection);
  const { weights, operations } = builder;
  const inputs: Graph["inputs"] = {
    ids: { elements: "int64", shape: ["texts", "length"] },
    present: { elements: "int32", shape: ["texts", "length"] },
    places: { elements: "int64", shape: ["length"] },
    shares: { elements: "float", shape: ["texts", "length", 1] },
  };
  const outputs: Graph["outputs"] = {
    vectors: { elements: "float", shape: ["texts", projection.size] },
    sentences: { elements: "float", shape: ["texts", SENTENCE_SIZE] },
  };
  return writeModel({ weights, operations, inputs, outputs });
}

function layerOf(builder: Builder, source: Source, layer: number, x: string): string {
  const [query, key, value] = (["query", "key", "value"] as const).map((product) =>
    source.multiply(builder, layer, product, x),
  ) as [string, string, string];
  const attention = builder.add("MultiHeadAttention", [query, key, value, "", "present"], {
    domain: "com.microsoft",
    integers: { num_heads: HEADS },
  });
  const attended = source.multiply(builder, layer, "attended", attention);
  const name = `encoder.layer.${layer}`;
  const between = source.norm(builder, `${name}.attention.output.LayerNorm`, attended, x);
  const wide = source.multiply(builder, layer, "wide", between);
  const narrow = source.multiply(
    builder,
    layer,
    "narrow",
    builder.add("Gelu", [wide], { domain: "com.microsoft" }),
  );
  return source.norm(builder, `${name}.output.LayerNorm`, narrow, between);
}
