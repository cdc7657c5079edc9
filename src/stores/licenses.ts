/** Licences as every process reads them: a key finds the one site that it opens, as things stand at this moment. */
import type { Licence } from "../../schemas/license.ts";
import type { AccountStore } from "./accounts.ts";
import { hashOfKey, isKeyForm } from "./api-keys.ts";
import { standingAccount } from "./standing-account.ts";

/** What every licence key begins with. */
export const LICENCE_PREFIX = "bridge_lic_";

/**
 * The licence with this hash, if it is in force: listed by an account in good standing that owns the site, and not
 * expired. Asked again later, it tells whether a session may go on.
 * @param now milliseconds
 */
export const licenceInForce = async (
  store: AccountStore,
  keyHash: string,
  now: number,
): Promise<Licence | undefined> => {
  const record = (await store.licences.get(keyHash))?.value;
  if (!record) return undefined;
  const [account, site] = await Promise.all([
    standingAccount(store, record.accountId, "machine"),
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
    configuration: site.value.configuration,
    expiresAt: owned.expiresAt,
  };
};

/**
 * The licence that a key opens; undefined for a key that is unknown, revoked, expired or of a site that changed hands.
 * @param now milliseconds
 */
export const findLicence = async (
  store: AccountStore,
  key: string,
  now: number,
): Promise<Licence | undefined> =>
  isKeyForm(LICENCE_PREFIX, key) ? licenceInForce(store, hashOfKey(key), now) : undefined;
