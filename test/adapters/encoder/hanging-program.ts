/** Stands for the encoder's process: hangs, fails or ends as a text asks, and otherwise gives each text its length. */
import type { EncoderRequest } from "../../../src/adapters/encoder/messages.ts";

process.on("message", ({ call, text, foreign }: EncoderRequest) => {
  if (text === "hang") for (;;);
  if (text === "end") process.exit(7);
  if (text === "slow") return void setTimeout(() => answer(call, text), 200);
  if (text === "fail") return void process.send!({ call, failed: "no" });
  answer(call, text, foreign);
});
const answer = (call: number, { length }: string, foreign = false): void =>
  void process.send!({ call, vector: Float32Array.of(length, process.pid, foreign ? 1 : 0) });
process.once("disconnect", () => process.exit());
process.send!({ ready: true });
