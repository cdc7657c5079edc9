/** onnxruntime as the encoder's process uses it: its package is no dependency, but installed beside (deploy/encoder.ts). */
import { createRequire } from "node:module";
import { join } from "node:path";

type Values = BigInt64Array | Int32Array | Float32Array;

export interface Session {
  run(inputs: Record<string, object>, outputs: string[]): Promise<Record<string, { data: Float32Array }>>;
}

export interface OnnxRuntime {
  Tensor: new (type: "int64" | "int32" | "float32", data: Values, shape: number[]) => object;
  InferenceSession: { create(path: string, options: object): Promise<Session> };
}

export const SESSION_OPTIONS = {
  intraOpNumThreads: 1,
  interOpNumThreads: 1,
  executionMode: "sequential",
  // What a text takes is given back: most are short.
  enableCpuMemArena: false,
  logSeverityLevel: 3,
};

/** @param folder where it is installed */
export const openOnnxRuntime = (folder: string): OnnxRuntime =>
  createRequire(join(folder, "package.json"))("onnxruntime-node") as OnnxRuntime;
