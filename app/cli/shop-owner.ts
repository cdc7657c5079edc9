/** The synthetic shop's owner: an account that proves the shop and licenses it, by the public API alone. */
import { randomBytes } from "node:crypto";
import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { z } from "zod";
import type { IssuedLicense, OwnerRecord } from "../../schemas/account.ts";
import type { ForkedWorld } from "../../test/world/control.ts";
import { homePaths } from "../processes/home.ts";
import { ask } from "./ask.ts";

const PASSWORD_BYTES = 15;
const NAME_BYTES = 4;

/** What is kept in the home: enough to buy from the shop, and to log in as its owner. */
const DemoShop = z.object({
  registry: z.url(),
  site: z.string(),
  license_key: z.string(),
  email: z.string(),
  password: z.string(),
  /** Text of the TXT record that proves the shop. */
  owner_record: z.string(),
});
export type DemoShop = z.infer<typeof DemoShop>;

/** The shop of a home; undefined before the first start of its synthetic web. */
export const readDemoShop = (home: string): DemoShop | undefined => {
  const { demo } = homePaths(home);
  if (!existsSync(demo)) return undefined;
  try {
    return DemoShop.parse(JSON.parse(readFileSync(demo, "utf8")));
  } catch {
    // A start that was killed, or another version: the shop gets a new owner.
    return undefined;
  }
};

const keep = (home: string, shop: DemoShop): DemoShop => {
  const { demo } = homePaths(home);
  const fresh = `${demo}.new`;
  writeFileSync(fresh, `${JSON.stringify(shop, undefined, 2)}\n`, { mode: 0o600 });
  renameSync(fresh, demo);
  return shop;
};

const isValid = (url: string, { license_key, site }: DemoShop, signal: AbortSignal): Promise<boolean> =>
  ask(url, "/api/license/verify", { signal, body: { licenseKey: license_key, domain: site } }).then(
    () => true,
    () => false,
  );

type Zone = Pick<ForkedWorld, "set">;

/** Registers an owner, proves the shop in the web's DNS, and issues a license that may fill in forms. */
const licenseShop = async (url: string, zone: Zone, site: string, signal: AbortSignal): Promise<DemoShop> => {
  const email = `owner-${randomBytes(NAME_BYTES).toString("hex")}@${site}`;
  const password = randomBytes(PASSWORD_BYTES).toString("base64url");
  await ask(url, "/api/auth/register", { signal, body: { email, password, name: "Shopkeeper" } });
  const { token } = await ask<{ token: string }>(url, "/api/auth/login", {
    signal,
    body: { email, password },
  });
  const challenge = `/api/account/sites/challenge?domain=${site}`;
  const { records } = await ask<{ records: z.infer<typeof OwnerRecord>[] }>(url, challenge, {
    token,
    signal,
  });
  const owner_record = records[0]!.value;
  await zone.set(site, { ownerTxt: [owner_record] });
  await ask(url, "/api/account/sites", { signal, token, body: { domain: site } });
  const permissions = { fillForms: true };
  await ask(url, `/api/account/sites/${site}`, { signal, token, method: "PATCH", body: { permissions } });
  const { license_key } = await ask<z.infer<typeof IssuedLicense>>(url, "/api/account/licenses", {
    signal,
    token,
    body: { siteId: site, name: "bridge demo" },
  });
  return { registry: url, site, license_key, email, password, owner_record };
};

/**
 * Gives the shop an owner and a license, both kept in the home; an owner from an earlier start stays.
 * @param url of the registry's front
 * @param signal ends it
 */
export const ownShop = async (
  home: string,
  url: string,
  zone: Zone,
  site: string,
  signal: AbortSignal,
): Promise<DemoShop> => {
  const kept = readDemoShop(home);
  if (kept?.site === site) {
    await zone.set(site, { ownerTxt: [kept.owner_record] });
    if (await isValid(url, kept, signal)) return keep(home, { ...kept, registry: url });
  }
  return keep(home, await licenseShop(url, zone, site, signal));
};
