/**
 * Every limit on a cost that a stranger causes, in one table. `charge` (limits.ts) counts the rows kept at the broker,
 * createFrontLimits (front-limits.ts) those of one process; `bridge limits` and docs/limits.md print it.
 */
import { PLAN_QUOTAS } from "../../schemas/api-key.ts";
import type { BucketName, StreamName } from "../ports/storage.ts";

/** What a stranger makes us spend. */
export type Cost =
  | "requests"
  | "fetches"
  | "DNS questions"
  | "password hashes"
  | "bytes kept"
  | "entries kept"
  | "work queued"
  | "places"
  | "sockets"
  | "processor time";

/**
 * Who is counted. `address`: one customer of a network, an IPv4 address or an IPv6 /64; `network`: the IPv4 /16 or IPv6
 * /48 that it is in; `login`: one account from one address; `host`: the receiver of webhooks; `domain`: what is named;
 * `connection`: one of the gateway of websockets and HTTP; `total`: everybody together.
 */
export const SCOPES = [
  "connection",
  "login",
  "license",
  "key",
  "email",
  "account",
  "host",
  "domain",
  "address",
  "network",
  "total",
] as const;
export type Scope = (typeof SCOPES)[number];

/** Most units in each calendar period (UTC), or at any one time. */
export interface Quotas {
  readonly minute?: number;
  readonly day?: number;
  readonly atOnce?: number;
}

export interface LimitRow {
  readonly cost: Cost;
  /** What one unit is: quotas count these. */
  readonly unit: string;
  /** What a stranger makes grow. */
  readonly bounds: string;
  /**
   * Who charges it. `front`: counted at the broker, before a worker is asked, for every operation that names the row.
   * `worker`: counted at the broker by the handler, before the cost arises. `process`: counted in the memory of each
   * process. `record`: follows from the form of a record or table that is kept.
   */
  readonly charged: "front" | "worker" | "process" | "record";
  /** Source file of the charge. */
  readonly where: string;
  readonly by: Partial<Record<Scope, Quotas>>;
  /** In words: the limits of the credential itself, beside these; its authenticator (src/auth) charges them first. */
  readonly own?: string;
}

const MIB = 1024 * 1024;

/** Calls in a minute that a credential of one kind may make, whatever its plan. */
export const CREDENTIAL_CALLS_A_MINUTE = { account: 600, project: 600 } as const;

const GATEWAY_PLANS_TEXT = Object.entries(PLAN_QUOTAS)
  .map(([plan, { perMinute, perDay }]) => `of ${plan} ${perMinute} a minute and ${perDay} a day`)
  .join(", ");

