/** Repeats an action by the clock port: a simulation's clock then repeats it too. */
import type { Clock } from "../ports/clock.ts";

/** Calls `action` every `everyMs`, first after that long. @returns what ends it */
export function every(clock: Clock, everyMs: number, action: () => void): () => void {
  const ended = new AbortController();
  const loop = async (): Promise<void> => {
    for (;;) {
      await clock.sleep(everyMs, ended.signal);
      if (ended.signal.aborted) return;
      action();
    }
  };
  void loop();
  return () => ended.abort();
}
