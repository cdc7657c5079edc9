/**
 * The longest turn of this thread's event loop, in time on the processor: what holds up everybody else's requests,
 * whatever else the machine does.
 */
import { processorWatch } from "./processor-watch.ts";

const LOOK_EVERY_MS = 5;

/** @returns what ends the watch and tells the longest turn in milliseconds, some milliseconds too much at most */
export function watchTurns(): () => number {
  let longest = 0;
  let spentMs = processorWatch();
  const look = (): void => {
    longest = Math.max(longest, spentMs());
    spentMs = processorWatch();
  };
  const timer = setInterval(look, LOOK_EVERY_MS);
  return () => {
    clearInterval(timer);
    look();
    return longest;
  };
}
