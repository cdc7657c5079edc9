/** One encoder for a process's threads: the thread that has it answers others over a message port. */
import type { MessagePort } from "node:worker_threads";
import type { EncodeOptions, Encoder, EncoderState } from "../../ports/encoder.ts";

interface Asked {
  call: number;
  text: string;
  options: EncodeOptions;
}
interface Answered {
  call: number;
  vector: Float32Array | undefined;
  state: EncoderState;
}

/** Answers what `encoderOver` asks at the other end of the port. */
export function serveEncoder(encoder: Encoder, port: MessagePort): void {
  port.on("message", async ({ call, text, options }: Asked) => {
    const vector = await encoder.encode(text, options);
    port.postMessage({ call, vector, state: encoder.state } satisfies Answered);
  });
  port.unref();
}

/** The encoder that another thread has. Its state is that of the last answer. */
export function encoderOver(name: string, port: MessagePort): Encoder {
  const waiting = new Map<number, (answer: Answered | undefined) => void>();
  let [calls, state]: [number, EncoderState] = [0, "starting"];
  port.on("message", (answer: Answered) => {
    state = answer.state;
    waiting.get(answer.call)?.(answer);
  });
  port.unref();
  return {
    name,
    get state() {
      return state;
    },
    encode: async (text, options) => {
      const call = ++calls;
      const { promise, resolve } = Promise.withResolvers<Answered | undefined>();
      const timer = setTimeout(() => resolve(undefined), options.waitMs).unref();
      waiting.set(call, resolve);
      port.postMessage({ call, text, options } satisfies Asked);
      try {
        return (await promise)?.vector;
      } finally {
        clearTimeout(timer);
        waiting.delete(call);
      }
    },
    close: async () => {
      state = "closed";
      port.close();
    },
  };
}
