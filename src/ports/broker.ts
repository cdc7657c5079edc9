/** The state that all processes of a registry share through a message broker: records, counters, queues and one clock. */
import type { Bucket } from "./buckets.ts";
import type { Counters } from "./counters.ts";
import type { ChangeFeed, DelayedQueue, HintQueue } from "./queue.ts";
import type { BucketName, StorageState } from "./storage.ts";

/** The outcome of a request to another process. */
export type RequestOutcome =
  | { outcome: "answered"; data: Uint8Array }
  /** No process listens on that subject. */
  | { outcome: "nobody" }
  | { outcome: "failed" };

export interface Broker {
  readonly buckets: Readonly<Record<BucketName, Bucket>>;
  readonly counters: Counters;
  /** Whether the broker is currently reachable. */
  readonly connectionState: { readonly up: boolean };
  /** The broker's wall clock in milliseconds, shared by all processes. */
  now(): number;
  /** Maximum error of `now` in either direction, in milliseconds. Pauses that hold across processes add it. */
  clockErrorMs(): number;
  /** Whether an error is transient: the broker is away, full or restarting, and the same call may succeed later. */
  isFault(error: unknown): boolean;
  /** Changes of the bucket `sites`. */
  readonly siteChanges: ChangeFeed;
  /** Changes of what hosts publish for agents (src/stores/presences.ts), by the keys of hosts. */
  readonly presenceChanges: ChangeFeed;
  /** The queue of discovered hosts for gossip. */
  readonly discoveredHosts: HintQueue;
  /**
   * The queue of webhook deliveries.
   * @param leaseMs lease of a delivery: after this long without a sign of life it goes to another worker
   */
  webhooks(leaseMs: number): Promise<DelayedQueue>;
  /** Puts webhooks into that queue, and takes none out of it. */
  readonly webhookEntrance: Pick<DelayedQueue, "add">;
  /** The queue of mails on their way; `leaseMs` as for webhooks. */
  mail(leaseMs: number): Promise<DelayedQueue>;
  /**
   * How full every bucket and stream is, and how their copies are; within two seconds. Only roles that watch storage may ask
   * (and operators). @throws the broker's fault where no stream answers
   */
  storage(): Promise<StorageState>;
  /** Sends a request to a subject below the registry's prefix. */
  ask(subject: string, payload: string, timeoutMs: number): Promise<RequestOutcome>;
}
