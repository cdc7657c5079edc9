/** A process with a watchdog, whose main thread or worker goes wrong as its argument says. */
import { spawnSync } from "node:child_process";
import { isMainThread, Worker, workerData } from "node:worker_threads";
import { beat, beatOnce, startWatchdog, type ThreadPulse, watchThread } from "../../src/threads/watchdog.ts";

function hang(): void {
  for (;;);
}

const WAYS: Record<string, () => void> = {
  loop: hang,
  expression: () => void /^(a+)+$/.test(`${"a".repeat(60)}!`),
  /** One promise after the other: the loop never turns. */
  promises: () => {
    const again = (): Promise<void> => Promise.resolve().then(again);
    void again();
  },
  "blocked in a call": () => void spawnSync("sleep", ["60"]),
  "handling one host": () => {
    beatOnce("what culprit.example sent");
    hang();
  },
  "a worker": () => {
    const pulse = watchThread("role", { cpuMs: 1_000, blockedMs: 10_000 });
    new Worker(new URL(import.meta.url), { workerData: pulse });
  },
  /** As when a thousand sockets are ready at once: all in one turn of the loop. */
  "many requests": () => {
    const until = performance.now() + 1_700;
    while (performance.now() < until) beatOnce();
    console.log("all answered");
    setInterval(() => undefined, 1_000);
  },
  nothing: () => setInterval(() => undefined, 1_000),
};

if (isMainThread) {
  const [way] = process.argv.slice(2);
  process.on("exit", (code) => console.log(`exit handlers run with ${code}`));
  const watchdog = startWatchdog();
  watchdog.ready();
  // In a turn of its own, once the watchdog has seen this process turn.
  setTimeout(() => {
    console.log("begins");
    WAYS[way!]!();
  }, 600);
} else {
  beat(workerData as ThreadPulse);
  setTimeout(hang, 600);
}
