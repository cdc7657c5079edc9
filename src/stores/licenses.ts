/** License look-up: from a key to the one site it opens, as of now. */
import type { ActiveLicense } from "../../schemas/license.ts";
import { limitedTo } from "../domain/listing/site-configuration.ts";
import { type AccountStore, activeAccount } from "./accounts.ts";
import { hashOfKey, isKeyForm } from "./api-keys.ts";

/** The prefix of every license key. */
export const LICENSE_PREFIX = "bridge_lic_";

/**
 * The license with this hash, if it is in force: listed by a valid account that owns the site, and not expired.
 * Sessions check again before every command.
 * @param now milliseconds
 */
export const activeLicense = async (
  store: AccountStore,
  keyHash: string,
  now: number,
): Promise<ActiveLicense | undefined> => {
  const record = (await store.licences.get(keyHash))?.value;
  if (!record) return undefined;
  const [account, site] = await Promise.all([
    activeAccount(store, record.accountId, "machine"),
    store.site(record.siteId),
  ]);
  const owned = account?.licences.find((each) => each.keyHash === keyHash);
  if (!account || !owned || site?.value.accountId !== record.accountId) return undefined;
  if (owned.expiresAt !== null && Date.parse(owned.expiresAt) <= now) return undefined;
  return {
    licenceId: record.licenceId,
    keyHash,
    accountId: record.accountId,
    siteId: record.siteId,
    tier: account.tier,
    configuration: limitedTo(site.value.configuration, owned.permissions),
    permissions: owned.permissions ?? null,
    blockedAccounts: (account.agentBlocks ?? []).flatMap((each) =>
      each.kind === "block" ? [each.accountId] : [],
    ),
    expiresAt: owned.expiresAt,
  };
};

/**
 * The license of a key; undefined if the key is unknown, revoked or expired, or if the site changed owners.
 * @param now milliseconds
 */
export const findLicense = async (
  store: AccountStore,
  key: string,
  now: number,
): Promise<ActiveLicense | undefined> =>
  isKeyForm(LICENSE_PREFIX, key) ? activeLicense(store, hashOfKey(key), now) : undefined;
