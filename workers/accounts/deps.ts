/** What the handlers of accounts work with. */
import type { Counters } from "../../src/ports/counters.ts";
import type { Resolver } from "../../src/ports/dns.ts";
import type { Limiter } from "../../src/rpc/limits.ts";
import type { AccountStore } from "../../src/stores/accounts.ts";
import type { BarringDeps } from "../../src/stores/block-list.ts";
import type { Passwords } from "../../src/stores/passwords.ts";
import type { Plans } from "../../src/stores/plans.ts";
import type { Tokens } from "../../src/stores/tokens.ts";

export interface AccountsDeps extends BarringDeps {
  store: AccountStore;
  plans: Plans;
  passwords: Passwords;
  /** Of log-ins. */
  tokens: Tokens;
  counters: Counters;
  limiter: Limiter;
  resolver: Pick<Resolver, "txt">;
  /** Key of the HMACs that hide addresses in accounts and make the owners' proofs. */
  secret: string;
  /** Milliseconds. */
  now: () => number;
}
