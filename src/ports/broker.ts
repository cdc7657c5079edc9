/** What all processes of a registry share: its records, counts, queues and one clock, kept by a message broker. */
import type { Bucket } from "./buckets.ts";
import type { Counters } from "./counters.ts";
import type { ChangeFeed, DelayedQueue, HintQueue } from "./queue.ts";
import type { BucketName } from "./storage.ts";

/** How a request to another process ended. */
export type Answer =
  | { outcome: "answered"; data: Uint8Array }
  /** Nobody listens on that subject. */
  | { outcome: "nobody" }
  | { outcome: "failed" };

export interface Broker {
  readonly buckets: Readonly<Record<BucketName, Bucket>>;
  readonly counters: Counters;
  /** Whether the broker can be reached at this moment. */
  readonly connectionState: { readonly up: boolean };
  /** The broker's wall clock in milliseconds: the one time that all processes share. */
  now(): number;
  /** The most that `now` may be off, either way, in milliseconds: what keeps a pause between processes reckons with it. */
  clockErrorMs(): number;
  /** Whether an error says that the broker is away, full or restarting: the same call may succeed once it is well again. */
  isFault(error: unknown): boolean;
  /** Changes of the bucket `sites`. */
  readonly siteChanges: ChangeFeed;
  /** Discovered hosts on their way to gossip. */
  readonly discoveredHosts: HintQueue;
  /**
   * Webhooks on their way.
   * @param leaseMs a worker that is silent this long has lost its work to another
   */
  webhooks(leaseMs: number): Promise<DelayedQueue>;
  /** Asks whoever listens on a subject below the registry's own prefix. */
  ask(subject: string, payload: string, timeoutMs: number): Promise<Answer>;
}
