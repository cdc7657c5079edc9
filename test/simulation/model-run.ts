/** Something that a client does on the model broker, in virtual time, without any fault. */
import type { NatsBroker } from "../../src/adapters/nats/nats-broker.ts";
import type { Clock } from "../../src/ports/clock.ts";
import { ModelBroker } from "./broker/model-broker.ts";
import { openOver } from "./crawler.ts";
import { Network } from "./network.ts";
import { installVirtualTime, World } from "./virtual-time.ts";

const MOST_MS = 24 * 3_600_000;
const STEP_MS = 1_000;

/** @throws when it takes more than a day of virtual time, and what it throws itself */
export async function onModel<T>(
  seed: number,
  work: (broker: NatsBroker, clock: Clock) => Promise<T>,
): Promise<T> {
  const restore = installVirtualTime();
  try {
    const world = new World(seed);
    const network = new Network(new ModelBroker(world.machine("broker")));
    const client = world.machine("client");
    let outcome: { value: T } | { error: unknown } | undefined;
    client.enter(async () => {
      try {
        const broker = await openOver(network, client, true);
        outcome = { value: await work(broker, client.clock) };
      } catch (error) {
        outcome = { error };
      }
    });
    while (!outcome && world.now < MOST_MS) await world.runUntil(world.now + STEP_MS);
    if (!outcome) throw new Error("it took more than a day");
    if ("error" in outcome) throw outcome.error;
    return outcome.value;
  } finally {
    restore();
  }
}
