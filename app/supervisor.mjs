// Restarts the program after a crash. Plain JavaScript without dependencies, because an old Node runs it.

/** The watchdog ended the program (src/threads/watchdog.ts). */
const HUNG = 5;
/** Signals of a crash, of the out-of-memory killer, or of the watchdog; never of a stop request. */
const CRASHES = new Set(["SIGABRT", "SIGBUS", "SIGFPE", "SIGILL", "SIGKILL", "SIGSEGV", "SIGTRAP"]);
/** Back-off before a restart: doubled each time, and reset after the program ran for five minutes. */
const FIRST_PAUSE_MS = 1_000;
const MAX_PAUSE_MS = 60_000;
const QUIET_MS = 300_000;
const REQUESTS = ["SIGINT", "SIGTERM", "SIGHUP"];

/** Commands that run until they are stopped. */
export const LONG_RUNNING = new Set(["up", "front", "worker"]);

/** Back-off before a restart. @param ranMs how long the program ran @param lastMs the previous back-off, or 0 */
export const pauseAfter = (ranMs, lastMs) =>
  lastMs === 0 || ranMs >= QUIET_MS ? FIRST_PAUSE_MS : Math.min(MAX_PAUSE_MS, 2 * lastMs);

/**
 * Runs a child and exits with its status; restarts it after a crash if `restart`.
 * @param start starts the child and returns it
 */
export const supervise = (start, restart) => {
  const state = { child: undefined };
  let pauseMs = 0;
  let waiting;
  let asked = false;
  const begin = () => {
    waiting = undefined;
    const startedAt = Date.now();
    state.child = start();
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
  begin();
  return state;
};
