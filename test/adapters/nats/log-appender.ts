/** A worker of the log as a process of its own, to be killed: appends as fast as it can and prints what was acknowledged. */

import { systemClock } from "../../../src/adapters/clock/system-clock.ts";
import { openBroker } from "../../../src/adapters/nats/broker.ts";
import { openLog } from "../../../src/adapters/nats/log.ts";
import { openIdentity } from "../../../src/stores/identity.ts";

const [url = "", prefix = "", name = ""] = process.argv.slice(2);
const broker = await openBroker({ url, prefix, name, clock: systemClock, setUp: true });
broker.connectionState.failFast();
const identity = await openIdentity(broker.buckets.service);
const log = await openLog(broker, identity, "https://registry.example", systemClock);

/** One of many that append at once, each entry until it is taken. */
async function append(lane: number): Promise<never> {
  for (let i = 0; ; i++) {
    const text = `${name} ${lane} ${i}`;
    try {
      const topic = { kind: "interaction", project: "p" } as const;
      const { leafIndex, head } = await log.append(topic, text, Buffer.from(text));
      process.stdout.write(`${JSON.stringify({ text, leafIndex, note: head.note })}\n`);
    } catch {
      // The broker is away: the same entry again, under its own id.
      i--;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }
}
await Promise.all(Array.from({ length: 16 }, (_, lane) => append(lane)));
