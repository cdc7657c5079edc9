/** The operations of accounts: plans and the caller's own account here, the others in files by resource. */
import type { Handlers } from "../../src/rpc/contract.ts";
import { accountGone } from "../../src/stores/accounts.ts";
import { actionsKey } from "../../src/stores/action-limits.ts";
import { appealHandlers } from "./appeals/handlers.ts";
import type { accounts } from "./contract.ts";
import type { AccountsDeps } from "./deps.ts";
import { documentHandlers } from "./documents.ts";
import { keyHandlers } from "./keys.ts";
import { linkHandlers } from "./links.ts";
import { logInHandlers } from "./log-ins.ts";
import { noticeHandlers } from "./notices/handlers.ts";
import { ownDataHandlers } from "./own-data.ts";
import { passkeyHandlers } from "./passkeys.ts";
import { choosePlan, planRequestView } from "./plan-choice.ts";
import { shownUser } from "./rules.ts";
import { signInHandlers } from "./sign-in.ts";
import { siteHandlers } from "./sites.ts";
import { walletHandlers } from "./wallet.ts";

export function accountsHandlers(deps: AccountsDeps): Handlers<typeof accounts> {
  const { store, plans, planRequests, counters } = deps;
  return {
    listPlans: async () => ({ plans: await plans.active() }),

    getAccount: async (_, { principal: { accountId } }) => {
      const account = (await store.account(accountId))?.value;
      if (!account) return accountGone();
      const [plan, counted, request] = await Promise.all([
        plans.of(account.tier),
        counters.read("month", actionsKey(accountId)),
        planRequests.of(accountId),
      ]);
      // The counter includes refused actions, which do not use the plan.
      const most = plan.max_actions_per_month;
      const actions = most < 0 ? counted : Math.min(counted, most);
      return {
        user: shownUser(account),
        plan,
        plan_request: planRequestView(request),
        usage: { sites: account.sites.length, actions_this_month: actions },
      };
    },

    choosePlan: choosePlan(deps),

    ...signInHandlers(deps),
    ...linkHandlers(deps),
    ...logInHandlers(deps),
    ...noticeHandlers(deps),
    ...ownDataHandlers(deps),
    ...passkeyHandlers(deps),
    ...siteHandlers(deps),
    ...documentHandlers(deps),
    ...appealHandlers(deps),
    ...keyHandlers(deps),
    ...walletHandlers(deps),
  };
}
