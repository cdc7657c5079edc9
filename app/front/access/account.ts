/** The token of a log-in. */

import type { Principals } from "../../../src/rpc/contract.ts";
import { CREDENTIAL_CALLS_A_MINUTE } from "../../../src/rpc/limit-table.ts";
import type { AccountStore } from "../../../src/stores/accounts.ts";
import { standingAccount } from "../../../src/stores/standing-account.ts";
import type { Tokens } from "../../../src/stores/tokens.ts";
import type { Authenticator } from "./access.ts";

/** A token counts while its account stands and has the generation it was given in: a new password ends the old ones. */
export const accountAuthenticator = (
  tokens: Tokens,
  store: AccountStore,
): Authenticator<Principals["account"]> => ({
  identify: async (credential) => {
    const payload = await tokens.read(credential);
    const account = payload && (await standingAccount(store, payload.subject, Number(payload.claims.gen)));
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
