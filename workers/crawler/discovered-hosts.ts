/** Hosts that beacons name, sent to gossip in batches: visits that end within a moment of each other share one message. */
import { setTimeout as delay } from "node:timers/promises";
import { type Discovered, MAX_HEARD } from "./contract.ts";

const BATCH_MS = 20;

/**
 * @param publish stores one message; resolves when the broker has it
 * @returns a function that resolves when what it was given is stored, so that a visit can be acked after it
 */
export const createDiscoveryEmitter = (
  publish: (batch: Discovered[]) => Promise<unknown>,
): ((discovered: Discovered) => Promise<void>) => {
  let waiting: { batch: Discovered[]; sent: Promise<void> } | undefined;
  const open = () => {
    const batch: Discovered[] = [];
    const sent = delay(BATCH_MS).then(async () => {
      if (waiting?.batch === batch) waiting = undefined;
      await publish(batch);
    });
    return { batch, sent };
  };
  return (discovered) => {
    waiting ??= open();
    const { batch, sent } = waiting;
    batch.push(discovered);
    // A full batch takes no more; it leaves when its time is up.
    if (batch.length >= MAX_HEARD) waiting = undefined;
    return sent;
  };
};
