/** One command of a session at a time: a line for each, in the order in which the commands came. */

/** Commands that may wait for one session's turn. */
const MAX_WAITING = 16;

export interface Mailboxes {
  /** Runs `work` when those before it have ended. @returns undefined when too many wait already */
  run<T>(key: string, work: () => Promise<T>): Promise<T> | undefined;
  /** Sessions that have a command under way. */
  readonly size: number;
}

export const createMailboxes = (maxWaiting = MAX_WAITING): Mailboxes => {
  const lines = new Map<string, { last: Promise<unknown>; length: number }>();
  return {
    get size() {
      return lines.size;
    },
    run: (key, work) => {
      const line = lines.get(key) ?? { last: Promise.resolve(), length: 0 };
      if (line.length > maxWaiting) return undefined;
      lines.set(key, line);
      line.length += 1;
      const turn = line.last.then(work, work).finally(() => {
        line.length -= 1;
        if (line.length === 0) lines.delete(key);
      });
      line.last = turn.catch(() => undefined);
      return turn;
    },
  };
};
