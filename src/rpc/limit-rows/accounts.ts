/** Limits of accounts, their keys, and sessions on their sites. */
import {
  AGENT_CALLS_A_MINUTE,
  AGENTS_OF_AN_ACCOUNT,
  CREDENTIAL_CALLS_A_MINUTE,
  type LimitRow,
} from "./row.ts";

export const ACCOUNT_LIMITS = {
  calls: {
    cost: "requests",
    unit: "calls with a log-in token or an agent's token",
    bounds: "reads and writes of account records, and requests of agents",
    counted: "broker",
    own: `an account ${CREDENTIAL_CALLS_A_MINUTE.account} a minute; an agent ${Object.values(AGENT_CALLS_A_MINUTE).join(", ")} a minute by its account's plan; an account's agents together ${AGENTS_OF_AN_ACCOUNT} times that`,
    by: { network: { minute: 10_000 } },
  },
  registrations: {
    cost: "entries kept",
    unit: "registration requests; one of an address that has an account counts five",
    bounds: "records of accounts and addresses; a password hash each; enumeration of account holders",
    counted: "broker",
    by: { network: { minute: 60, day: 1_000 } },
  },
  log_ins: {
    cost: "password hashes",
    unit: "wrong passwords, and links of mails and passkeys that are tried; a password is charged before its hash, and refunded if it is right",
    bounds:
      "guesses at passwords, links and passkeys; `account` and `network` do not count log-ins from an address that the account was used from before",
    counted: "broker",
    by: { login: { minute: 10, day: 100 }, account: { minute: 30, day: 500 }, network: { minute: 120 } },
  },
  mails: {
    cost: "work queued",
    unit: "mails that somebody asks for, and all mails to an address that nobody proved",
    bounds: "mails to one address, and mails that one network asks for",
    counted: "broker",
    by: {
      login: { minute: 3, day: 10 },
      account: { day: 10 },
      network: { minute: 20, day: 200 },
      total: { minute: 1_000, day: 50_000 },
    },
  },
  mails_of_news: {
    cost: "work queued",
    unit: "mails to proved addresses about what became of their accounts and sites",
    bounds: "mails to one address; what others ask for does not use up what its holder has to hear",
    counted: "broker",
    by: { login: { minute: 6, day: 50 }, total: { minute: 5_000, day: 500_000 } },
  },
  account_changes: {
    cost: "entries kept",
    unit: "license and project keys and agent tokens issued or rotated; a proof of a domain counts two, a change of how agents get access to a site four, a watch one",
    bounds:
      "writes of key records, of which an account lists at most 500 licenses, 100 projects and 100 agents; two DNS queries a proof, for a name that the account chooses; a visit a change of access",
    counted: "broker",
    by: { account: { minute: 120, day: 2_000 }, network: { minute: 600, day: 10_000 } },
  },
  requests_to_operators: {
    cost: "work queued",
    unit: "choices of a plan, and appeals against decisions about sites",
    bounds: "what waits for operators; `domain` is the site of an appeal",
    counted: "broker",
    by: { account: { minute: 5, day: 20 }, domain: { day: 20 }, network: { minute: 30, day: 300 } },
  },
  access_requests: {
    cost: "entries kept",
    unit: "requests of agents for access to sites",
    bounds: "requests, and what owners read; 200 wait at one owner, 10 of them of one account",
    counted: "broker",
    by: { agent: { day: 10 }, account: { day: 50 }, network: { day: 500 } },
  },
  idempotency_keys: {
    cost: "bytes kept",
    unit: "new Idempotency-Keys",
    bounds: "replies that are kept for a day, at most 96 KiB each",
    counted: "broker",
    by: { account: { minute: 1_000, day: 10_000 }, network: { minute: 2_000, day: 30_000 } },
  },

  license_checks: {
    cost: "requests",
    unit: "license keys checked by `authenticate` and `license/verify`, or put into a wallet",
    bounds: "look-ups of invented keys",
    counted: "broker",
    by: { network: { minute: 3_000 } },
  },
  sessions: {
    cost: "bytes kept",
    unit: "sessions opened",
    bounds: "records of sessions (an hour each), at most 512 KiB",
    counted: "broker",
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
    counted: "broker",
    own: "a license `rate_limit` of the plan a minute; an account `max_actions_per_month`",
    by: { network: { minute: 30_000 } },
  },
} as const satisfies Record<string, LimitRow>;
