/** Every service that the front offers, in the order of the documentation. One line an actor: this list is grepped. */
import type { Service } from "../src/contract.ts";
import { accounts } from "./accounts/contract.ts";
import { affiliate } from "./gateway/affiliate/contract.ts";
import { bargaining } from "./gateway/bargaining/contract.ts";
import { bounty } from "./gateway/bounty/contract.ts";
import { darkPattern } from "./gateway/dark-pattern/contract.ts";
import { firewall } from "./gateway/firewall/contract.ts";
import { gov } from "./gateway/gov/contract.ts";
import { neural } from "./gateway/neural/contract.ts";
import { notary } from "./gateway/notary/contract.ts";
import { price } from "./gateway/price/contract.ts";
import { protocolModule } from "./gateway/protocol/contract.ts";
import { gossip } from "./gossip/contract.ts";
import { keys } from "./keys/contract.ts";
import { protocol } from "./protocol/contract.ts";
import { provider } from "./provider/contract.ts";
import { search } from "./search/contract.ts";
import { session } from "./session/contract.ts";
import { trust } from "./trust/contract.ts";

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
