/** Accounts as a role: the one writer of accounts, their sites, licences and projects. */

import { loginTokens } from "../../app/front/access/account.ts";
import type { Runtime } from "../../app/processes/runtime.ts";
import type { RunningRole } from "../../app/processes/start-roles.ts";
import { LIMITS } from "../../src/rpc/limit-table.ts";
import { scaled } from "../../src/rpc/limits.ts";
import { openAccountStore } from "../../src/stores/accounts.ts";
import { createPasswords } from "../../src/stores/passwords.ts";
import { openPlans } from "../../src/stores/plans.ts";
import { serve } from "../../src/transport/serve.ts";
import { accounts } from "./contract.ts";
import { accountsHandlers } from "./handlers.ts";

export const start = async (runtime: Runtime): Promise<RunningRole> => {
  const { broker, identity, log, resolver, blocks, frontier, clock, config, limiter } = runtime;
  const plans = openPlans(broker.buckets.plans, broker.now);
  await plans.ensure();
  const handlers = accountsHandlers({
    store: openAccountStore(broker),
    plans,
    passwords: createPasswords({
      maxWaiting: scaled(LIMITS.password_hashes.by.total.atOnce, config.BRIDGE_LIMITS_PERCENT),
      mostOfGroup: scaled(LIMITS.password_hashes.by.network.atOnce, config.BRIDGE_LIMITS_PERCENT),
    }),
    tokens: loginTokens(runtime),
    counters: broker.counters,
    limiter,
    resolver,
    secret: identity.secret,
    now: broker.now,
    broker,
    blocks,
    frontier,
    clock,
  });
  const serving = serve(broker.connection, broker.prefix, accounts, handlers, log);
  return { servings: [serving], read: async () => ({}), drain: serving.drain };
};
