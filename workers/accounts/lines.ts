/** Work of one key one after another, in this process: guesses at one password must not overtake their own count. */
import PQueue from "p-queue";

/** Log-ins that wait for their turn behind others of the same account and address. */
const MAX_WAITING = 64;

export interface Lines {
  /** @returns undefined when too many of this key wait already */
  inTurn<T>(key: string, work: () => Promise<T>): Promise<T | undefined>;
}

export const createLines = (): Lines => {
  const lines = new Map<string, { queue: PQueue; inside: number }>();
  return {
    inTurn: async (key, work) => {
      const line = lines.get(key) ?? { queue: new PQueue({ concurrency: 1 }), inside: 0 };
      if (line.inside > MAX_WAITING) return undefined;
      line.inside += 1;
      lines.set(key, line);
      try {
        return await line.queue.add(work);
      } finally {
        line.inside -= 1;
        if (line.inside === 0) lines.delete(key);
      }
    },
  };
};
