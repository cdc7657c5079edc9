/** The specification's tables of operations (section 4) and limits (section 8), row by row, for those that are served. */

import { ACCOUNT_OPERATIONS, ACCOUNT_OPERATIONS_BEYOND } from "./operations/accounts.ts";
import { BARGAINING_BEYOND, BARGAINING_OPERATIONS } from "./operations/bargaining.ts";
import { BOUNTY_BEYOND, BOUNTY_OPERATIONS } from "./operations/bounty.ts";
import { DARK_PATTERN_OPERATIONS } from "./operations/dark-pattern.ts";
import { FIREWALL_OPERATIONS } from "./operations/firewall.ts";
import { GATEWAY_SITE_OPERATIONS } from "./operations/gateway-sites.ts";
import { KEY_BEYOND, KEY_OPERATIONS } from "./operations/keys.ts";
import { NEURAL_OPERATIONS } from "./operations/neural.ts";
import { NOTARY_OPERATIONS } from "./operations/notary.ts";
import { PRICE_BEYOND, PRICE_OPERATIONS } from "./operations/price.ts";
import { PROVIDER_BEYOND, PROVIDER_OPERATIONS } from "./operations/provider.ts";
import { REGISTRY_BEYOND, REGISTRY_OPERATIONS } from "./operations/registry.ts";
import { RING4_BEYOND, RING4_OPERATIONS } from "./operations/ring4.ts";
import type { OperationRow } from "./operations/row.ts";
import { SESSION_OPERATIONS, SESSION_OPERATIONS_BEYOND } from "./operations/session.ts";

export const OPERATIONS: readonly OperationRow[] = [
  ...REGISTRY_OPERATIONS,
  ...KEY_OPERATIONS,
  ...NEURAL_OPERATIONS,
  ...DARK_PATTERN_OPERATIONS,
  ...FIREWALL_OPERATIONS,
  ...PRICE_OPERATIONS,
  ...BARGAINING_OPERATIONS,
  ...BOUNTY_OPERATIONS,
  ...NOTARY_OPERATIONS,
  ...ACCOUNT_OPERATIONS,
  ...GATEWAY_SITE_OPERATIONS,
  ...PROVIDER_OPERATIONS,
  ...RING4_OPERATIONS,
  ...SESSION_OPERATIONS,
];

/** Operations that the specification presupposes without listing them, `METHOD path`. */
export const BEYOND_SPECIFICATION: readonly string[] = [
  ...ACCOUNT_OPERATIONS_BEYOND,
  ...SESSION_OPERATIONS_BEYOND,
  ...RING4_BEYOND,
  ...PROVIDER_BEYOND,
  ...BARGAINING_BEYOND,
  ...BOUNTY_BEYOND,
  "POST /api/v1/firewall/try",
  ...REGISTRY_BEYOND,
  ...PRICE_BEYOND,
  ...KEY_BEYOND,
];
