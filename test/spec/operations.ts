/** The specification's tables of operations (section 4) and limits (section 8), row by row, for those that are served. */
import { KEY_OPERATIONS } from "./operations/keys.ts";
import { REGISTRY_OPERATIONS } from "./operations/registry.ts";
import { RING4_BEYOND, RING4_OPERATIONS } from "./operations/ring4.ts";
import type { OperationRow } from "./operations/row.ts";

export const OPERATIONS: readonly OperationRow[] = [
  ...REGISTRY_OPERATIONS,
  ...KEY_OPERATIONS,
  ...RING4_OPERATIONS,
];

/** Operations that the specification presupposes without listing them, `METHOD path`. */
export const BEYOND_SPECIFICATION: readonly string[] = [...RING4_BEYOND];
