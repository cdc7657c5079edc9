import { LRUCache } from "lru-cache";

/**
 * A cache of the `most` entries that were used last, each for `ttlMs` where that is given.
 *
 * It grows with what it holds: a bound by number (`max`) takes the memory of all entries at once, tens of megabytes and
 * of milliseconds over the caches of one process.
 */
export const recentlyUsed = <V extends {}>(most: number, ttlMs?: number): LRUCache<string, V> =>
  new LRUCache({ maxSize: most, sizeCalculation: () => 1, ...(ttlMs !== undefined && { ttl: ttlMs }) });
