/** API keys of the module gateway. */
import type { ApiKeyRecord } from "../../schemas/api-key.ts";
import { isRevoked, KEY_PREFIXES, limitsOfKey } from "../../workers/keys/rules.ts";
import type { Records } from "../adapters/nats/records.ts";
import { hashOfKey, isKeyForm } from "../api-keys.ts";
import type { Authenticator } from "../auth.ts";
import type { Principals } from "../contract.ts";
import { fail } from "../errors.ts";

/** The operations on a key itself cost nothing of its quota. */
const UNCOUNTED = "keys";

/** @param now milliseconds */
export const keyAuthenticator = (
  records: Records<ApiKeyRecord>,
  now: () => number,
): Authenticator<Principals["key"]> => ({
  identify: async (credential) => {
    if (!Object.values(KEY_PREFIXES).some((prefix) => isKeyForm(prefix, credential))) return undefined;
    const keyHash = hashOfKey(credential);
    const stored = await records.get(keyHash);
    if (!stored) return undefined;
    const { keyId, usageId, plan, accountId } = stored.value;
    if (isRevoked(stored.value, now()))
      return fail("key_revoked", "This key was revoked; POST /api/v1/keys/generate makes a new one.");
    return { kind: "key", keyId, keyHash, usageId, plan, accountId };
  },
  limits: async ({ usageId, plan }, service) =>
    service === UNCOUNTED ? [] : limitsOfKey(usageId, plan, service),
});
