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

/** Where what was taken up last is named: its length, then so many bytes. */
const NAME = 3;
const MAX_NAME_BYTES = 160;

export type Pulse = Int32Array<SharedArrayBuffer>;

export const newPulse = (): Pulse => new Int32Array(new SharedArrayBuffer(4 * (NAME + 1) + MAX_NAME_BYTES));

const nameBytes = (pulse: Pulse): Buffer => Buffer.from(pulse.buffer, 4 * (NAME + 1), MAX_NAME_BYTES);

/** Of this thread, once it beats. */
let own: Pulse | undefined;
let ownName: Buffer | undefined;

/**
 * One request, connection or message is taken up. libuv hands out up to 48 times 1,024 ready sockets before it looks at a
 * timer again: a flood of small requests takes seconds in one turn of the loop, none of them long.
 * @param what it is, for the watchdog's last words: no query, which may hold credentials
 */
export const beatOnce = (what = ""): void => {
  if (!own) return;
  Atomics.add(own, BEATS, 1);
  own[NAME] = what === "" ? 0 : ownName!.write(what, "latin1");
};

/** Starts the pulse of the calling thread; the thread may end regardless of it. */
export const beat = (pulse: Pulse): void => {
  own = pulse;
  ownName = nameBytes(pulse);
  const once = (): void => {
    // A debugger may stop the thread for as long as it likes.
    Atomics.store(pulse, INSPECTED, inspectorUrl() === undefined ? 0 : 1);
    Atomics.add(pulse, BEATS, 1);
  };
  Atomics.store(pulse, THREAD, threadId());
  once();
  setInterval(once, BEAT_MS).unref();
};

export interface PulseReading {
  beats: number;
  thread: number;
  inspected: boolean;
  /** What the thread took up last, in visible ASCII: a stranger may have named it. "" where it said nothing. */
  what: string;
}

export const readPulse = (pulse: Pulse): PulseReading => ({
  beats: Atomics.load(pulse, BEATS),
  thread: Atomics.load(pulse, THREAD),
  inspected: Atomics.load(pulse, INSPECTED) === 1,
  what: nameBytes(pulse)
    .toString("latin1", 0, pulse[NAME])
    .replace(/[^ -~]/g, "?"),
});
