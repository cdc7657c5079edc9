// Restarts the program after a crash, and ends it when it stands still. Plain JavaScript without dependencies, because an old Node runs it.

/** The watchdog ended the program (src/threads/watchdog.ts). */
const HUNG = 5;
/** Signals of a crash, of the out-of-memory killer, or of the watchdog; never of a stop request. */
const CRASHES = new Set(["SIGABRT", "SIGBUS", "SIGFPE", "SIGILL", "SIGKILL", "SIGSEGV", "SIGTRAP"]);
/** Back-off before a restart: doubled each time, and reset after the program ran for five minutes. */
const FIRST_PAUSE_MS = 1_000;
const MAX_PAUSE_MS = 60_000;
const QUIET_MS = 300_000;
/**
 * A child that beat (app/cli/parts.ts) and then does not for so many looks is killed: one that was stopped, whose watchdog is
 * stopped too. Looks of this process are counted, not time: a machine may sleep.
 */
const MOST_MISSED = 15;
const LOOK_EVERY_MS = 1_000;
const REQUESTS = ["SIGINT", "SIGTERM", "SIGHUP"];

/** Commands that run until they are stopped. */
export const LONG_RUNNING = new Set(["up", "front", "worker"]);

/** Back-off before a restart. @param ranMs how long the program ran @param lastMs the previous back-off, or 0 */
export const pauseAfter = (ranMs, lastMs) =>
  lastMs === 0 || ranMs >= QUIET_MS ? FIRST_PAUSE_MS : Math.min(MAX_PAUSE_MS, 2 * lastMs);

/** Kills a child whose beats stay away; one that never beat, or whose last message was another, is left alone. */
function watchBeats(child, mostMissed) {
  let missed;
  child.on("message", (message) => {
    missed = message === "beat" ? 0 : undefined;
  });
  const looks = setInterval(() => {
    if (missed === undefined || ++missed < mostMissed) return;
    missed = undefined;
    console.error(`bridge stood still for ${(mostMissed * LOOK_EVERY_MS) / 1_000} s; ending it`);
    child.kill("SIGKILL");
  }, LOOK_EVERY_MS);
  child.once("exit", () => clearInterval(looks));
}

/** Calls back once when the process that started this one has ended. */
function whenOrphaned(ended) {
  const parent = process.ppid;
  const looks = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(looks);
    ended();
  }, LOOK_EVERY_MS);
  looks.unref();
}

/**
 * Runs a child and exits with its status; restarts it after a crash if `restart`.
 * @param start starts the child and returns it
 */
export function supervise(start, restart, mostMissed = MOST_MISSED) {
  const state = { child: undefined };
  let pauseMs = 0;
  let waiting;
  let asked = false;
  const begin = () => {
    waiting = undefined;
    const startedAt = Date.now();
    state.child = start();
    if (restart) watchBeats(state.child, mostMissed);
    state.child.on("exit", (code, signal) => {
      if (!restart || asked || !(code === HUNG || CRASHES.has(signal)))
        process.exit(signal ? 128 + 15 : (code ?? 1));
      pauseMs = pauseAfter(Date.now() - startedAt, pauseMs);
      const how = signal ? `by ${signal}` : `with code ${code}`;
      console.error(`bridge ended ${how}; restarting in ${pauseMs / 1_000} s`);
      waiting = setTimeout(begin, pauseMs);
    });
  };
  for (const signal of REQUESTS)
    process.on(signal, () => {
      asked = true;
      // No child is running.
      if (waiting) process.exit(0);
    });
  // npm hands a signal to its shell alone, which ends without us.
  if (restart && process.env.npm_lifecycle_event) whenOrphaned(() => process.emit("SIGTERM"));
  begin();
  return state;
}
