/** Owners in the synthetic web: accounts that prove a site, license the shop and let agents in, by the public API alone. */
import { randomBytes } from "node:crypto";
import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { z } from "zod";
import type { OwnerRecord } from "../../schemas/account.ts";
import type { ForkedWorld } from "../../world/control.ts";
import { homePaths } from "../processes/home.ts";
import { askRegistry } from "./ask.ts";

const PASSWORD_BYTES = 15;
const NAME_BYTES = 4;

/** A site that an account has proved to be its own. */
const OwnedSite = z.object({
  site: z.string(),
  email: z.string(),
  password: z.string(),
  /** Text of the TXT record that proves it. */
  owner_record: z.string(),
});

/** What is kept in the home: enough to buy from the shop, and to log in as an owner of each of these sites. */
const DemoShop = OwnedSite.extend({
  registry: z.url(),
  license_key: z.string(),
  /** Sites that let agents in: at once, or on request. */
  welcoming: z.array(OwnedSite.extend({ access: z.enum(["open", "request"]) })),
});
export type DemoShop = z.infer<typeof DemoShop>;

type Zone = Pick<ForkedWorld, "set">;

/** Sites that let agents in, and how. */
export interface OpenSite {
  site: string;
  access: "open" | "request";
}

/**
 * Gives the shop an owner and a license, both kept in the home; an owner from an earlier start stays.
 * @param url of the registry's front
 * @param signal ends it
 */
export async function ownShop(
  home: string,
  url: string,
  zone: Zone,
  site: string,
  signal: AbortSignal,
): Promise<DemoShop> {
  const kept = readDemoShop(home);
  if (kept?.site === site) {
    for (const owned of [kept, ...kept.welcoming])
      await zone.set(owned.site, { ownerTxt: [owned.owner_record] });
    if (await isValid(url, kept, signal)) return keep(home, { ...kept, registry: url });
  }
  return keep(home, await licenseShop(url, zone, site, signal));
}

/** The shop of a home; undefined before the first start of its synthetic web. */
export function readDemoShop(home: string): DemoShop | undefined {
  const { demo } = homePaths(home);
  if (!existsSync(demo)) return undefined;
  try {
    return DemoShop.parse(JSON.parse(readFileSync(demo, "utf8")));
  } catch {
    // A start that was killed, or another version: the shop gets a new owner.
    return undefined;
  }
}

const isValid = (url: string, { license_key, site }: DemoShop, signal: AbortSignal): Promise<boolean> =>
  askRegistry(url, "/api/license/verify", { signal, body: { licenseKey: license_key, domain: site } }).then(
    () => true,
    () => false,
  );

function keep(home: string, shop: DemoShop): DemoShop {
  const { demo } = homePaths(home);
  const fresh = `${demo}.new`;
  writeFileSync(fresh, `${JSON.stringify(shop, undefined, 2)}\n`, { mode: 0o600 });
  renameSync(fresh, demo);
  return shop;
}

/** The shop's license may fill in forms. */
async function licenseShop(url: string, zone: Zone, site: string, signal: AbortSignal): Promise<DemoShop> {
  const { token, ...owned } = await proveSite(url, zone, site, signal);
  const permissions = { fillForms: true };
  await askRegistry(url, `/api/account/sites/${site}`, {
    signal,
    token,
    method: "PATCH",
    body: { permissions },
  });
  const { key: license_key } = await askRegistry<{ key: string }>(url, "/api/account/keys", {
    signal,
    token,
    body: { kind: "license", siteId: site, name: "bridge demo" },
  });
  return { registry: url, ...owned, license_key, welcoming: [] };
}

/** Registers an owner who proves the site in the web's DNS. A plan without a price has one site: each has its own owner. */
async function proveSite(
  url: string,
  zone: Zone,
  site: string,
  signal: AbortSignal,
): Promise<z.infer<typeof OwnedSite> & { token: string }> {
  const email = `owner-${randomBytes(NAME_BYTES).toString("hex")}@${site}`;
  const password = randomBytes(PASSWORD_BYTES).toString("base64url");
  await askRegistry(url, "/api/auth/register", { signal, body: { email, password, name: "Shopkeeper" } });
  const { token } = await askRegistry<{ token: string }>(url, "/api/auth/login", {
    signal,
    body: { email, password },
  });
  const challenge = `/api/account/sites/challenge?domain=${site}`;
  const { records } = await askRegistry<{ records: z.infer<typeof OwnerRecord>[] }>(url, challenge, {
    token,
    signal,
  });
  const owner_record = records[0]!.value;
  await zone.set(site, { ownerTxt: [owner_record] });
  await askRegistry(url, "/api/account/sites", { signal, token, body: { domain: site } });
  return { site, email, password, owner_record, token };
}

/** Has owners of these sites let agents in, as far as an earlier start did not; what was done is kept in the home at once. */
export async function letAgentsIn(
  home: string,
  shop: DemoShop,
  zone: Zone,
  wanted: readonly OpenSite[],
  signal: AbortSignal,
): Promise<void> {
  let kept = shop;
  for (const { site, access } of wanted) {
    if (kept.welcoming.some((each) => each.site === site)) continue;
    const { token, ...owned } = await proveSite(shop.registry, zone, site, signal);
    await askRegistry(shop.registry, `/api/account/sites/${site}`, {
      signal,
      token,
      method: "PATCH",
      body: { access },
    });
    kept = keep(home, { ...kept, welcoming: [...kept.welcoming, { ...owned, access }] });
  }
}
