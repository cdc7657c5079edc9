/** A license for a site of a test's world, written as its account's role writes it. */
import { AccountRecord, AccountSiteRecord } from "../../schemas/account.ts";
import { KeyRecord } from "../../schemas/key.ts";
import type { SitePermissions } from "../../schemas/license.ts";
import type { NatsBroker } from "../../src/adapters/nats/nats-broker.ts";
import { defaultConfiguration } from "../../src/domain/listing/site-configuration.ts";
import { hostKey } from "../../src/domain/names/domain-name.ts";
import { uuidv7 } from "../../src/rpc/ids.ts";
import { accountKey, openAccountStore } from "../../src/stores/accounts.ts";
import { hashOfKey, makeKey } from "../../src/stores/api-keys.ts";
import { ACCOUNT_KEY_PREFIXES } from "../../src/stores/keys.ts";

export interface TestLicense {
  key: string;
  accountId: string;
  generation: number;
  licenseId: string;
  /** Ends it, as its owner does. */
  revoke(): Promise<void>;
}

export interface LicenseOptions {
  permissions?: Partial<SitePermissions>;
  restrictions?: { denied_paths?: string[]; denied_commands?: string[] };
  tier?: AccountRecord["tier"];
}

/** An account that owns `siteId`, with one license for it. */
export async function makeLicense(
  broker: Pick<NatsBroker, "buckets">,
  siteId: string,
  { permissions, restrictions, tier = "enterprise" }: LicenseOptions = {},
): Promise<TestLicense> {
  const store = openAccountStore(broker);
  const [accountId, licenseId] = [uuidv7(), uuidv7()];
  const key = makeKey(ACCOUNT_KEY_PREFIXES.license);
  const keyHash = hashOfKey(key);
  const createdAt = new Date().toISOString();
  const configuration = defaultConfiguration();
  await store.sites.put(
    hostKey(siteId),
    AccountSiteRecord.parse({
      v: 1,
      siteId,
      accountId,
      provedAt: createdAt,
      configuration: {
        ...configuration,
        permissions: { ...configuration.permissions, ...permissions },
        restrictions: { ...configuration.restrictions, ...restrictions },
      },
    }),
  );
  const license = { kind: "license", id: licenseId, createdAt };
  await store.keys.put(keyHash, KeyRecord.parse({ v: 1, ...license, accountId }));
  const account = AccountRecord.parse({
    v: 1,
    accountId,
    email: `${accountId}@example.test`,
    name: "Owner",
    passwordHash: "none",
    tier,
    generation: 0,
    suspended: false,
    createdAt,
    knownOrigins: [],
    sites: [siteId],
    keys: [{ ...license, keyHash, keyHint: key.slice(0, 14), name: "test", siteId, expiresAt: null }],
  });
  await store.accounts.put(accountKey(accountId), account);
  return {
    key,
    accountId,
    generation: account.generation,
    licenseId,
    revoke: async () => {
      await store.accounts.put(accountKey(accountId), { ...account, keys: [] });
    },
  };
}
