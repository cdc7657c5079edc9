/**
 * The encoder's process: onnxruntime on one thread, one text at a time. A process and no thread, since ending a thread while
 * native code runs ends the whole process with it (docs/decisions/0084), and since its memory is given back when it ends.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Tokenizer } from "../../domain/search/embeddings/tokenizer.ts";
import { CLS, type EncoderReply, type EncoderRequest, MAX_PIECES, SEP } from "./messages.ts";
import { loadMultilingual } from "./multilingual/encode.ts";
import { type OnnxRuntime, openOnnxRuntime, SESSION_OPTIONS } from "./runtime.ts";

type Encode = (text: string) => Promise<Float32Array>;

const reply = (message: EncoderReply): void => void process.send!(message, () => undefined);

const folder = process.argv[2]!;
const runtime = openOnnxRuntime(folder);
const english = await loadEnglish(folder, runtime);
let multilingual: Promise<Encode> | undefined;

// Whoever started it is gone.
process.once("disconnect", () => process.exit());
process.on("message", (request: EncoderRequest) => {
  const { call } = request;
  encode(request).then(
    (vector) => reply({ call, vector }),
    (error: unknown) => reply({ call, failed: String(error) }),
  );
});
reply({ ready: true });

async function loadEnglish(folder: string, { Tensor, InferenceSession }: OnnxRuntime): Promise<Encode> {
  const tokenizer = new Tokenizer(readFileSync(join(folder, "vocabulary.txt"), "utf8").trimEnd().split("\n"));
  const session = await InferenceSession.create(join(folder, "model.onnx"), SESSION_OPTIONS);
  return async (text) => {
    const ids = [CLS, ...tokenizer.pieces(text).slice(0, MAX_PIECES - 2), SEP];
    const { length } = ids;
    const places = BigInt64Array.from(ids, (_, place) => BigInt(place));
    const inputs = {
      ids: new Tensor("int64", BigInt64Array.from(ids, BigInt), [1, length]),
      present: new Tensor("int32", new Int32Array(length).fill(1), [1, length]),
      places: new Tensor("int64", places, [length]),
      shares: new Tensor("float32", new Float32Array(length).fill(1 / length), [1, length, 1]),
    };
    const { vectors } = await session.run(inputs, ["vectors"]);
    return Float32Array.from(vectors!.data);
  };
}

/** Most registries list few sites in other languages, many none: what reads them is loaded for the first. */
async function encode({ text, foreign }: EncoderRequest): Promise<Float32Array> {
  if (!foreign) return english(text);
  multilingual ??= loadMultilingual(folder, runtime);
  return (await multilingual)(text);
}
