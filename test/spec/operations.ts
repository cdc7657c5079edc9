/** The specification's tables of operations (section 4) and limits (section 8), row by row, for those that are served. */
import { ACCOUNT_OPERATIONS, ACCOUNT_OPERATIONS_BEYOND } from "./operations/accounts.ts";
import { KEY_OPERATIONS } from "./operations/keys.ts";
import { PRICE_OPERATIONS } from "./operations/price.ts";
import { REGISTRY_OPERATIONS } from "./operations/registry.ts";
import type { OperationRow } from "./operations/row.ts";

export const OPERATIONS: readonly OperationRow[] = [
  ...REGISTRY_OPERATIONS,
  ...KEY_OPERATIONS,
  ...PRICE_OPERATIONS,
  ...ACCOUNT_OPERATIONS,
];

/** Operations that the specification presupposes without listing them, `METHOD path`. */
export const BEYOND_SPECIFICATION: readonly string[] = [...ACCOUNT_OPERATIONS_BEYOND];
