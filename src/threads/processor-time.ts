/**
 * Processor time of one thread as another sees it: Linux tells it by the thread's id, in ticks of 10 ms
 * (/proc/self/task/<id>/stat, proc(5)); elsewhere nobody does, and callers go by the clock.
 */
import { readFileSync, readlinkSync } from "node:fs";

/** `getconf CLK_TCK`: 100 on every platform that Node runs on. */
const MS_A_TICK = 10;

/** The system's id of the calling thread; 0 where it does not tell. */
export const threadId = (): number => {
  try {
    return Number(/\/(\d+)$/.exec(readlinkSync("/proc/thread-self"))?.[1] ?? 0);
  } catch {
    return 0;
  }
};

export interface ThreadState {
  /** Milliseconds on the processor since the thread began. */
  cpuMs: number;
  /** R runs or wants to, S and D wait in a call, T and t are stopped (proc(5)). */
  state: string;
}

/** @returns undefined where the system does not tell, or the thread has ended */
export const threadState = (id: number): ThreadState | undefined => {
  if (id === 0) return undefined;
  try {
    const text = readFileSync(`/proc/self/task/${id}/stat`, "latin1");
    // The second field is a name in parentheses that may hold anything; the third follows its last one.
    const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
    return { state: fields[0]!, cpuMs: (Number(fields[11]) + Number(fields[12])) * MS_A_TICK };
  } catch {
    return undefined;
  }
};

/** Notes, for another thread, which thread begins and what it had used till now. */
export const markStart = (started: BigInt64Array): void => {
  const id = threadId();
  Atomics.store(started, 1, BigInt(threadState(id)?.cpuMs ?? 0));
  Atomics.store(started, 0, BigInt(id));
};

/** Milliseconds that the noted thread has used since; 0 before it began, and where the system does not tell. */
export const usedMs = (started: BigInt64Array): number => {
  const now = threadState(Number(Atomics.load(started, 0)));
  return now ? now.cpuMs - Number(Atomics.load(started, 1)) : 0;
};
