/**
 * The watchdog: a thread that ends this process when another of its threads does not come back from one turn of its event
 * loop, so that what starts the process again has something to start. What no thread can do for itself. Strangers' pages
 * are read in threads with a deadline (pool.ts): this is the last resort for what is left (docs/operators.md).
 *
 * Each watched thread has a pulse: a count that its event loop raises ten times a second, and for each request that it takes
 * up, in memory that the watchdog reads. While it stands, the thread does one thing, which it named.
 */
import { writeSync } from "node:fs";
import { url as inspectorUrl, Session } from "node:inspector";
import { parentPort, Worker, workerData } from "node:worker_threads";
import { type ThreadState, threadId, threadState } from "./processor-time.ts";

/** The process's exit code when the watchdog ended it (app/supervisor.mjs starts it again). */
export const HUNG_EXIT_CODE = 5;

const BEAT_MS = 100;
/** The watchdog's own tick. */
const TICK_MS = 250;
/** Modules are compiled and schemas made in turns of some hundred milliseconds. */
const STARTING_TIMES = 10;
/** The main thread cannot leave a call that blocks: it is given this long to end by itself. */
const GRACE_MS = 3_000;

/** How long a thread may be in one turn of its event loop. */
export interface LoopTurnLimits {
  /** Milliseconds of processor time. */
  cpuMs: number;
  /** Milliseconds of the watchdog's own ticks in which the thread waited in a call. */
  blockedMs: number;
}

/** A thread whose turns handle what strangers sent. */
const MAIN_LOOP_LIMITS: LoopTurnLimits = { cpuMs: 1_000, blockedMs: 10_000 };
/**
 * A thread that reads or writes the index: a query over a million sites is work by their number. Ending the process for
 * one would be worse than waiting for it.
 */
export const INDEX_LOOP_LIMITS: LoopTurnLimits = { cpuMs: 10_000, blockedMs: 30_000 };

/** Places in a pulse's memory: its count, the system's id of the thread, whether it is inspected, and the length of a name. */
const [BEATS, THREAD, INSPECTED, NAME] = [0, 1, 2, 3];
const MAX_NAME_BYTES = 160;

export type ThreadPulse = Int32Array<SharedArrayBuffer>;

const nameBytes = (pulse: ThreadPulse): Buffer => Buffer.from(pulse.buffer, 4 * (NAME + 1), MAX_NAME_BYTES);

/** Of this thread, once it beats. */
let own: ThreadPulse | undefined;
let ownName: Buffer | undefined;

export interface PulseReading {
  /** 0: it has not begun to beat. */
  beats: number;
  thread: number;
  inspected: boolean;
  /** What the thread took up last, in visible ASCII: a stranger may have named it. "" where it said nothing. */
  what: string;
}

export const readPulse = (pulse: ThreadPulse): PulseReading => ({
  beats: Atomics.load(pulse, BEATS),
  thread: Atomics.load(pulse, THREAD),
  inspected: Atomics.load(pulse, INSPECTED) === 1,
  what: nameBytes(pulse)
    .toString("latin1", 0, pulse[NAME])
    .replace(/[^ -~]/g, "?"),
});

interface Watched {
  id: number;
  name: string;
  pulse: ThreadPulse;
  limits: LoopTurnLimits;
}

/** To the watchdog: watch this thread, or stop watching the one of this id. */
type Message = { watch: Watched } | { forget: number };

interface WatchdogData {
  watchdog: true;
  watched: Watched[];
  /** 0 while the process starts, 1 once it is ready. */
  ready: Int32Array<SharedArrayBuffer>;
}

const watched = new Map<ThreadPulse, Watched>();
let ids = 0;
let dog: Worker | undefined;

export interface Watchdog {
  /** From now on a turn may take no longer than the limit; while a process starts, ten times that. */
  ready(): void;
}

/** One look at a thread. */
export interface ThreadSample extends Pick<PulseReading, "beats" | "inspected"> {
  /** undefined where the system tells nothing of threads. */
  state: ThreadState | undefined;
  /** Milliseconds since the watchdog looked last, by the clock. */
  sinceMs: number;
}

/** Follows one thread, look by look: whether it has been in one turn for too long, by what it used or by how long it was blocked. */
export class LoopTurnWatch {
  #beats = 0;
  #cpuMs = 0;
  #blockedMs = 0;

