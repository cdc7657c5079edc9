/** Authenticates API keys of the module gateway. */
import type { ApiKeyRecord } from "../../../schemas/api-key.ts";
import type { Principals } from "../../../src/rpc/contract.ts";
import { fail } from "../../../src/rpc/errors.ts";
import type { AccountStore } from "../../../src/stores/accounts.ts";
import { activeAccount } from "../../../src/stores/active-account.ts";
import { hashOfKey, isKeyForm } from "../../../src/stores/api-keys.ts";
import type { Records } from "../../../src/stores/records.ts";
import { standingOf } from "../../../src/stores/standing.ts";
import {
  gatewayPlanOf,
  isRevoked,
  KEY_PREFIXES,
  lesserPlan,
  limitsOfKey,
} from "../../../workers/keys/rules.ts";
import type { Authenticator } from "./access.ts";

/** Operations on a key itself do not count against its quota. */
const UNCOUNTED = "keys";

/**
 * An account's key grants at most the account's current plan, and nothing while the account is suspended.
 * @param now milliseconds
 */
export const keyAuthenticator = (
  records: Records<ApiKeyRecord>,
  accounts: Pick<AccountStore, "account">,
  now: () => number,
): Authenticator<Principals["key"]> => ({
  identify: async (credential) => {
    if (!Object.values(KEY_PREFIXES).some((prefix) => isKeyForm(prefix, credential))) return undefined;
    const keyHash = hashOfKey(credential);
    const stored = await records.get(keyHash);
    if (!stored) return undefined;
    const { keyId, usageId, plan, accountId } = stored.value;
    if (isRevoked(stored.value, now()))
      return fail("key_revoked", "This key was revoked; create a new one with POST /api/v1/keys/generate.");
    const principal = { kind: "key", keyId, keyHash, usageId, accountId } as const;
    if (accountId === null) return { ...principal, plan, standing: "anonymous" };
    const account = await activeAccount(accounts, accountId, "machine");
    if (!account) return undefined;
    return {
      ...principal,
      plan: lesserPlan(plan, gatewayPlanOf(account.tier)),
      standing: standingOf(account, now()),
    };
  },
  limits: async ({ usageId, plan }, service) =>
    service === UNCOUNTED ? [] : limitsOfKey(usageId, plan, service),
});
