/** What an account keeps for its agents: licenses by site, and the key of the module gateway that they are charged to. */
import type { Handlers, Principal } from "../../src/rpc/contract.ts";
import { Failure, fail } from "../../src/rpc/errors.ts";
import { hashOfKey } from "../../src/stores/api-keys.ts";
import { hintOf } from "../../src/stores/keys.ts";
import { findLicense } from "../../src/stores/licenses.ts";
import { isRevoked } from "../keys/rules.ts";
import type { accounts } from "./contract.ts";
import type { AccountsDeps } from "./deps.ts";
import { GATEWAY_ENTRY } from "./wallet-contract.ts";

type Deps = Pick<AccountsDeps, "store" | "wallets" | "now">;

export function walletHandlers(
  deps: Deps,
): Pick<Handlers<typeof accounts>, "listWallet" | "keepKey" | "removeKeptKey"> {
  const { wallets } = deps;
  return {
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

    keepKey: async ({ params: { entry }, body: { key } }, { principal }) => {
      const { accountId } = principal;
      const kept =
        entry === GATEWAY_ENTRY
          ? (notTheirs(principal) ?? (await keepGatewayKey(deps, accountId, key)))
          : await keepLicense(deps, accountId, entry, key);
      return kept instanceof Failure ? kept : { entry, kept: true as const };
    },

    removeKeptKey: async ({ params: { entry } }, { principal }) => {
      const { accountId } = principal;
      const removed =
        entry === GATEWAY_ENTRY
          ? (notTheirs(principal) ?? (await wallets.setGatewayKey(accountId, undefined)))
          : await wallets.remove(accountId, entry);
      if (removed instanceof Failure) return removed;
      return removed ? { entry, removed } : fail("not_found", `The wallet has no entry ${entry}.`);
    },
  };
}

/** An agent must not choose what it is charged to. */
const notTheirs = ({ kind }: Principal): Failure<"permission_denied"> | undefined =>
  kind === "agent"
    ? fail("permission_denied", "The account's holder alone sets the key of the gateway.")
    : undefined;

async function keepGatewayKey({ store, wallets, now }: Deps, accountId: string, key: string) {
  const record = (await store.keys.get(hashOfKey(key)))?.value;
  if (record?.kind !== "gateway")
    return fail("key_invalid", "No such API key exists; create one with POST /api/v1/keys/generate.");
  if (isRevoked(record, now()))
    return fail("key_revoked", "This key was revoked; create a new one with POST /api/v1/keys/generate.");
  return wallets.setGatewayKey(accountId, { key, keyHint: hintOf(key) });
}

async function keepLicense({ store, wallets, now }: Deps, accountId: string, siteId: string, key: string) {
  const license = await findLicense(store, key, now());
  return license?.siteId === siteId
    ? wallets.keep(accountId, siteId, key)
    : fail("license_invalid", "The license key is not valid for this domain.");
}
