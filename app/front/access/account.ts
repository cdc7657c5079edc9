/** Authenticates log-in tokens. */

import type { Principals } from "../../../src/rpc/contract.ts";
import { CREDENTIAL_CALLS_A_MINUTE } from "../../../src/rpc/limit-rows/row.ts";
import type { AccountStore } from "../../../src/stores/accounts.ts";
import { activeAccount } from "../../../src/stores/active-account.ts";
import type { Tokens } from "../../../src/stores/tokens.ts";
import type { Authenticator } from "./access.ts";

/**
 * A token is valid while its account is not suspended and has the token's generation: a new password ends earlier
 * tokens.
 */
export const accountAuthenticator = (
  tokens: Tokens,
  store: AccountStore,
): Authenticator<Principals["account"]> => ({
  identify: async (credential) => {
    const payload = await tokens.read(credential);
    const account = payload && (await activeAccount(store, payload.subject, Number(payload.claims.gen)));
    if (!account) return undefined;
    const { accountId, tier, generation } = account;
    return { kind: "account", accountId, tier, generation };
  },
  limits: async ({ accountId }) => [
    {
      name: "minute",
      window: "minute",
      key: `account.${accountId}`,
      quota: CREDENTIAL_CALLS_A_MINUTE.account,
    },
  ],
});
