/** License look-up: from a key to the one site it opens, as of now. */

import type { AccountRecord } from "../../schemas/account.ts";
import type { OwnedLicense } from "../../schemas/key.ts";
import type { ActiveLicense } from "../../schemas/license.ts";
import { limitedTo } from "../domain/listing/site-configuration.ts";
import type { AccountStore } from "./accounts.ts";
import { activeKey, findKey } from "./keys.ts";

/**
 * The license with this hash for a site, if it is in force. Sessions check again before every command.
 * @param siteId the site is looked up while the key is
 * @param now milliseconds
 */
export async function activeLicense(
  store: AccountStore,
  keyHash: string,
  siteId: string,
  now: number,
): Promise<ActiveLicense | undefined> {
  const site = store.site(siteId);
  const [found] = await Promise.all([activeKey(store, "license", keyHash), site]);
  return found?.key.siteId === siteId ? opened({ site: () => site }, found, now) : undefined;
}

/** What a license opens, if its account still owns the site, and it has not expired. @param now milliseconds */
async function opened(
  { site }: Pick<AccountStore, "site">,
  found: { key: OwnedLicense; account: AccountRecord } | undefined,
  now: number,
): Promise<ActiveLicense | undefined> {
  if (!found) return undefined;
  const { key, account } = found;
  if (key.expiresAt !== null && Date.parse(key.expiresAt) <= now) return undefined;
  const owned = (await site(key.siteId))?.value;
  if (owned?.accountId !== account.accountId) return undefined;
  return {
    licenseId: key.id,
    keyHash: key.keyHash,
    accountId: account.accountId,
    siteId: key.siteId,
    tier: account.tier,
    configuration: limitedTo(owned.configuration, key.permissions),
    permissions: key.permissions ?? null,
    blockedAccounts: (account.agentBlocks ?? []).flatMap((each) =>
      each.kind === "block" ? [each.accountId] : [],
    ),
    expiresAt: key.expiresAt,
  };
}

/**
 * The license of a key; undefined if the key is unknown, revoked or expired, or if the site changed owners.
 * @param now milliseconds
 */
export const findLicense = async (
  store: AccountStore,
  key: string,
  now: number,
): Promise<ActiveLicense | undefined> => opened(store, await findKey(store, "license", key), now);
