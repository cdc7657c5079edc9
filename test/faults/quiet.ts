/** Waiting for a machine that has nothing else to do, for tests that judge by the clock. */
import { cpus } from "node:os";

const LOOK_MS = 1_000;
const IDLE_SHARE = 0.6;
const MOST_LOOKS = 60;

/** Milliseconds that all processors were idle, and that passed on them. */
const processorMs = () =>
  cpus()
    .map(({ times }) => times)
    .reduce(
      ({ idle, all }, times) => ({
        idle: idle + times.idle,
        all: all + Object.values(times).reduce((sum, ms) => sum + ms, 0),
      }),
      { idle: 0, all: 0 },
    );

/** Resolves once the processors were mostly idle for a second; after a minute anyway, with a line that says so. */
export async function untilQuiet(): Promise<void> {
  for (let look = 0; look < MOST_LOOKS; look++) {
    const before = processorMs();
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    const now = processorMs();
    if (now.idle - before.idle >= IDLE_SHARE * (now.all - before.all)) return;
  }
  process.stdout.write("The machine is busy with other work: what is late may be late by that.\n");
}
