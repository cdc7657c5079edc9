/** Authenticates agents' sessions, by the token of `authenticate`. */

import type { Principals } from "../../../src/rpc/contract.ts";
import type { AccountStore } from "../../../src/stores/accounts.ts";
import { actionLimits } from "../../../src/stores/action-limits.ts";
import { activeAccount } from "../../../src/stores/active-account.ts";
import type { Plans } from "../../../src/stores/plans.ts";
import type { Tokens } from "../../../src/stores/tokens.ts";
import type { Authenticator } from "./access.ts";

const textOf = (claim: unknown): string => (typeof claim === "string" ? claim : "");

/**
 * A session is valid while its account lists its license: revoking, rotating or suspending ends it. The session actor
 * checks that the account still owns the site, and that the session's record exists. It knows the key of a session
 * whose token, of an earlier version, names the license alone, and refuses one whose license has another since.
 */
export const sessionAuthenticator = (
  tokens: Tokens,
  store: AccountStore,
  plans: Plans,
): Authenticator<Principals["session"]> => ({
  identify: async (credential) => {
    const payload = await tokens.read(credential);
    if (!payload) return undefined;
    const { site, agent, licence, account, key } = payload.claims;
    const holder = await activeAccount(store, textOf(account), "machine");
    if (!holder?.licences.some(({ id, keyHash }) => (key === undefined ? id === licence : keyHash === key)))
      return undefined;
    return {
      kind: "session",
      sessionId: payload.subject,
      siteId: textOf(site),
      agentId: textOf(agent),
      licenceId: textOf(licence),
      accountId: textOf(account),
    };
  },
  // A removed account has no plan; the session actor, which checks the license, ends its sessions.
  limits: async ({ accountId, licenceId }, _service, operation) => {
    const account = (await store.account(accountId))?.value;
    const limits = account ? await actionLimits(plans, { accountId, licenceId, tier: account.tier }) : [];
    return operation === "execute" ? limits : limits.filter(({ window }) => window === "minute");
  },
});