export const LIMITS = {
  // ------------------------------------------------------------ in each front's memory
  connections: {
    cost: "sockets",
    unit: "open HTTP connections",
    bounds: "descriptors and buffers of a front; above it, the connection is closed unanswered",
    charged: "process",
    where: "app/front/connections.ts",
    by: { address: { atOnce: 512 }, network: { atOnce: 2_048 }, total: { atOnce: 8_192 } },
  },
  unread_bytes: {
    cost: "sockets",
    unit: "bytes of replies that wait for a client to read",
    bounds:
      "memory of a front; a reader that takes next to nothing for a minute is cut off, and above this at once",
    charged: "process",
    where: "app/front/connections.ts",
    by: { address: { atOnce: 32 * MIB }, network: { atOnce: 64 * MIB } },
  },
  requests: {
    cost: "requests",
    unit: "requests",
    bounds: "processor time of a front, and of the workers that answer reads (search, registry, documents)",
    charged: "process",
    where: "app/front/http.ts",
    by: { address: { minute: 30_000 }, network: { minute: 60_000 } },
  },
  requests_under_way: {
    cost: "work queued",
    unit: "anonymous requests that are not answered yet",
    bounds: "places of the workers' queues, so that slow reads of one network leave room for others",
    charged: "process",
    where: "app/front/http.ts",
    by: { address: { atOnce: 128 }, network: { atOnce: 256 } },
  },
  websockets: {
    cost: "sockets",
    unit: "open websockets",
    bounds: "descriptors and buffers of a front",
    charged: "process",
    where: "app/front/websocket.ts",
    by: {
      account: { atOnce: 250 },
      network: { atOnce: 500 },
      total: { atOnce: 1_000 },
    },
  },
  websockets_unauthenticated: {
    cost: "sockets",
    unit: "websockets that sent no valid `auth` yet",
    bounds: "the same, for those who said nothing of themselves: the rest stays free for sessions and sites",
    charged: "process",
    where: "app/front/websocket.ts",
    by: { address: { atOnce: 32 }, network: { atOnce: 64 }, total: { atOnce: 200 } },
  },
  password_hashes: {
    cost: "password hashes",
    unit: "argon2id hashes that wait or are computed",
    bounds: "processor time and memory (19 MiB each) of the accounts worker",
    charged: "process",
    where: "src/stores/passwords.ts",
    by: { network: { atOnce: 48 }, total: { atOnce: 128 } },
  },
  scans: {
    cost: "processor time",
    unit: "pages, documents and texts that wait for a thread of the gateway",
    bounds:
      "memory, up to two pages of 2 MiB each; each takes at most 2.5 s of a processor, and whoever took least lately is next",
    charged: "process",
    where: "src/threads/thread-tasks.ts",
    by: {
      key: { atOnce: 24 },
      account: { atOnce: 24 },
      address: { atOnce: 32 },
      network: { atOnce: 48 },
      total: { atOnce: 64 },
    },
  },
  session_reads: {
    cost: "processor time",
    unit: "commands and pages of sessions, and public page reads, that wait for the thread of a session worker",
    bounds:
      "memory, up to 1 MiB each; each takes at most 2.5 s of a processor, and whoever took least lately is next",
    charged: "process",
    where: "src/threads/thread-tasks.ts",
    by: {
      account: { atOnce: 256 },
      domain: { atOnce: 128 },
      address: { atOnce: 256 },
      network: { atOnce: 384 },
      total: { atOnce: 512 },
    },
  },

  // ------------------------------------------------------------ accounts
  account_calls: {
    cost: "requests",
    unit: "calls with the token of a log-in",
    bounds: "changes of an account's record, and reads of it",
    charged: "front",
    where: "app/front/access/access.ts",
    own: `an account ${CREDENTIAL_CALLS_A_MINUTE.account} a minute`,
    by: { network: { minute: 6_000 } },
  },
  registrations: {
    cost: "entries kept",
    unit: "accounts asked for",
    bounds: "records of accounts and e-mail addresses, kept for ever; a password hash each",
    charged: "worker",
    where: "workers/accounts/sign-in.ts",
    by: { network: { minute: 60, day: 1_000 } },
  },
  taken_emails: {
    cost: "requests",
    unit: "registrations of addresses that have an account",
    bounds: "what a stranger learns of who has an account",
    charged: "worker",
    where: "workers/accounts/sign-in.ts",
    by: { network: { minute: 20, day: 200 } },
  },
  log_ins: {
    cost: "password hashes",
    unit: "log-ins that failed; reserved before the hash, given back when the password is right",
    bounds: "guesses at passwords; `account` counts only addresses that the account was not used from before",
    charged: "worker",
    where: "workers/accounts/sign-in.ts",
    by: { login: { minute: 10, day: 100 }, account: { minute: 30, day: 500 }, network: { minute: 120 } },
  },
  password_changes: {
    cost: "password hashes",
    unit: "wrong current passwords; reserved before the hash, given back when it is right",
    bounds: "guesses at the current password by whoever has a token",
    charged: "worker",
    where: "workers/accounts/sign-in.ts",
    by: { account: { minute: 10 }, network: { minute: 120 } },
  },
  domain_proofs: {
    cost: "DNS questions",
    unit: "proofs of domains, two questions each",
    bounds: "DNS questions about names that an account chooses",
    charged: "worker",
    where: "workers/accounts/sites.ts",
    by: { account: { minute: 30 }, network: { minute: 120, day: 10_000 } },
  },
  account_keys: {
    cost: "entries kept",
    unit: "license and project keys made or replaced",
    bounds: "writes of key records; an account lists at most 500 licenses and 100 projects",
    charged: "front",
    where: "app/front/access/access.ts",
    by: { account: { minute: 120, day: 2_000 }, network: { minute: 600, day: 10_000 } },
  },

  // ------------------------------------------------------------ sessions
  license_checks: {
    cost: "requests",
    unit: "license keys tried: by `authenticate` and `license/verify`",
    bounds: "reads of records by keys that a stranger invents",
    charged: "front",
    where: "app/front/access/access.ts",
    by: { network: { minute: 3_000 } },
  },
  sessions: {
    cost: "bytes kept",
    unit: "sessions opened",
    bounds: "records of sessions (an hour each), at most 512 KiB",
    charged: "worker",
    where: "workers/session/authenticate.ts",
    by: {
      license: { minute: 1_000 },
      account: { minute: 2_000, day: 200_000 },
      network: { minute: 3_000, day: 300_000 },
    },
  },
  actions: {
    cost: "fetches",
    unit: "actions of agents' sessions",
    bounds: "requests to the session's site, and the page that a session keeps (an hour, at most 4 MiB)",
    charged: "front",
    where: "src/stores/action-limits.ts",
    own: "a license `rate_limit` of the plan a minute; an account `max_actions_per_month`",
    by: { network: { minute: 30_000 } },
  },
  page_reads: {
    cost: "fetches",
    unit: "pages read without a session",
    bounds: "requests to registered sites, and reading what they send",
    charged: "front",
    where: "app/front/access/access.ts",
    by: { address: { minute: 120, day: 10_000 }, network: { minute: 300, day: 20_000 } },
  },

  // ------------------------------------------------------------ provider
  status_checks: {
    cost: "fetches",
    unit: "domains whose state is asked",
    bounds: "DNS questions and requests to domains that a stranger names",
    charged: "front",
    where: "app/front/access/access.ts",
    by: { address: { minute: 300, day: 20_000 }, network: { minute: 600, day: 50_000 } },
  },
  batch_domains: {
    cost: "fetches",
    unit: "domains in batches",
    bounds: "DNS questions and requests to domains that a stranger names",
    charged: "front",
    where: "app/front/access/access.ts",
    // A provider's whole business, not the world's.
    by: { network: { minute: 15_000, day: 1_000_000 } },
  },
  callback_hosts: {
    cost: "DNS questions",
    unit: "batches with a callback_url",
    bounds: "DNS questions about receivers, and records of batches (a week)",
    charged: "worker",
    where: "workers/provider/verify-batch.ts",
    by: { network: { minute: 300, day: 20_000 } },
  },
  webhooks: {
    cost: "work queued",
    unit: "webhooks accepted; given back when one is delivered or has ended",
    bounds: "messages of the webhooks' queue (three days at most) and attempts at their receivers",
    charged: "worker",
    where: "workers/provider/webhooks.ts",
    by: { host: { minute: 300, day: 2_000 }, network: { day: 5_000 }, total: { atOnce: 100_000 } },
  },
  webhook_bytes: {
    cost: "bytes kept",
    unit: "bytes of webhooks accepted; given back when one is delivered or has ended",
    bounds: "bytes of the webhooks' queue (three days at most); one webhook holds at most 128 KiB",
    charged: "worker",
    where: "workers/provider/webhooks.ts",
    by: { host: { day: 32 * MIB }, network: { day: 64 * MIB }, total: { atOnce: 1024 * MIB } },
  },

  // ------------------------------------------------------------ trust
  dns_names: {
    cost: "DNS questions",
    unit: "calls that look up the keys of a domain",
    bounds: "DNS questions about names that a stranger chooses",
    charged: "front",
    where: "app/front/access/access.ts",
    by: { address: { minute: 120, day: 10_000 }, network: { minute: 240, day: 20_000 } },
  },
  trust_names: {
    cost: "DNS questions",
    unit: "trust headers of domains whose signature was not right within ten minutes",
    bounds: "DNS questions about names in trust headers",
    charged: "front",
    where: "app/front/trust-check.ts",
    by: { network: { minute: 120 } },
  },
  registrations_of_domains: {
    cost: "entries kept",
    unit: "registrations for ring 4",
    bounds: "DNS questions, a visit, and an entry of the log, which is never deleted",
    charged: "front",
    where: "app/front/access/access.ts",
    by: { network: { minute: 30, day: 500 } },
  },
  registrations_of_a_domain: {
    cost: "entries kept",
    unit: "registrations with a valid proof",
    bounds: "entries of the log, which is never deleted",
    charged: "worker",
    where: "workers/trust/register.ts",
    by: { domain: { day: 50 } },
  },
  log_entries: {
    cost: "entries kept",
    unit: "interactions logged",
    bounds: "entries of the log, which is never deleted",
    charged: "front",
    where: "app/front/access/access.ts",
    own: `a project ${CREDENTIAL_CALLS_A_MINUTE.project} a minute`,
    by: {
      account: { minute: 600, day: 20_000 },
      network: { minute: 1_800, day: 100_000 },
    },
  },

  // ------------------------------------------------------------ the module gateway
  keys_made: {
    cost: "entries kept",
    unit: "API keys made",
    bounds: "records of keys, kept for ever; each key has the quotas of its plan",
    charged: "worker",
    where: "workers/keys/handlers.ts",
    by: { email: { day: 50 }, account: { day: 50 }, network: { day: 200 } },
  },
  keys_made_without_account: {
    cost: "entries kept",
    unit: "FREE API keys made without an account",
    bounds: "the same, by those who say nothing of themselves",
    charged: "worker",
    where: "workers/keys/handlers.ts",
    by: { email: { day: 10 } },
  },
  key_rotations: {
    cost: "entries kept",
    unit: "API keys replaced",
    bounds: "records of keys, kept for ever",
    charged: "worker",
    where: "workers/keys/handlers.ts",
    by: { key: { day: 20 }, network: { day: 400 } },
  },
  gateway_calls: {
    cost: "processor time",
    unit: "calls of the gateway's modules",
    bounds: "reading of pages and texts, and requests to the addresses that a caller names",
    charged: "front",
    where: "app/front/access/access.ts",
    own: `a key ${GATEWAY_PLANS_TEXT}`,
    by: {
      account: { minute: 1_000, day: 200_000 },
      network: { minute: 3_000, day: 500_000 },
    },
  },
  gateway_records: {
    cost: "entries kept",
    unit: "prices told, pools joined, pages reported, certificates asked for",
    bounds: "records of products, pools, reports and certificates; certificates' entries of the log",
    charged: "front",
    where: "app/front/access/access.ts",
    by: { account: { day: 20_000 }, network: { minute: 1_000, day: 50_000 } },
  },
  pool_joins: {
    cost: "entries kept",
    unit: "joins of pools of buyers",
    bounds: "places of pools, 90 days; and questions about other buyers",
    charged: "worker",
    where: "workers/gateway/bargaining/handlers.ts",
    by: { account: { day: 100 }, network: { minute: 120, day: 5_000 } },
  },
  bounty_reports: {
    cost: "fetches",
    unit: "pages reported to the bounty network",
    bounds: "requests to addresses that a reporter names, and reports, 400 days",
    charged: "worker",
    where: "workers/gateway/bounty/handlers.ts",
    by: {
      key: { minute: 30, day: 1_000 },
      account: { minute: 30, day: 1_000 },
      network: { minute: 60, day: 2_000 },
    },
  },
  notary_looks: {
    cost: "fetches",
    unit: "certificates of what the notary looks at itself",
    bounds: "requests to addresses that a caller names",
    charged: "worker",
    where: "workers/gateway/notary/handlers.ts",
    by: {
      key: { minute: 20, day: 1_000 },
      account: { minute: 20, day: 1_000 },
      network: { minute: 40, day: 2_000 },
    },
  },
  offer_looks: {
    cost: "fetches",
    unit: "looks of the registry at offers that callers name; what is over is not looked at",
    bounds: "requests to shops that a caller names; `domain` is the shop",
    charged: "worker",
    where: "workers/gateway/price/tracking.ts",
    by: {
      key: { minute: 20, day: 400 },
      account: { minute: 20, day: 400 },
      domain: { minute: 4, day: 2_000 },
      network: { minute: 20, day: 400 },
    },
  },

  // ------------------------------------------------------------ gossip
  reported_names: {
    cost: "places",
    unit: "names in reports, as a bucket of 50 that gains one in ten seconds; what is over is dropped unsaid",
    bounds: "tokens of the frontier, DNS questions and visits",
    charged: "record",
    where: "workers/gossip/rules.ts",
    by: { network: { atOnce: 50 } },
  },
  places: {
    cost: "places",
    unit: "places of 65,536 for names that nobody verified",
    bounds: "tokens of the frontier",
    charged: "record",
    where: "workers/gossip/tables.ts",
    by: { network: { atOnce: 4_096 } },
  },
  places_of_a_domain: {
    cost: "places",
    unit: "unverified hosts below one registrable domain",
    bounds:
      "DNS questions to one zone's servers; a name nobody probed is not evicted by one that the same network says",
    charged: "record",
    where: "workers/gossip/rules.ts",
    by: { network: { atOnce: 2 }, domain: { atOnce: 5 } },
  },
} as const satisfies Record<string, LimitRow>;

