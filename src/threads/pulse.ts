/**
 * The pulse of a thread: a count that its event loop raises ten times a second, and for each request that it takes up, in
 * memory that the watchdog reads. While it stands, the thread does one thing.
 */
import { url as inspectorUrl } from "node:inspector";
import { threadId } from "./processor-time.ts";

const BEAT_MS = 100;

/** Places in a pulse's memory. */
const BEATS = 0;
const THREAD = 1;
const INSPECTED = 2;

export type Pulse = Int32Array<SharedArrayBuffer>;

export const newPulse = (): Pulse => new Int32Array(new SharedArrayBuffer(12));

/** Of this thread, once it beats. */
let own: Pulse | undefined;

/**
 * One request, connection or message is taken up. libuv hands out up to 48 times 1,024 ready sockets before it looks at a
 * timer again: a flood of small requests takes seconds in one turn of the loop, none of them long.
 */
export const beatOnce = (): void => {
  if (own) Atomics.add(own, BEATS, 1);
};

/** Starts the pulse of the calling thread; the thread may end regardless of it. */
export const beat = (pulse: Pulse): void => {
  own = pulse;
  const once = (): void => {
    // A debugger may stop the thread for as long as it likes.
    Atomics.store(pulse, INSPECTED, inspectorUrl() === undefined ? 0 : 1);
    Atomics.add(pulse, BEATS, 1);
  };
  Atomics.store(pulse, THREAD, threadId());
  once();
  setInterval(once, BEAT_MS).unref();
};

export const readPulse = (pulse: Pulse): { beats: number; thread: number; inspected: boolean } => ({
  beats: Atomics.load(pulse, BEATS),
  thread: Atomics.load(pulse, THREAD),
  inspected: Atomics.load(pulse, INSPECTED) === 1,
});
