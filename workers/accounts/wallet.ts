/** What an account keeps for its agents: licenses by site, and the key of the module gateway that they are charged to. */
import type { Handlers } from "../../src/rpc/contract.ts";
import { Failure, fail } from "../../src/rpc/errors.ts";
import { hashOfKey } from "../../src/stores/api-keys.ts";
import { hintOf } from "../../src/stores/keys.ts";
import { findLicense } from "../../src/stores/licenses.ts";
import { isRevoked } from "../keys/rules.ts";
import type { accounts } from "./contract.ts";
import type { AccountsDeps } from "./deps.ts";

type WalletHandlers = Pick<
  Handlers<typeof accounts>,
  "listWallet" | "keepLicense" | "removeKeptLicense" | "setGatewayKey" | "removeGatewayKey"
>;

export const walletHandlers = ({
  store,
  wallets,
  now,
}: Pick<AccountsDeps, "store" | "wallets" | "now">): WalletHandlers => ({
  listWallet: async (_, { principal: { accountId } }) => {
    const [kept, gatewayKey] = await Promise.all([
      wallets.list(accountId),
      wallets.shownGatewayKey(accountId),
    ]);
    return {
      domains: kept.map(({ domain, addedAt }) => ({ domain, added_at: addedAt })),
      gateway_key: gatewayKey ? { key_hint: gatewayKey.keyHint, set_at: gatewayKey.addedAt } : null,
    };
  },

  keepLicense: async ({ params: { domain }, body: { licenseKey } }, { principal: { accountId } }) => {
    const license = await findLicense(store, licenseKey, now());
    if (license?.siteId !== domain)
      return fail("license_invalid", "The license key is not valid for this domain.");
    const kept = await wallets.keep(accountId, domain, licenseKey);
    return kept instanceof Failure ? kept : { domain, added_at: kept.addedAt };
  },

  removeKeptLicense: async ({ params: { domain } }, { principal: { accountId } }) => {
    const removed = await wallets.remove(accountId, domain);
    if (removed instanceof Failure) return removed;
    return removed ? { domain, removed } : fail("not_found", `The wallet has no license for ${domain}.`);
  },

  setGatewayKey: async ({ body: { api_key } }, { principal: { accountId } }) => {
    const record = (await store.keys.get(hashOfKey(api_key)))?.value;
    if (record?.kind !== "gateway") return keyInvalid();
    if (isRevoked(record, now()))
      return fail("key_revoked", "This key was revoked; create a new one with POST /api/v1/keys/generate.");
    const set = await wallets.setGatewayKey(accountId, { key: api_key, keyHint: hintOf(api_key) });
    if (set instanceof Failure) return set;
    const kept = await wallets.shownGatewayKey(accountId);
    // Removed by another request in between.
    if (!kept) return fail("unavailable", "The key was removed at the same time.", { retryAfterSeconds: 1 });
    return { gateway_key: { key_hint: kept.keyHint, set_at: kept.addedAt } };
  },

  removeGatewayKey: async (_, { principal: { accountId } }) => {
    const removed = await wallets.setGatewayKey(accountId, undefined);
    if (removed instanceof Failure) return removed;
    return removed ? { removed } : fail("not_found", "The account keeps no key for its agents.");
  },
});

const keyInvalid = (): Failure<"key_invalid"> =>
  fail("key_invalid", "No such API key exists; create one with POST /api/v1/keys/generate.");
