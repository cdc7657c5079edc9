/** The registry's own looks at offers that callers named: behind the replies, few at a time, none waited for. */
import type { Caller } from "../../../src/threads/thread-tasks.ts";
import type { LookAtOffers, OfferPage } from "../common/offer-page.ts";

/** A visit asks robots.txt first and keeps the pause between requests. */
const LOOK_TIMEOUT_MS = 20_000;
const MAX_CONCURRENT = 4;
const MAX_WAITING = 100;

export interface Look {
  platform: string;
  productId: string;
  url: URL;
  /** Who asked for it. */
  caller: Caller;
}

export interface Looks {
  /** @returns false when too many wait */
  add(look: Look): boolean;
  /** Ends those under way. */
  close(): Promise<void>;
}

/**
 * @param seen called with what a page said
 * @param failed called with a bug: a page that could not be seen is none
 */
export const createLooks = (
  look: LookAtOffers,
  seen: (look: Look, page: OfferPage & { ok: true }) => Promise<void>,
  failed: (error: unknown) => void,
): Looks => {
  const waiting: Look[] = [];
  const underWay = new Set<Promise<void>>();
  const stop = new AbortController();
  const visit = async (one: Look): Promise<void> => {
    const page = await look(one.url, { ...one.caller, timeoutMs: LOOK_TIMEOUT_MS }, stop.signal);
    if (page.ok && !stop.signal.aborted) await seen(one, page);
  };
  const next = (): void => {
    while (!stop.signal.aborted && underWay.size < MAX_CONCURRENT && waiting.length > 0) {
      const visited = visit(waiting.shift()!)
        .catch(failed)
        .finally(() => {
          underWay.delete(visited);
          next();
        });
      underWay.add(visited);
    }
  };
  return {
    add: (one) => {
      if (stop.signal.aborted || waiting.length >= MAX_WAITING) return false;
      waiting.push(one);
      next();
      return true;
    },
    close: async () => {
      stop.abort();
      waiting.length = 0;
      await Promise.all(underWay);
    },
  };
};
