/** Every service that fronts offer, in the order of the documentation. One line an actor; the modules of the gateway have a table of their own. */
import type { Service } from "../src/rpc/contract.ts";
import { access } from "../workers/access/contract.ts";
import { accounts } from "../workers/accounts/contract.ts";
import { holders } from "../workers/accounts/holders/contract.ts";
import { MODULES } from "../workers/gateway/modules.ts";
import { gossip } from "../workers/gossip/contract.ts";
import { keys } from "../workers/keys/contract.ts";
import { operators } from "../workers/operators/contract.ts";
import { protocol } from "../workers/protocol/contract.ts";
import { provider } from "../workers/provider/contract.ts";
import { search } from "../workers/search/contract.ts";
import { session } from "../workers/session/contract.ts";
import { trust } from "../workers/trust/contract.ts";

/** What the operators' listener offers. */
export const operatorServices: readonly Service[] = [operators, holders];

/** What the public listener offers. */
export const services: readonly Service[] = [
  protocol,
  search,
  gossip,
  keys,
  ...MODULES.map(({ service }) => service),
  accounts,
  access,
  provider,
  trust,
  session,
];
