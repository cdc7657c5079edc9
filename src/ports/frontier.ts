/** The crawl frontier: one token a host, which says when the host is due. */

/** Who discovered a host. */
export type DiscoverySource = "seed" | "report" | "beacon" | "audit";

export interface TokenData {
  source: DiscoverySource;
  /** When this registry discovered the host, milliseconds since the epoch. Stored under this name. */
  heardAt: number;
  /** Whether a visit has ended since: only then may there be a record. */
  visited: boolean;
}

/** One due host in the hands of one worker. Exactly one of `next`, `drop` and `giveBack` ends it. */
export interface Token {
  readonly host: string;
  readonly data: TokenData;
  /** 1 at first; more when an earlier worker did not finish. */
  readonly deliveries: number;
  /** Whether nothing is left to do but ack: the next visit is scheduled already (an earlier worker stopped between
   * schedule and ack), or another worker, which was given this token too, has ended it. */
  isDone(): Promise<boolean>;
  /** Tells the broker that the visit is still under way. */
  working(): void;
  /** The host is due again at `atMs` (broker time): stores the schedule, then acks. One that is done already is only acked. */
  next(atMs: number): Promise<void>;
  /** The host leaves the frontier. */
  drop(): void;
  /** Another worker may take it, at once or after `delayMs`. */
  giveBack(delayMs?: number): void;
}

export interface FrontierLag {
  /** Hosts known: each has one token. */
  tokens: number;
  /** Due and waiting for a worker. */
  due: number;
  /** In the hands of workers. */
  inFlight: number;
  redelivered: number;
}

export interface Frontier {
  /** Adds a host that is not known yet. @returns false when it already has a token, which is left as it is */
  add(host: string, atMs: number, data: TokenData): Promise<boolean>;
  /** Brings a known host's visit forward to `atMs`; a visit under way or due already is left as it is. @returns whether it moved */
  bringForward(host: string, atMs: number): Promise<boolean>;
  has(host: string): Promise<boolean>;
  /** Takes up to `limit` due tokens; resolves after at most 2 s, possibly with none handed to `take`. */
  take(limit: number, take: (token: Token) => void, signal: AbortSignal): Promise<void>;
  lag(): Promise<FrontierLag>;
  /** Hosts with a token, in no order. */
  hosts(): Promise<Map<string, "sched" | "due">>;
  /**
   * Removes tokens that were acked and stayed. A host that has no other is due again: whether it was dropped on purpose
   * nobody knows any more; visited once more, it is again. @returns their hosts, at most 1,000 at a time
   */
  removeAcked(): Promise<string[]>;
  /** Schedules anew what should have been due `lateMs` ago. Reads all schedules. @returns their hosts */
  restartOverdue(lateMs: number): Promise<string[]>;
}
