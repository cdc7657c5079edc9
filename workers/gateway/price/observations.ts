/** The registry's own observations of offers that callers named: after the reply, few at a time, nobody waits for one. */
import type { Caller } from "../../../src/threads/thread-tasks.ts";
import type { OfferPage, ReadOfferPage } from "../common/offer-page.ts";

/** A visit reads robots.txt first and keeps the pause between requests. */
const OBSERVATION_TIMEOUT_MS = 20_000;
const MAX_CONCURRENT = 4;
const MAX_WAITING = 100;

export interface ObservationRequest {
  platform: string;
  productId: string;
  url: URL;
  /** Who caused it. */
  caller: Caller;
}

export interface ObservationQueue {
  /** @returns false when too many wait */
  add(request: ObservationRequest): boolean;
  /** Ends those under way. */
  close(): Promise<void>;
}

/**
 * @param onPage called with what a page says
 * @param onFault called with a bug: a page that cannot be read is none
 */
export function openObservationQueue(
  readOfferPage: ReadOfferPage,
  onPage: (request: ObservationRequest, page: OfferPage & { ok: true }) => Promise<void>,
  onFault: (error: unknown) => void,
): ObservationQueue {
  const waiting: ObservationRequest[] = [];
  const underWay = new Set<Promise<void>>();
  const stop = new AbortController();
  const visit = async (request: ObservationRequest): Promise<void> => {
    const caller = { ...request.caller, timeoutMs: OBSERVATION_TIMEOUT_MS };
    const page = await readOfferPage(request.url, caller, stop.signal);
    if (page.ok && !stop.signal.aborted) await onPage(request, page);
  };
  const next = (): void => {
    while (!stop.signal.aborted && underWay.size < MAX_CONCURRENT && waiting.length > 0) {
      const visited = visit(waiting.shift()!)
        .catch(onFault)
        .finally(() => {
          underWay.delete(visited);
          next();
        });
      underWay.add(visited);
    }
  };
  return {
    add: (request) => {
      if (stop.signal.aborted || waiting.length >= MAX_WAITING) return false;
      waiting.push(request);
      next();
      return true;
    },
    close: async () => {
      stop.abort();
      waiting.length = 0;
      await Promise.all(underWay);
    },
  };
}