export type LimitName = keyof typeof LIMITS;

/** Rows that are counted at the broker, by `charge`. */
export type CountedLimit = {
  [K in LimitName]: (typeof LIMITS)[K]["charged"] extends "front" | "worker" ? K : never;
}[LimitName];
/** Rows that every call is charged to for its credential (contract.ts, Auth), beside those that its operation names. */
export const LIMITS_OF_CREDENTIAL = {
  none: ["requests_under_way"],
  account: ["account_calls"],
  key: ["gateway_calls"],
  session: ["actions"],
  project: ["log_entries"],
} as const satisfies Record<string, readonly LimitName[]>;

/** Rows that are counted in one process. */
export type ProcessLimit = {
  [K in LimitName]: (typeof LIMITS)[K]["charged"] extends "process" ? K : never;
}[LimitName];

export const isFrontLimit = (row: LimitName): row is CountedLimit => LIMITS[row].charged === "front";

/** What bounds each bucket and stream: rows, and in words what else does. */
export interface Growth {
  readonly limits: readonly LimitName[];
  readonly also: string;
}

/** What makes each stream and bucket grow; the operators' guide says how long they are kept. */
export const GROWTH: Readonly<Record<BucketName | StreamName, Growth>> = {
  sites: {
    limits: ["reported_names", "places"],
    also: "one record a host, 64 KiB; unverified hosts only while they hold a place",
  },
  contents: { limits: ["places"], also: "96 KiB a verified host" },
  gate: {
    limits: ["status_checks", "batch_domains", "page_reads", "notary_looks", "offer_looks"],
    also: "4,000,000 records, the oldest go",
  },
  dead_letters: { limits: ["places"], also: "one a host" },
  candidates: { limits: ["reported_names", "places_of_a_domain"], also: "500,000 records, the oldest go" },
  gossip_places: { limits: ["places"], also: "81,920 records" },
  reporters: { limits: ["reported_names"], also: "100,000 records, the oldest go" },
  blocks: { limits: ["domain_proofs"], also: "operators, and owners for sites they proved" },
  api_keys: {
    limits: ["keys_made", "keys_made_without_account", "key_rotations"],
    also: "some 500 bytes each",
  },
  bounty_reports: { limits: ["gateway_records", "bounty_reports"], also: "400 days" },
  bounty_targets: { limits: ["gateway_records", "gateway_calls"], also: "200 reports each, 400 days" },
  pools: { limits: ["gateway_records", "pool_joins"], also: "256 KiB each, 90 days" },
  pool_products: { limits: ["gateway_records"], also: "1 KiB each, 90 days" },
  prices: { limits: ["gateway_records", "gateway_calls"], also: "2 MiB a product" },
  price_offers: { limits: ["gateway_records"], also: "32 KiB a product" },
  certificates: { limits: ["gateway_records", "gateway_calls"], also: "16 KiB each; BUSINESS keys alone" },
  registrations: {
    limits: ["registrations_of_domains", "registrations_of_a_domain"],
    also: "64 KiB a domain",
  },
  trust_nonces: { limits: ["requests"], also: "two minutes; only for a signature that is right" },
  batches: { limits: ["callback_hosts", "batch_domains"], also: "200,000 records, the oldest go; a week" },
  accounts: { limits: ["registrations", "account_keys"], also: "384 KiB an account" },
  account_sites: {
    limits: ["domain_proofs", "account_calls"],
    also: "64 KiB a site, `max_sites` of the plan",
  },
  licences: { limits: ["account_keys"], also: "500 an account" },
  project_keys: { limits: ["account_keys"], also: "100 an account" },
  plans: { limits: [], also: "operators alone" },
  service: { limits: [], also: "the registry itself" },
  token_keys: { limits: [], also: "the registry itself" },
  sessions: { limits: ["sessions", "actions"], also: "an hour" },
  session_pages: { limits: ["actions", "sessions"], also: "one page a session, an hour" },
  log: {
    limits: ["log_entries", "registrations_of_a_domain", "gateway_records"],
    also: "follows from the log's entries",
  },
  frontier: { limits: ["places", "reported_names"], also: "one token a host" },
  heard: { limits: ["places"], also: "100,000 messages, the oldest go; a week" },
  webhooks: { limits: ["webhooks", "webhook_bytes"], also: "three days" },
  count_minute: { limits: ["requests"], also: "1,000,000 counts, three minutes" },
  count_day: { limits: ["requests"], also: "10,000,000 counts, 40 days" },
  count_month: { limits: ["actions"], also: "10,000,000 counts, 400 days" },
};
