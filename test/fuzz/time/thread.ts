/** The inside of a thread that runs one parser: told an input, it says what it cost of the processor. */
import { parentPort, workerData } from "node:worker_threads";
import { processorWatch } from "../../support/processor-watch.ts";
import type { SeenExpression } from "./expressions.ts";
import { PARSERS } from "./parsers.ts";

export interface Order {
  input: string;
  /** Also say which expressions ran: slow, for those are then watched. */
  watch?: boolean;
}
export type Answer =
  | { ready: true }
  | { ready: false; error: string }
  | { cpuMs: number; expressions?: SeenExpression[]; threw?: string };

const port = parentPort!;
const { name, natsUrl } = workerData as { name: string; natsUrl: string | undefined };
const parser = PARSERS.find((one) => one.name === name)!;

/**
 * Runs `work` while every expression that is executed is noted. Built-in methods ask `exec` where it is not the built-in.
 * Leaves the thread's expressions slow: nothing is timed in it.
 */
async function watching(work: () => unknown): Promise<SeenExpression[]> {
  const seen = new Map<string, SeenExpression>();
  const { exec } = RegExp.prototype;
  RegExp.prototype.exec = function (this: RegExp, text: string) {
    seen.set(`/${this.source}/${this.flags}`, { source: this.source, flags: this.flags });
    return exec.call(this, text);
  };
  try {
    await work();
  } finally {
    RegExp.prototype.exec = exec;
  }
  return [...seen.values()];
}

let run: (input: string) => unknown;
try {
  run = await parser.load({ natsUrl });
  for (const input of parser.examples) await run(input);
  port.postMessage({ ready: true } satisfies Answer);
} catch (error) {
  port.postMessage({ ready: false, error: String((error as Error).stack ?? error) } satisfies Answer);
}

port.on("message", async ({ input, watch }: Order) => {
  let threw: string | undefined;
  const once = async (): Promise<void> => {
    try {
      await run(input);
    } catch (error) {
      threw = String((error as Error).message ?? error);
    }
  };
  const expressions = watch ? await watching(once) : undefined;
  const spentMs = processorWatch();
  if (!watch) await once();
  port.postMessage({
    cpuMs: spentMs(),
    ...(expressions && { expressions }),
    ...(threw !== undefined && { threw }),
  } satisfies Answer);
});
