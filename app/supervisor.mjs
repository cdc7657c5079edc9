// Starts the program again when it ended by a fault. Plain JavaScript without dependencies, for an old Node runs it.

/** The watchdog ended the program (src/threads/watchdog.ts). */
const HUNG = 5;
/** The program ended by a fault of its own or for want of memory, or was killed by the watchdog: not on request. */
const CRASHES = new Set(["SIGABRT", "SIGBUS", "SIGFPE", "SIGILL", "SIGKILL", "SIGSEGV", "SIGTRAP"]);
/** Pause before a restart: doubled each time, and from the start again once the program ran for five minutes. */
const FIRST_PAUSE_MS = 1_000;
const MAX_PAUSE_MS = 60_000;
const QUIET_MS = 300_000;
const REQUESTS = ["SIGINT", "SIGTERM", "SIGHUP"];

/** Commands that run until they are stopped. */
export const LONG_RUNNING = new Set(["up", "front", "worker"]);

/** How long to wait before a restart. @param ranMs how long the program ran @param lastMs the pause before that, or 0 */
export const pauseAfter = (ranMs, lastMs) =>
  lastMs === 0 || ranMs >= QUIET_MS ? FIRST_PAUSE_MS : Math.min(MAX_PAUSE_MS, 2 * lastMs);

/**
 * Runs a child and ends this process as the child ended; one that ended by a fault is started again if `restart`.
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
      console.error(`bridge ended ${how}; it is started again in ${pauseMs / 1_000} s`);
      waiting = setTimeout(begin, pauseMs);
    });
  };
  for (const signal of REQUESTS)
    process.on(signal, () => {
      asked = true;
      // Nobody is there to be asked.
      if (waiting) process.exit(0);
    });
  begin();
  return state;
};