  /** @returns why the thread is hung, or undefined */
  look(
    { beats, inspected, state, sinceMs }: ThreadSample,
    { cpuMs, blockedMs }: LoopTurnLimits,
  ): string | undefined {
    if (beats !== this.#beats || beats === 0) {
      this.#beats = beats;
      this.#cpuMs = state?.cpuMs ?? 0;
      this.#blockedMs = 0;
      return undefined;
    }
    const usedMs = state ? state.cpuMs - this.#cpuMs : 0;
    if (usedMs > cpuMs) return `used ${usedMs} ms of processor time in one turn`;
    // A process that was stopped, or whose machine slept, kept the watchdog from ticking, too: a tick is worth no more
    // than a tick. A thread that wants to run is starved by others, and one that is stopped is so by somebody's will.
    const waits = state === undefined || state.state === "S" || state.state === "D";
    if (waits && !inspected) this.#blockedMs += Math.min(sinceMs, TICK_MS);
    if (this.#blockedMs > blockedMs) return `was blocked for ${Math.round(this.#blockedMs)} ms in one turn`;
    return undefined;
  }
}

const given = workerData as Partial<WatchdogData> | null;
if (given?.watchdog) guard(given as WatchdogData);

/**
 * One request, connection, message or visited host's reply is taken up. libuv hands out up to 48 times 1,024 ready sockets
 * before it looks at a timer again: a flood of small requests takes seconds in one turn of the loop, none of them long.
 * @param what it is, for the watchdog's last words: no query, which may hold credentials
 */
export function beatOnce(what = ""): void {
  if (!own) return;
  Atomics.add(own, BEATS, 1);
  own[NAME] = what === "" ? 0 : ownName!.write(what, "latin1");
}

/** The thread is about to end. */
export function forgetThread(pulse: ThreadPulse): void {
  const entry = watched.get(pulse);
  if (!entry) return;
  watched.delete(pulse);
  tell({ forget: entry.id });
}

const tell = (message: Message): void => dog?.postMessage(message);

/**
 * Threads of this process whose event loop makes no turn within `waitMs`, by name. A loop that turns is known at once, after
 * the next beat; a thread that has not begun to beat is starting, and one under a debugger may stand.
 */
export async function standingThreads(waitMs: number): Promise<string[]> {
  const beatsOf = ({ pulse }: Watched): number => readPulse(pulse).beats;
  let standing = [...watched.values()]
    .map((thread) => ({ thread, beats: beatsOf(thread) }))
    .filter(({ thread, beats }) => beats > 0 && !readPulse(thread.pulse).inspected);
  const giveUpAt = performance.now() + waitMs;
  while (standing.length > 0 && performance.now() < giveUpAt) {
    await new Promise((resolve) => setTimeout(resolve, BEAT_MS).unref());
    standing = standing.filter(({ thread, beats }) => watched.has(thread.pulse) && beatsOf(thread) === beats);
  }
  return standing.map(({ thread }) => thread.name);
}

/** Starts to watch this thread, and those that `watchThread` named. */
export function startWatchdog(): Watchdog {
  const ready = new Int32Array(new SharedArrayBuffer(4));
  beat(watchThread("main", MAIN_LOOP_LIMITS));
  dog = new Worker(new URL(import.meta.url), {
    name: "watchdog",
    workerData: { watchdog: true, watched: [...watched.values()], ready } satisfies WatchdogData,
    resourceLimits: { maxOldGenerationSizeMb: 16, maxYoungGenerationSizeMb: 2, stackSizeMb: 1 },
  });
  dog.unref();
  return { ready: () => void Atomics.store(ready, 0, 1) };
}

/** Starts the pulse of the calling thread; the thread may end regardless of it. */
export function beat(pulse: ThreadPulse): void {
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
}

/** A pulse for a thread of this process, which calls `beat` with it once it is ready: it is watched from then on. */
export function watchThread(name: string, limits: LoopTurnLimits): ThreadPulse {
  const pulse = newPulse();
  const entry = { id: ++ids, name, pulse, limits };
  watched.set(pulse, entry);
  tell({ watch: entry });
  return pulse;
}

export const newPulse = (): ThreadPulse =>
  new Int32Array(new SharedArrayBuffer(4 * (NAME + 1) + MAX_NAME_BYTES));

/** The inside of the watchdog's thread: looks at the others four times a second. */
function guard({ watched: first, ready }: WatchdogData): void {
  const threads = new Map<number, { thread: Watched; turns: LoopTurnWatch }>();
  const watch = (thread: Watched): void =>
    void threads.set(thread.id, { thread, turns: new LoopTurnWatch() });
  first.forEach(watch);
  parentPort!.on("message", (message: Message) => {
    if ("watch" in message) watch(message.watch);
    else threads.delete(message.forget);
  });
  let lookedAt = performance.now();
  const looking = setInterval(() => {
    const now = performance.now();
    const sinceMs = now - lookedAt;
    lookedAt = now;
    const times = Atomics.load(ready, 0) === 1 ? 1 : STARTING_TIMES;
    for (const { thread, turns } of threads.values()) {
      const { beats, thread: id, inspected, what } = readPulse(thread.pulse);
      const { cpuMs, blockedMs } = thread.limits;
      const limits = { cpuMs: cpuMs * times, blockedMs: blockedMs * times };
      const why = turns.look({ beats, inspected, state: threadState(id), sinceMs }, limits);
      if (why === undefined) continue;
      clearInterval(looking);
      return endProcess(thread.name, why, what);
    }
  }, TICK_MS);
}

/**
 * Has the main thread exit with our code, which only it can: V8 serves its inspector between any two steps of a script,
 * and its exit handlers end the broker. One that is blocked in a call is killed.
 */
function endProcess(name: string, why: string, what: string): void {
  const last = what === "" ? "" : ` (took up ${what} last)`;
  try {
    // Past every stream that another thread would have to serve.
    writeSync(
      2,
      `bridge: the thread ${name} ${why}${last}; ending the process with code ${HUNG_EXIT_CODE}\n`,
    );
  } catch {
    // Nobody reads standard error.
  }
  setTimeout(() => process.kill(process.pid, "SIGKILL"), GRACE_MS);
  const session = new Session();
  session.connectToMainThread();
  session.post("Runtime.evaluate", { expression: `process.exit(${HUNG_EXIT_CODE})` });
}
