/** The inside of the watchdog's thread: looks at the others four times a second, and ends the process that hangs. */
import { writeSync } from "node:fs";
import { Session } from "node:inspector";
import { parentPort, workerData } from "node:worker_threads";
import { writeEnding } from "./endings.ts";
import { threadState } from "./processor-time.ts";
import { readPulse } from "./pulse.ts";
import { TurnWatch } from "./turn-watch.ts";
import { VisitJournal } from "./visit-journal.ts";
import type { WatchdogData, WatchdogMessage, Watched } from "./watchdog.ts";

const LOOK_EVERY_MS = 250;
/** Modules are compiled and schemas made in turns of some hundred milliseconds. */
const STARTING_TIMES = 10;
/** The main thread cannot leave a call that blocks: it is given this long to end by itself. */
const GRACE_MS = 3_000;

const { watched, journal, ready, endings, exitCode } = workerData as WatchdogData;
const visits = new VisitJournal(journal);
const threads = new Map<number, { thread: Watched; turns: TurnWatch }>();

const watch = (thread: Watched): void =>
  void threads.set(thread.id, { thread, turns: new TurnWatch(LOOK_EVERY_MS) });

/** One line for the operator, past every stream that another thread would have to serve. */
const say = (line: string): void => {
  try {
    writeSync(2, `${line}\n`);
  } catch {
    // Nobody reads standard error.
  }
};

/**
 * Has the main thread exit with our code, which only it can: V8 serves its inspector between any two steps of a script,
 * and its exit handlers end the broker. One that is blocked in a call is killed.
 */
const endProcess = (): void => {
  setTimeout(() => process.kill(process.pid, "SIGKILL"), GRACE_MS);
  const session = new Session();
  session.connectToMainThread();
  session.post("Runtime.evaluate", { expression: `process.exit(${exitCode})` });
};

const end = (name: string, why: string, what: string): void => {
  clearInterval(looking);
  const { hosts, current } = visits.read();
  const suspects = current === undefined ? `${hosts.length} visits under way` : `handling ${current}`;
  const last = what === "" ? "" : `, took up ${what} last`;
  say(`bridge: the thread ${name} ${why} (${suspects}${last}); ending the process with code ${exitCode}`);
  try {
    writeEnding(endings, { v: 1, at: new Date().toISOString(), thread: name, why, hosts, current });
  } catch (error) {
    say(`bridge: the visits under way cannot be written to ${endings}: ${String(error)}`);
  }
  endProcess();
};

let lookedAt = performance.now();
const look = (): void => {
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
    end(thread.name, why, what);
    return;
  }
};

for (const thread of watched) watch(thread);
parentPort!.on("message", (message: WatchdogMessage) => {
  if ("watch" in message) watch(message.watch);
  else threads.delete(message.forget);
});
const looking = setInterval(look, LOOK_EVERY_MS);
