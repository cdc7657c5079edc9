/**
 * Processor time of one thread as another sees it: Linux tells it by the thread's id, in ticks of 10 ms
 * (/proc/self/task/<id>/stat, proc(5)); elsewhere nobody does, and callers go by the clock.
 */
import { readFileSync, readlinkSync } from "node:fs";
import { getPriority, setPriority } from "node:os";

/** `getconf CLK_TCK`: 100 on every platform that Node runs on. */
const MS_A_TICK = 10;

/** A third of an event loop's share where they compete (sched(7)): enough for a page to be read within its time. */
const GIVES_WAY_BY = 5;
const LEAST_PRIORITY = 19;

export interface ThreadState {
  /** Milliseconds on the processor since the thread began. */
  cpuMs: number;
  /** R runs or wants to, S and D wait in a call, T and t are stopped (proc(5)). */
  state: string;
}

/**
 * Has the calling thread give way to the process's event loops, which answer, refuse and keep leases: where all processors are in use,
 * pages of strangers wait first. Linux takes a thread's id for a process's (setpriority(2)); elsewhere nothing is done.
 *
 * @returns the thread's priority now, from -20 (most) to 19 (least); 0 where the system does not tell
 */
export function giveWay(): number {
  const id = threadId();
  if (id === 0) return 0;
  const priority = Math.min(getPriority(id) + GIVES_WAY_BY, LEAST_PRIORITY);
  setPriority(id, priority);
  return priority;
}

/** The system's id of the calling thread; 0 where it does not tell. */
export function threadId(): number {
  try {
    return Number(/\/(\d+)$/.exec(readlinkSync("/proc/thread-self"))?.[1] ?? 0);
  } catch {
    return 0;
  }
}

/** Notes, for another thread, which thread begins and what it had used till now. */
export function markStart(started: BigInt64Array): void {
  const id = threadId();
  Atomics.store(started, 1, BigInt(threadState(id)?.cpuMs ?? 0));
  Atomics.store(started, 0, BigInt(id));
}

/** @returns undefined where the system does not tell, or the thread has ended */
export function threadState(id: number): ThreadState | undefined {
  if (id === 0) return undefined;
  try {
    const text = readFileSync(`/proc/self/task/${id}/stat`, "latin1");
    // The second field is a name in parentheses that may hold anything; the third follows its last one.
    const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
    return { state: fields[0]!, cpuMs: (Number(fields[11]) + Number(fields[12])) * MS_A_TICK };
  } catch {
    return undefined;
  }
}

/** Milliseconds that the noted thread has used since; 0 before it began, and where the system does not tell. */
export function usedMs(started: BigInt64Array): number {
  const now = threadState(Number(Atomics.load(started, 0)));
  return now ? now.cpuMs - Number(Atomics.load(started, 1)) : 0;
}
