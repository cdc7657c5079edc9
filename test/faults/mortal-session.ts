/**
 * A session worker that kills itself, with SIGKILL, at a given step of the command that it is armed for: a step is the moment
 * before or after one of its writes to the broker. Those of the gate stand right before and after requests to the site.
 */
import { createMetrics } from "../../app/processes/metrics.ts";
import { openRuntime } from "../../app/processes/runtime.ts";
import { startRoles } from "../../app/processes/start-roles.ts";
import type { Bucket } from "../../src/ports/buckets.ts";
import type { Config } from "../../src/runtime/config.ts";

export interface MortalOptions {
  config: Config;
  natsUrl: string;
  ca: string;
  /** The step at which it dies once armed; Infinity: it lives. */
  dieAt: number;
}

const { config, natsUrl, ca, dieAt } = JSON.parse(process.env.MORTAL_OPTIONS!) as MortalOptions;
const runtime = await openRuntime(config, natsUrl, { ca: [ca] });

let armed = false;
let steps = 0;
function step(): void {
  if (armed && ++steps === dieAt) process.kill(process.pid, "SIGKILL");
}

const WATCHED = ["sessions", "receipts", "gate"] as const;
for (const name of WATCHED) {
  const bucket = runtime.broker.buckets[name] as { -readonly [K in keyof Bucket]: Bucket[K] };
  const { put, compareAndSet } = bucket;
  bucket.put = async (...written) => {
    step();
    const revision = await put.apply(bucket, written);
    step();
    return revision;
  };
  bucket.compareAndSet = async (...written) => {
    step();
    const revision = await compareAndSet.apply(bucket, written);
    step();
    return revision;
  };
}

await startRoles(runtime, ["session"], createMetrics());
process.on("message", () => {
  armed = true;
  process.send!("armed");
});
process.send!("ready");
