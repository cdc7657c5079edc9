/**
 * The limit table: every limit on a cost that strangers cause. `openLimiter` (limits.ts) counts rows at the broker,
 * app/front/limits.ts counts rows of one process; `bridge limits` and docs/limits.md print the table.
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
  [K in LimitName]: (typeof LIMITS)[K]["charged"] extends "front" | "worker" ? K : never;
}[LimitName];

/** Rows that every call is charged to by its credential (contract.ts, Auth), besides those of its operation. */
export const LIMITS_OF_CREDENTIAL = {
  none: ["requests_under_way"],
  account: ["account_calls"],
  agent: ["agent_calls"],
  key: ["gateway_calls"],
  session: ["actions"],
  project: ["log_entries"],
  operator: [],
} as const satisfies Record<string, readonly LimitName[]>;

/** Rows counted in each process. */
export type ProcessLimit = {
  [K in LimitName]: (typeof LIMITS)[K]["charged"] extends "process" ? K : never;
}[LimitName];

/** The rows that the front charges for a call of an operation, before it forwards the request. @param caller its credential */
export const frontLimitsOf = (
  caller: keyof typeof LIMITS_OF_CREDENTIAL,
  limits: readonly LimitName[] = [],
): CountedLimit[] =>
  [...LIMITS_OF_CREDENTIAL[caller], ...limits].filter(
    (row: LimitName): row is CountedLimit => LIMITS[row].charged === "front",
  );
