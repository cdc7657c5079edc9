/**
 * The watchdog: a thread that ends this process when another of its threads does not come back from one turn of its event
 * loop, so that what starts the process again has something to start. What no thread can do for itself.
 */
import { Worker } from "node:worker_threads";
import { beat, newPulse, type Pulse, readPulse } from "./pulse.ts";
import type { TurnLimits } from "./turn-watch.ts";
import { visitJournal } from "./visit-journal.ts";

/** The process's exit code when the watchdog ended it (app/supervisor.mjs starts it again). */
export const HUNG_EXIT_CODE = 5;

export interface Watched {
  id: number;
  name: string;
  pulse: Pulse;
  limits: TurnLimits;
}

export interface WatchdogData {
  watched: Watched[];
  journal: SharedArrayBuffer;
  /** 0 while the process starts, 1 once it is ready. */
  ready: Int32Array<SharedArrayBuffer>;
  /** Folder where the visits under way are written down at the end. */
  endings: string;
  exitCode: number;
}

/** To the watchdog: watch this thread, or stop watching the one of this id. */
export type WatchdogMessage = { watch: Watched } | { forget: number };

/** A thread whose turns handle what strangers sent. */
const TURN_BLOCKED_MS = 10_000;
/**
 * A thread that reads or writes the index: a query over a million sites is work by their number. Ending the process for
 * one would be worse than waiting for it.
 */
export const INDEX_TURNS: TurnLimits = { cpuMs: 10_000, blockedMs: 30_000 };

const watched = new Map<Pulse, Watched>();
let ids = 0;
let dog: Worker | undefined;

const tell = (message: WatchdogMessage): void => dog?.postMessage(message);

/** A pulse for a thread of this process, which calls `beat` with it once it is ready: it is watched from then on. */
export const watchThread = (name: string, limits: TurnLimits): Pulse => {
  const pulse = newPulse();
  const entry = { id: ++ids, name, pulse, limits };
  watched.set(pulse, entry);
  tell({ watch: entry });
  return pulse;
};

/** The thread is about to end. */
export const forgetThread = (pulse: Pulse): void => {
  const entry = watched.get(pulse);
  if (!entry) return;
  watched.delete(pulse);
  tell({ forget: entry.id });
};

const LOOK_EVERY_MS = 100;

/**
 * Threads of this process whose event loop makes no turn within `waitMs`, by name. A loop that turns is known at once, after
 * the next beat; a thread that has not begun to beat is starting, and one under a debugger may stand.
 */
export const standingThreads = async (waitMs: number): Promise<string[]> => {
  const beatsOf = ({ pulse }: Watched): number => readPulse(pulse).beats;
  let standing = [...watched.values()]
    .map((thread) => ({ thread, beats: beatsOf(thread) }))
    .filter(({ thread, beats }) => beats > 0 && !readPulse(thread.pulse).inspected);
  const giveUpAt = performance.now() + waitMs;
  while (standing.length > 0 && performance.now() < giveUpAt) {
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS).unref());
    standing = standing.filter(({ thread, beats }) => watched.has(thread.pulse) && beatsOf(thread) === beats);
  }
  return standing.map(({ thread }) => thread.name);
};

export interface Watchdog {
  /** From now on a turn may take no longer than the limit; while a process starts, ten times that. */
  ready(): void;
}

/**
 * Starts to watch this thread, and those that `watchThread` named.
 * @param turnCpuMs processor time that one turn of the main thread may take, in milliseconds; 0 watches nothing
 * @param endings folder for the journal of a process that is ended
 */
export const startWatchdog = (turnCpuMs: number, endings: string): Watchdog => {
  const ready = new Int32Array(new SharedArrayBuffer(4));
  if (turnCpuMs > 0) {
    beat(watchThread("main", { cpuMs: turnCpuMs, blockedMs: TURN_BLOCKED_MS }));
    const data: WatchdogData = {
      watched: [...watched.values()],
      journal: visitJournal.buffer,
      ready,
      endings,
      exitCode: HUNG_EXIT_CODE,
    };
    dog = new Worker(new URL("./watchdog-thread.ts", import.meta.url), {
      name: "watchdog",
      workerData: data,
      resourceLimits: { maxOldGenerationSizeMb: 16, maxYoungGenerationSizeMb: 2, stackSizeMb: 1 },
    });
    dog.unref();
  }
  return { ready: () => void Atomics.store(ready, 0, 1) };
};
