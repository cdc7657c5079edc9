/**
 * Lines before addresses: probes of hosts that share one wait here without a permit of the process, so that a hoster's fifty sites
 * leave permits to others. Politeness itself is the gate's (src/egress/gate.ts).
 */
import PQueue from "p-queue";

/** Probes at once at one address: while one rests for its host's pause, others have the address. */
const AT_ONE_ADDRESS = 8;
/** Waiting before one address; past them a probe is "busy". */
const MAX_IN_LINE = 2_000;

export interface Lines {
  /**
   * Queues `work`. @param priority the higher goes first
   * @returns undefined where the line is full
   */
  enter<T>(address: string, priority: number, work: () => Promise<T>): Promise<T> | undefined;
  /** How many are before one who comes now. */
  length(address: string): number;
}

export function createLines(): Lines {
  const lines = new Map<string, PQueue>();
  const lineOf = (address: string): PQueue => {
    const known = lines.get(address);
    if (known) return known;
    const line = new PQueue({ concurrency: AT_ONE_ADDRESS });
    lines.set(address, line);
    return line;
  };
  return {
    enter: (address, priority, work) => {
      const line = lineOf(address);
      if (line.size >= MAX_IN_LINE) return undefined;
      return line.add(work, { priority }).finally(() => {
        if (line.size + line.pending === 0) lines.delete(address);
      });
    },
    length: (address) => {
      const line = lines.get(address);
      return line ? line.size + line.pending : 0;
    },
  };
}
