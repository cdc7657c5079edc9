import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import type { AccountRecord } from "../../schemas/account.ts";
import { systemClock } from "../../src/adapters/clock/system-clock.ts";
import { openBroker } from "../../src/adapters/nats/broker.ts";
import type { NatsBroker } from "../../src/adapters/nats/nats-broker.ts";
import { defaultConfiguration } from "../../src/domain/listing/site-configuration.ts";
import { hostKey } from "../../src/domain/names/domain-name.ts";
import { type AccountStore, accountKey, openAccountStore } from "../../src/stores/accounts.ts";
import { hashOfKey, makeKey } from "../../src/stores/api-keys.ts";
import { ACCOUNT_KEY_PREFIXES } from "../../src/stores/keys.ts";
import { activeLicense, findLicense } from "../../src/stores/licenses.ts";

const NOW = Date.UTC(2026, 0, 31);
const { license: LICENSE_PREFIX } = ACCOUNT_KEY_PREFIXES;
const KEY = makeKey(LICENSE_PREFIX);
const keyHash = hashOfKey(KEY);

const account = (change: Partial<AccountRecord> = {}): AccountRecord => ({
  v: 1,
  accountId: "a1",
  email: "owner@shop.example",
  name: "Owner",
  passwordHash: "$argon2id$v=19$m=19456,t=2,p=1$AAAA$AAAA",
  tier: "pro",
  generation: 1,
  suspended: false,
  createdAt: new Date(NOW).toISOString(),
  knownOrigins: [],
  sites: ["shop.example"],
  keys: [
    {
      kind: "license",
      id: "l1",
      keyHash,
      keyHint: KEY.slice(0, 15),
      name: "",
      siteId: "shop.example",
      createdAt: new Date(NOW).toISOString(),
      expiresAt: new Date(NOW + 1_000).toISOString(),
    },
  ],
  ...change,
});

let broker: NatsBroker;
let store: AccountStore;
beforeAll(async () => {
  const prefix = `t${randomBytes(6).toString("hex")}`;
  broker = await openBroker({
    url: inject("natsUrl"),
    prefix,
    name: "test",
    clock: systemClock,
    setUp: true,
  });
  store = openAccountStore(broker);
  const createdAt = new Date(NOW).toISOString();
  await store.keys.put(keyHash, { v: 1, kind: "license", id: "l1", accountId: "a1", createdAt });
});
afterAll(() => broker?.close());

async function given(change: Partial<AccountRecord> = {}, siteOwner = "a1") {
  await store.accounts.put(accountKey("a1"), account(change));
  await store.sites.put(hostKey("shop.example"), {
    v: 1,
    siteId: "shop.example",
    accountId: siteOwner,
    provedAt: new Date(NOW).toISOString(),
    configuration: defaultConfiguration(),
  });
}

describe("a license key", () => {
  it("opens its site, with the account's tier and the site's configuration of the moment", async () => {
    await given();
    expect(await findLicense(store, KEY, NOW)).toMatchObject({
      licenceId: "l1",
      siteId: "shop.example",
      tier: "pro",
      configuration: { permissions: { readContent: true, fillForms: false } },
    });
    await given({ tier: "free" });
    expect((await activeLicense(store, keyHash, "shop.example", NOW))?.tier).toBe("free");
  });

  it("opens nothing once it is expired, revoked, of a suspended account, or of a site that changed hands", async () => {
    await given();
    expect(await findLicense(store, KEY, NOW + 999)).toBeDefined();
    expect(await findLicense(store, KEY, NOW + 1_000)).toBeUndefined();
    await given({ keys: [] });
    expect(await findLicense(store, KEY, NOW)).toBeUndefined();
    await given({ suspended: true });
    expect(await findLicense(store, KEY, NOW)).toBeUndefined();
    await given({}, "a2");
    expect(await findLicense(store, KEY, NOW)).toBeUndefined();
  });

  it.each(["", "x", `${KEY}x`, KEY.toUpperCase(), keyHash, `${LICENSE_PREFIX}${"x".repeat(10_000)}`])(
    "is not %s",
    async (key) => {
      await given();
      expect(await findLicense(store, key, NOW)).toBeUndefined();
    },
  );
});
