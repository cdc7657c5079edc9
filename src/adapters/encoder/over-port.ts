/** One encoder for a process's threads: the thread that has it answers others over a message port. */
import type { MessagePort } from "node:worker_threads";
import type { EncodeOptions, Encoder, EncoderState } from "../../ports/encoder.ts";
import { answerCalls, callsOver } from "../../threads/calls.ts";

interface Asked {
  text: string;
  options: EncodeOptions;
}
interface Answered {
  vector: Float32Array | undefined;
  state: EncoderState;
}

/** Answers what `encoderOver` asks at the other end of the port. */
export function serveEncoder(encoder: Encoder, port: MessagePort): void {
  answerCalls<Asked, Answered>(port, async ({ text, options }) => {
    const vector = await encoder.encode(text, options);
    return { vector, state: encoder.state };
  });
  port.unref();
}

/** The encoder that another thread has. Its state is that of the last answer in time. */
export function encoderOver(name: string, port: MessagePort): Encoder {
  let state: EncoderState = "starting";
  const ask = callsOver<Asked, Answered>(port);
  port.unref();
  return {
    name,
    get state() {
      return state;
    },
    encode: async (text, options) => {
      const reply = await ask({ text, options }, options.waitMs);
      if (reply && state !== "closed") state = reply.answer.state;
      return reply?.answer.vector;
    },
    close: async () => {
      state = "closed";
      port.close();
    },
  };
}
