/**
 * A watch of this thread's time on the processor: what else the machine does is no fault of what is measured.
 * @returns what reads it, in milliseconds since
 */
export const processorWatch = (): (() => number) => {
  const before = process.threadCpuUsage();
  return () => {
    const { user, system } = process.threadCpuUsage(before);
    return (user + system) / 1_000;
  };
};
