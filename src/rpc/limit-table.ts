/**
 * The limit table: every limit on a cost that strangers cause. What costs the same is one row, in units: an operation names
 * the row and how many units it counts. `openLimiter` (limits.ts) counts rows at the broker, app/front/limits.ts counts rows
 * of one process; docs/limits.md prints the table.
 */
import { ACCOUNT_LIMITS } from "./limit-rows/accounts.ts";
import { DOMAIN_LIMITS, GOSSIP_LIMITS } from "./limit-rows/domains.ts";
import { GATEWAY_LIMITS } from "./limit-rows/gateway.ts";
import { PROCESS_LIMITS } from "./limit-rows/processes.ts";

export const LIMITS = {
  ...PROCESS_LIMITS,
  ...ACCOUNT_LIMITS,
  ...DOMAIN_LIMITS,
  ...GATEWAY_LIMITS,
  ...GOSSIP_LIMITS,
} as const;

export type LimitName = keyof typeof LIMITS;

/** Rows counted at the broker. */
export type CountedLimit = {
  [K in LimitName]: (typeof LIMITS)[K]["counted"] extends "broker" ? K : never;
}[LimitName];

/** Rows counted in each process. */
export type ProcessLimit = {
  [K in LimitName]: (typeof LIMITS)[K]["counted"] extends "process" ? K : never;
}[LimitName];

/** Units that a call counts in a row, or how they follow from its input. */
export type Units = number | ((input: { body?: unknown }) => number);

/** Rows that a call is charged to before it is forwarded, and its units in each. */
export type FrontLimits = Readonly<Partial<Record<CountedLimit, Units>>>;

/** Rows counted at the broker that every call is charged to by its credential (contract.ts, Auth), one unit each. */
export const LIMITS_OF_CREDENTIAL = {
  none: {},
  account: { calls: 1 },
  agent: { calls: 1 },
  key: { gateway_calls: 1 },
  session: { actions: 1 },
  project: { log_entries: 1 },
  operator: {},
} as const satisfies Record<string, FrontLimits>;
