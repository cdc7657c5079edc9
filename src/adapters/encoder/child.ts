/**
 * The encoder's process: onnxruntime on one thread, one text at a time. A process and no thread, since ending a thread while
 * native code runs ends the whole process with it (docs/decisions/0084), and since its memory is given back when it ends.
 */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { Tokenizer } from "../../domain/search/embeddings/tokenizer.ts";
import { CLS, type EncoderReply, type EncoderRequest, MAX_PIECES, SEP } from "./messages.ts";

type Values = BigInt64Array | Int32Array | Float32Array;
/** The part of onnxruntime's interface that is used: its package is no dependency, but installed beside (deploy/encoder.ts). */
interface Runtime {
  Tensor: new (type: "int64" | "int32" | "float32", data: Values, shape: number[]) => object;
  InferenceSession: { create(path: string, options: object): Promise<Session> };
}
interface Session {
  run(inputs: Record<string, object>, outputs: string[]): Promise<Record<string, { data: Float32Array }>>;
}

const OPTIONS = {
  intraOpNumThreads: 1,
  interOpNumThreads: 1,
  executionMode: "sequential",
  // What a text takes is given back: most are short.
  enableCpuMemArena: false,
  logSeverityLevel: 3,
};

const load = async (folder: string): Promise<(text: string) => Promise<Float32Array>> => {
  const { Tensor, InferenceSession } = createRequire(join(folder, "package.json"))(
    "onnxruntime-node",
  ) as Runtime;
  const tokenizer = new Tokenizer(readFileSync(join(folder, "vocabulary.txt"), "utf8").trimEnd().split("\n"));
  const session = await InferenceSession.create(join(folder, "model.onnx"), OPTIONS);
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
};

const reply = (message: EncoderReply): void => void process.send!(message, () => undefined);

const encode = await load(process.argv[2]!);
// Whoever started it is gone.
process.once("disconnect", () => process.exit());
process.on("message", ({ call, text }: EncoderRequest) => {
  encode(text).then(
    (vector) => reply({ call, vector }),
    (error: unknown) => reply({ call, failed: String(error) }),
  );
});
reply({ ready: true });
