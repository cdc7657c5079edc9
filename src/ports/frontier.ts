/** The crawl frontier: one token per host, which says when the host is due. */

/** How a host was discovered. */
export type DiscoverySource = "seed" | "report" | "beacon" | "import" | "audit";

export interface TokenData {
  source: DiscoverySource;
  /** When the registry discovered the host, milliseconds since the epoch. Stored under this name. */
  discoveredAt: number;
  /** Whether a visit has ended since then: otherwise there is no record yet. */
  visited: boolean;
}

/** One due host, delivered to one worker. Exactly one of `next`, `drop` and `giveBack` ends it. */
export interface Token {
  readonly host: string;
  readonly data: TokenData;
  /** Delivery count: more than 1 if an earlier worker did not finish. */
  readonly deliveries: number;
  /**
   * Whether only the ack is missing: the next visit is already scheduled (an earlier worker stopped between schedule
   * and ack), or another worker with the same token has ended it.
   */
  isDone(): Promise<boolean>;
  /** Tells the broker that the visit is in progress. */
  working(): void;
  /** Schedules the host's next visit at `atMs` (broker time), then acks. A token that is already done is only acked. */
  next(atMs: number): Promise<void>;
  /** Removes the host from the frontier. */
  drop(): void;
  /** Returns the token to the queue, at once or after `delayMs`. */
  giveBack(delayMs?: number): void;
}

/** Scheduled; or due, which includes what is in a worker's hands. */
export type TokenState = "sched" | "due";

export interface FrontierLag {
  /** Known hosts: each has one token. */
  tokens: number;
  /** Due and waiting for a worker. */
  due: number;
  /** Delivered to workers. */
  inFlight: number;
  redelivered: number;
}

export interface Frontier {
  /** Adds an unknown host. @returns false if it already has a token, which does not change */
  add(host: string, atMs: number, data: TokenData): Promise<boolean>;
  /**
   * Brings a known host's visit forward to `atMs`, unless a visit is in progress or due already. @returns whether it
   * moved
   */
  bringForward(host: string, atMs: number): Promise<boolean>;
  has(host: string): Promise<boolean>;
  /** Passes up to `limit` due tokens to `take`; resolves after at most 2 s, possibly without any. */
  take(limit: number, take: (token: Token) => void, signal: AbortSignal): Promise<void>;
  lag(): Promise<FrontierLag>;
  /** Hosts with a token, unordered, some of them twice: those whose tokens move meanwhile. None is kept. */
  hosts(): AsyncIterable<[host: string, state: TokenState]>;
  /**
   * Removes tokens that remain although they were acked. A host without another token becomes due again: whether it was
   * dropped is unknown, and the next visit decides. @returns their hosts, at most 1,000 per call
   */
  removeAcked(): Promise<string[]>;
  /**
   * Reschedules tokens that should have been due `lateMs` ago. Reads all tokens.
   * @param look is told of every host meanwhile, as `hosts` names them
   * @returns the hosts of those that were rescheduled
   */
  restartOverdue(
    lateMs: number,
    look?: (host: string, state: TokenState) => Promise<void>,
  ): Promise<string[]>;
}

/**
 * Has a host visited next, also one without a token.
 * @param now milliseconds of the broker's clock
 */
export async function visitNow(
  frontier: Pick<Frontier, "bringForward" | "add">,
  host: string,
  now: number,
  { source, visited = false }: Pick<TokenData, "source"> & Partial<Pick<TokenData, "visited">>,
): Promise<void> {
  const at = Math.floor(now);
  if (!(await frontier.bringForward(host, at)))
    await frontier.add(host, at, { source, discoveredAt: at, visited });
}
