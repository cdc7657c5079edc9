/** Licenses of an account: each opens one of its sites to agents. */
import type { AccountRecord } from "../../schemas/account.ts";
import { parsePastedDomain } from "../../src/domain/names/pasted-domain.ts";
import type { Handlers } from "../../src/rpc/contract.ts";
import { Failure, fail } from "../../src/rpc/errors.ts";
import { uuidv7 } from "../../src/rpc/ids.ts";
import { findLicense } from "../../src/stores/licenses.ts";
import { issueOwned, licenseKeysOf, revokeOwned, rotateOwned } from "../../src/stores/owned-keys.ts";
import type { accounts } from "./contract.ts";
import type { AccountsDeps } from "./deps.ts";
import { endOfLicense, shownLicense } from "./rules.ts";

type LicenseHandlers = Pick<
  Handlers<typeof accounts>,
  "createLicense" | "licenses" | "rotateLicense" | "revokeLicense" | "verifyLicense"
>;

export const licenseHandlers = ({ store, now }: AccountsDeps): LicenseHandlers => {
  const collection = licenseKeysOf(store);
  return {
    createLicense: async ({ body }, { principal: { accountId }, seed }) => {
      const { siteId, name = "" } = body;
      const at = now();
      const expiresAt = endOfLicense(body, at);
      if (expiresAt instanceof Failure) return expiresAt;
      const notOwned = fail("not_found", `The account has no site ${siteId}.`);
      if ((await store.site(siteId))?.value.accountId !== accountId) return notOwned;
      const { permissions } = body;
      const createdAt = new Date(at).toISOString();
      const rest = { id: uuidv7(), siteId, name, createdAt, expiresAt, ...(permissions && { permissions }) };
      const allows = (account: AccountRecord) => (account.sites.includes(siteId) ? undefined : notOwned);
      const issued = await issueOwned(store, collection, accountId, rest, allows, seed);
      if (issued instanceof Failure) return issued;
      return { ...shownLicense(issued.owned, at), license_key: issued.key };
    },

    licenses: async (_, { principal: { accountId } }) => {
      const account = (await store.account(accountId))?.value;
      return { licenses: (account?.licences ?? []).map((each) => shownLicense(each, now())) };
    },

    rotateLicense: async ({ params: { licenseId } }, { principal: { accountId } }) => {
      const rotated = await rotateOwned(store, collection, accountId, licenseId);
      return rotated instanceof Failure
        ? rotated
        : { ...shownLicense(rotated.owned, now()), license_key: rotated.key };
    },

    revokeLicense: async ({ params: { licenseId } }, { principal: { accountId } }) => {
      const revoked = await revokeOwned(store, collection, accountId, licenseId);
      return revoked instanceof Failure ? revoked : { license_id: revoked.id, revoked: true as const };
    },

    verifyLicense: async ({ body: { licenseKey, domain } }) => {
      const parsed = parsePastedDomain(domain);
      if (!parsed.ok) return fail("invalid_domain", `domain ${parsed.detail}.`);
      const license = await findLicense(store, licenseKey, now());
      if (!license || license.siteId !== parsed.host)
        return fail("license_invalid", "The license key is not valid for this domain.");
      const { tier, siteId, configuration, expiresAt } = license;
      return { valid: true as const, tier, domain: siteId, configuration, expires_at: expiresAt };
    },
  };
};
