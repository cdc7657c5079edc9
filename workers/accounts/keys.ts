/** Keys that an account issues: licenses for its sites, tokens of its agents, keys of its projects. workers/keys lists and ends them. */
import type { AccountRecord } from "../../schemas/account.ts";
import type { OwnedAgent, OwnedLicense, OwnedProject } from "../../schemas/key.ts";
import { parsePastedDomain } from "../../src/domain/names/pasted-domain.ts";
import { iso } from "../../src/ports/time.ts";
import type { Handlers } from "../../src/rpc/contract.ts";
import { Failure, fail } from "../../src/rpc/errors.ts";
import { uuidv7 } from "../../src/rpc/ids.ts";
import { issueKey } from "../../src/stores/keys.ts";
import { findLicense } from "../../src/stores/licenses.ts";
import { shownAgent, shownLicense, shownProject } from "../keys/rules.ts";
import type { accounts } from "./contract.ts";
import type { AccountsDeps } from "./deps.ts";
import { endOfLicense } from "./rules.ts";

type KeyHandlers = Pick<
  Handlers<typeof accounts>,
  "createLicense" | "createProject" | "createAgent" | "verifyLicense"
>;

export const keyHandlers = ({ store, now }: Pick<AccountsDeps, "store" | "now">): KeyHandlers => ({
  createLicense: async ({ body }, { principal: { accountId }, seed }) => {
    const { siteId, name = "", permissions } = body;
    const at = now();
    const expiresAt = endOfLicense(body, at);
    if (expiresAt instanceof Failure) return expiresAt;
    const notOwned = fail("not_found", `The account has no site ${siteId}.`);
    if ((await store.site(siteId))?.value.accountId !== accountId) return notOwned;
    const issued = await issueKey<OwnedLicense, "not_found">(
      store,
      accountId,
      {
        kind: "license",
        id: uuidv7(),
        name,
        createdAt: iso(at),
        siteId,
        expiresAt,
        ...(permissions && { permissions }),
      },
      {
        allows: (account: AccountRecord) => (account.sites.includes(siteId) ? undefined : notOwned),
        seed,
      },
    );
    if (issued instanceof Failure) return issued;
    return { ...shownLicense(issued.owned, at), license_key: issued.key };
  },

  createProject: async ({ body: { name } }, { principal: { accountId }, seed }) => {
    const wanted = { kind: "project" as const, id: uuidv7(), name, createdAt: iso(now()) };
    const issued = await issueKey<OwnedProject>(store, accountId, wanted, { seed });
    return issued instanceof Failure ? issued : { ...shownProject(issued.owned), project_key: issued.key };
  },

  createAgent: async ({ body: { name } }, { principal: { accountId, generation }, seed }) => {
    const wanted = { kind: "agent" as const, id: uuidv7(), name, createdAt: iso(now()), generation };
    const issued = await issueKey<OwnedAgent>(store, accountId, wanted, { seed });
    return issued instanceof Failure
      ? issued
      : { ...shownAgent(issued.owned, issued.account), agent_token: issued.key };
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
});
