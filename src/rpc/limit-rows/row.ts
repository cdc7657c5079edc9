/** The form of a row of the limit table. */

/** The resource that a stranger's request uses. */
export type Cost =
  | "requests"
  | "fetches"
  | "DNS queries"
  | "password hashes"
  | "bytes kept"
  | "entries kept"
  | "work queued"
  | "places"
  | "sockets"
  | "processor time";

/**
 * The payer that is counted. `address`: one customer of a network, an IPv4 address or an IPv6 /64; `network`: its IPv4
 * /16 or IPv6 /48; an agent that identifies itself pays in place of its address, and its account in place of its
 * network (app/front/access/access.ts); `login`: one account from one address; `host`: the receiver of webhooks; `domain`: the domain that a
 * request names; `connection`: one HTTP or websocket connection; `total`: all together.
 */
export const SCOPES = [
  "connection",
  "login",
  "license",
  "key",
  "email",
  "agent",
  "account",
  "host",
  "domain",
  "address",
  "network",
  "total",
] as const;
export type LimitScope = (typeof SCOPES)[number];

/** Maximum units per calendar period (UTC), or at once. */
export interface Quotas {
  readonly minute?: number;
  readonly day?: number;
  readonly atOnce?: number;
}

export interface LimitRow {
  readonly cost: Cost;
  /** The unit that quotas count. */
  readonly unit: string;
  /** What the limit bounds. */
  readonly bounds: string;
  /**
   * Where it is counted. `broker`: for all processes together, when an operation that names the row is called, or before
   * its handler causes the cost (contract.ts, `limits` and `charges`). `process`: by each process, in memory. `record`:
   * implied by the form of a stored record or table.
   */
  readonly counted: "broker" | "process" | "record";
  readonly by: Partial<Record<LimitScope, Quotas>>;
  /** In words: the credential's own limits, besides these; its authenticator (app/front/access) charges them first. */
  readonly own?: string;
}

/** Calls per minute of one credential of a kind, whatever its plan. */
export const CREDENTIAL_CALLS_A_MINUTE = { account: 600, project: 600 } as const;

/** Calls per minute of one agent, by its account's plan. */
export const AGENT_CALLS_A_MINUTE = { free: 120, starter: 300, pro: 600, enterprise: 1_200 } as const;
/** Calls per minute of all agents of an account together, in those of one. */
export const AGENTS_OF_AN_ACCOUNT = 4;

export const MIB = 1024 * 1024;
