/** The operations of accounts: plans and the caller's own account here, the others in files by resource. */
import { parsePastedDomain } from "../../src/domain/names/pasted-domain.ts";
import type { Handlers } from "../../src/rpc/contract.ts";
import { fail } from "../../src/rpc/errors.ts";
import { accountGone } from "../../src/stores/accounts.ts";
import { actionsKey } from "../../src/stores/action-limits.ts";
import { findLicense } from "../../src/stores/licenses.ts";
import { appealHandlers } from "./appeals/handlers.ts";
import { closeOwnAccount } from "./closing.ts";
import type { accounts } from "./contract.ts";
import type { AccountsDeps } from "./deps.ts";
import { publishDocument } from "./documents.ts";
import { linkHandlers } from "./links.ts";
import { logInHandlers } from "./log-ins.ts";
import { noticeHandlers, shownNotices } from "./notices/handlers.ts";
import { passkeyHandlers } from "./passkeys.ts";
import { choosePlan, planRequestView } from "./plan-choice.ts";
import { shownUser } from "./rules.ts";
import { signInHandlers } from "./sign-in.ts";
import { siteHandlers } from "./sites.ts";
import { walletHandlers } from "./wallet.ts";
import { watchHandlers } from "./watches/handlers.ts";

export function accountsHandlers(deps: AccountsDeps): Handlers<typeof accounts> {
  const { store, plans, planRequests, counters, now } = deps;
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
        notices: shownNotices(deps, account),
        known_addresses: account.knownOrigins.length,
        usage: { sites: account.sites.length, actions_this_month: actions },
      };
    },

    choosePlan: choosePlan(deps),

    closeAccount: closeOwnAccount(deps),

    ...signInHandlers(deps),
    ...linkHandlers(deps),
    ...logInHandlers(deps),
    ...noticeHandlers(deps),
    ...watchHandlers(deps),
    ...passkeyHandlers(deps),
    ...siteHandlers(deps),
    publishDocument: publishDocument(deps),
    ...appealHandlers(deps),

    verifyLicense: async ({ body: { licenseKey, domain } }) => {
      const parsed = parsePastedDomain(domain);
      if (!parsed.ok) return fail("invalid_domain", `domain ${parsed.detail}.`);
      const license = await findLicense(store, licenseKey, now());
      if (license?.siteId !== parsed.host)
        return fail("license_invalid", "The license key is not valid for this domain.");
      const { tier, siteId, configuration, expiresAt } = license;
      return { valid: true as const, tier, domain: siteId, configuration, expires_at: expiresAt };
    },

    ...walletHandlers(deps),
  };
}
