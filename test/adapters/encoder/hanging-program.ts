/** Stands for the encoder's process: hangs, fails or ends as a text asks, and otherwise gives each text its length. */
process.on("message", ({ call, text }: { call: number; text: string }) => {
  if (text === "hang") for (;;);
  if (text === "end") process.exit(7);
  if (text === "slow") return void setTimeout(() => answer(call, text), 200);
  if (text === "fail") return void process.send!({ call, failed: "no" });
  answer(call, text);
});
const answer = (call: number, { length }: string): void =>
  void process.send!({ call, vector: Float32Array.of(length, process.pid) });
process.once("disconnect", () => process.exit());
process.send!({ ready: true });
