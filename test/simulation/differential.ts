/** Holds the model to a real nats-server: sequences of random operations, on both. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ensureNatsServer } from "../../deploy/nats-server.ts";
import { systemClock } from "../../src/adapters/clock/system-clock.ts";
import { openBroker } from "../../src/adapters/nats/broker.ts";
import { startBrokerServer } from "../../src/adapters/nats/server.ts";
import { DEFAULT_STORE_BYTES } from "../../src/ports/storage.ts";
import { operate } from "./broker-operations.ts";
import { onModel } from "./model-run.ts";

/** Lines before a difference that are told with it. */
const BEFORE = 10;

async function compareOne(url: string, seed: number, count: number): Promise<string | undefined> {
  const asked = { seed, count };
  const options = { url, prefix: `sequence${seed}`, name: "differential", clock: systemClock, setUp: true };
  const broker = await openBroker(options);
  try {
    const real = await operate(broker, systemClock, asked);
    const model = await onModel(seed, (own, clock) => operate(own, clock, asked));
    const at = real.findIndex((line, i) => line !== model[i]);
    if (at < 0) return undefined;
    const before = real.slice(Math.max(0, at - BEFORE), at);
    return [...before, `nats-server: ${real[at]}`, `the model: ${model[at]}`].join("\n  ");
  } finally {
    await broker.close();
  }
}

/**
 * Compares sequences, one after the other.
 * @returns how many differ
 */
export async function compareSequences(
  seeds: readonly number[],
  count: number,
  say: (line: string) => void,
): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), "bridge-differential-"));
  const storeBytes = (seeds.length + 1) * DEFAULT_STORE_BYTES;
  const server = await startBrokerServer({ binary: await ensureNatsServer(say), folder, storeBytes });
  let differ = 0;
  try {
    for (const seed of seeds) {
      const difference = await compareOne(server.url, seed, count);
      if (difference !== undefined) differ++;
      say(
        `seed ${seed}, ${count} operations: ${difference === undefined ? "equal" : `DIFFERENT\n  ${difference}`}`,
      );
    }
  } finally {
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  }
  return differ;
}
