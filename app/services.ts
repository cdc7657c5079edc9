/** Every service that the front offers, in the order of the documentation. One line an actor: this list is grepped. */
import type { Service } from "../src/rpc/contract.ts";
import { accounts } from "../workers/accounts/contract.ts";
import { affiliate } from "../workers/gateway/affiliate/contract.ts";
import { bargaining } from "../workers/gateway/bargaining/contract.ts";
import { bounty } from "../workers/gateway/bounty/contract.ts";
import { darkPattern } from "../workers/gateway/dark-pattern/contract.ts";
import { firewall } from "../workers/gateway/firewall/contract.ts";
import { gov } from "../workers/gateway/gov/contract.ts";
import { neural } from "../workers/gateway/neural/contract.ts";
import { notary } from "../workers/gateway/notary/contract.ts";
import { price } from "../workers/gateway/price/contract.ts";
import { protocolModule } from "../workers/gateway/protocol/contract.ts";
import { gossip } from "../workers/gossip/contract.ts";
import { keys } from "../workers/keys/contract.ts";
import { protocol } from "../workers/protocol/contract.ts";
import { provider } from "../workers/provider/contract.ts";
import { search } from "../workers/search/contract.ts";
import { session } from "../workers/session/contract.ts";
import { trust } from "../workers/trust/contract.ts";

export const services: readonly Service[] = [
  protocol,
  search,
  gossip,
  keys,
  neural,
  darkPattern,
  firewall,
  price,
  bargaining,
  bounty,
  notary,
  accounts,
  protocolModule,
  affiliate,
  gov,
  provider,
  trust,
  session,
];
