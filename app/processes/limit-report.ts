/** Renders the limit table for docs/limits.md. */
import { credentialsOf, isOpenToAll, type OperationSpec, type Service } from "../../src/rpc/contract.ts";
import type { LimitRow, Quotas } from "../../src/rpc/limit-rows/row.ts";
import { LIMITS, LIMITS_OF_CREDENTIAL, type LimitName, type Units } from "../../src/rpc/limit-table.ts";
import { markdownTable } from "../markdown-table.ts";

/** An operation that may be charged to a limit. `units` null: they follow from the input. */
interface ChargedOperation {
  id: string;
  units: number | null;
}

const MOST_OPERATIONS_NAMED = 8;

/** docs/limits.md. */
export function limitsMarkdown(services: readonly Service[]): string {
  const operations = services.flatMap(({ name, operations }) =>
    Object.entries(operations).map(([operation, spec]) => ({ id: `${name}.${operation}`, spec })),
  );
  return [
    "# Limits",
    "",
    "Written by `npm run generate` from `src/rpc/limit-table.ts`, which `BRIDGE_LIMITS_PERCENT` scales.",
    "",
    "A `network` is an IPv4 /16 or an IPv6 /48, an `address` one customer of it: an IPv4 address or an IPv6 /64; a `login` is one",
    "account from one address, a `host` the receiver of webhooks, a `domain` the domain that a request names. Minutes and days are",
    "calendar periods in UTC. A request above a limit is a 429 with `Retry-After`, a websocket closes with code 1013, and a",
    "connection is closed. `X-Forwarded-For` counts only from `BRIDGE_TRUSTED_PROXIES`. Rows counted in a `process` apply to each",
    "process separately. Rows counted at the `broker` apply to all processes together; if it cannot count, the call is a 503. A row counts units: `×4`",
    "after an operation says that a call counts four, `×n` that its input says how many. Every call is charged to `requests`, and by its",
    "credential to `requests_under_way` (none), `calls` (account, agent), `actions` (session), `gateway_calls` (API key) or `log_entries` (project).",
    "",
    ...markdownTable(
      ["Limit", "Bounds", "Counts", "At most", "Counted", "Operations"],
      (Object.entries(LIMITS) as [LimitName, LimitRow][]).map(([name, limit]) => [
        `\`${name}\``,
        `${limit.cost}: ${limit.bounds}`,
        limit.unit,
        scopesOf(limit).join("; "),
        limit.counted,
        operationsText(operations.flatMap(({ id, spec }) => chargedTo(name, id, spec))),
      ]),
    ),
    "",
  ].join("\n");
}

function chargedTo(limit: LimitName, id: string, operation: OperationSpec): ChargedOperation[] {
  const units = limitsOfOperation(operation)[limit];
  return units === undefined ? [] : [{ id, units: typeof units === "number" ? units : null }];
}

/** Every row that a call of an operation may be charged to, and its units. */
export const limitsOfOperation = (operation: OperationSpec): Partial<Record<LimitName, Units>> => ({
  requests: 1,
  ...(isOpenToAll(operation) && { requests_under_way: 1 }),
  ...Object.assign({}, ...credentialsOf(operation).map((kind) => LIMITS_OF_CREDENTIAL[kind])),
  ...operation.limits,
  ...operation.charges,
});

/** The limits of one row per scope: "network: 300 a minute, 20,000 a day". */
const scopesOf = ({ by, own }: LimitRow): string[] => [
  ...Object.entries(by).map(([scope, quotas]) => `${scope}: ${quotasText(quotas)}`),
  ...(own ? [own] : []),
];

const quotasText = (quotas: Quotas): string =>
  [
    quotas.minute === undefined ? [] : `${figure(quotas.minute)} a minute`,
    quotas.day === undefined ? [] : `${figure(quotas.day)} a day`,
    quotas.atOnce === undefined ? [] : `${figure(quotas.atOnce)} at once`,
  ]
    .flat()
    .join(", ");

const figure = (quota: number): string => quota.toLocaleString("en-US");

const operationsText = (operations: readonly ChargedOperation[]): string =>
  operations.length > MOST_OPERATIONS_NAMED && operations.every(({ units }) => units === 1)
    ? `${operations.length} operations`
    : operations.map(({ id, units }) => `\`${id}\`${unitsText(units)}`).join(", ");

const unitsText = (units: number | null): string =>
  units === null ? " ×n" : units === 1 ? "" : ` ×${units}`;
