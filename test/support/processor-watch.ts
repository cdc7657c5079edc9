/** Microseconds. A thread's own time is as of the scheduler's last tick, up to 4 ms ago, until the process's is asked for. */
function spentUs(): number {
  process.cpuUsage();
  const { user, system } = process.threadCpuUsage();
  return user + system;
}

/**
 * A watch of this thread's time on the processor: what else the machine does is no fault of what is measured.
 * @returns what reads it, in milliseconds since
 */
export function processorWatch(): () => number {
  const before = spentUs();
  return () => (spentUs() - before) / 1_000;
}
