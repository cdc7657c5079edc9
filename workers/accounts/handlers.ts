import { parseHost } from "../../src/domain/names/domain-name.ts";
import { DAY_MS } from "../../src/domain/protocols/time.ts";
import type { Counters } from "../../src/ports/counters.ts";
import type { Resolver } from "../../src/ports/dns.ts";
import type { Handlers } from "../../src/rpc/contract.ts";
import { Failure, fail } from "../../src/rpc/errors.ts";
import { uuidv7 } from "../../src/rpc/ids.ts";
import type { Limiter } from "../../src/rpc/limits.ts";
import { type AccountStore, accountGone } from "../../src/stores/accounts.ts";
import { actionsKey } from "../../src/stores/action-limits.ts";
import type { BarringDeps } from "../../src/stores/block-list.ts";
import { findLicence } from "../../src/stores/licenses.ts";
import type { Passwords } from "../../src/stores/passwords.ts";
import type { Plans } from "../../src/stores/plans.ts";
import type { Tokens } from "../../src/stores/tokens.ts";
import type { accounts } from "./contract.ts";
import { issueOwned, licenceShelf, projectShelf, revokeOwned, rotateOwned } from "./owned-keys.ts";
import { shownLicence, shownProject, shownUser } from "./rules.ts";
import { signInHandlers } from "./sign-in.ts";
import { siteHandlers } from "./sites.ts";

export interface AccountsDeps extends BarringDeps {
  store: AccountStore;
  plans: Plans;
  passwords: Passwords;
  /** Of log-ins. */
  tokens: Tokens;
  counters: Counters;
  limiter: Limiter;
  resolver: Pick<Resolver, "txt">;
  /** Key of the HMACs that hide addresses in accounts and make the owners' proofs. */
  secret: string;
  /** Milliseconds. */
  now: () => number;
}

type LicenceHandlers = Pick<
  Handlers<typeof accounts>,
  "createLicense" | "licenses" | "rotateLicense" | "revokeLicense" | "verifyLicense"
>;

const licenceHandlers = ({ store, now }: AccountsDeps): LicenceHandlers => {
  const shelf = licenceShelf(store);
  return {
    createLicense: async ({ body: { siteId, name = "", expires_in_days } }, { principal: { accountId } }) => {
      const notOwned = fail("not_found", `The account has no site ${siteId}.`);
      if ((await store.site(siteId))?.value.accountId !== accountId) return notOwned;
      const at = now();
      const expiresAt =
        expires_in_days === undefined ? null : new Date(at + expires_in_days * DAY_MS).toISOString();
      const rest = { id: uuidv7(), siteId, name, createdAt: new Date(at).toISOString(), expiresAt };
      const issued = await issueOwned(store, shelf, accountId, rest, (account) =>
        account.sites.includes(siteId) ? undefined : notOwned,
      );
      if (issued instanceof Failure) return issued;
      return { ...shownLicence(issued.owned, at), license_key: issued.key };
    },

    licenses: async (_, { principal: { accountId } }) => {
      const account = (await store.account(accountId))?.value;
      return { licenses: (account?.licences ?? []).map((each) => shownLicence(each, now())) };
    },

    rotateLicense: async ({ params: { licenseId } }, { principal: { accountId } }) => {
      const rotated = await rotateOwned(store, shelf, accountId, licenseId);
      return rotated instanceof Failure
        ? rotated
        : { ...shownLicence(rotated.owned, now()), license_key: rotated.key };
    },

    revokeLicense: async ({ params: { licenseId } }, { principal: { accountId } }) => {
      const revoked = await revokeOwned(store, shelf, accountId, licenseId);
      return revoked instanceof Failure ? revoked : { license_id: revoked.id, revoked: true as const };
    },

    verifyLicense: async ({ body: { licenseKey, domain } }) => {
      const parsed = parseHost(domain);
      const licence = await findLicence(store, licenseKey, now());
      if (!licence || !parsed.ok || licence.siteId !== parsed.host)
        return fail("license_invalid", "The license key is not valid for this domain.");
      const { tier, siteId, configuration, expiresAt } = licence;
      return { valid: true as const, tier, domain: siteId, configuration, expires_at: expiresAt };
    },
  };
};

type ProjectHandlers = Pick<
  Handlers<typeof accounts>,
  "createProject" | "projects" | "rotateProject" | "revokeProject"
>;

const projectHandlers = ({ store, now }: AccountsDeps): ProjectHandlers => {
  const shelf = projectShelf(store);
  return {
    createProject: async ({ body: { name } }, { principal: { accountId } }) => {
      const rest = { id: uuidv7(), name, createdAt: new Date(now()).toISOString() };
      const issued = await issueOwned(store, shelf, accountId, rest);
      return issued instanceof Failure ? issued : { ...shownProject(issued.owned), project_key: issued.key };
    },

    projects: async (_, { principal: { accountId } }) => {
      const account = (await store.account(accountId))?.value;
      return { projects: (account?.projects ?? []).map(shownProject) };
    },

    rotateProject: async ({ params: { projectId } }, { principal: { accountId } }) => {
      const rotated = await rotateOwned(store, shelf, accountId, projectId);
      return rotated instanceof Failure
        ? rotated
        : { ...shownProject(rotated.owned), project_key: rotated.key };
    },

    revokeProject: async ({ params: { projectId } }, { principal: { accountId } }) => {
      const revoked = await revokeOwned(store, shelf, accountId, projectId);
      return revoked instanceof Failure ? revoked : { project_id: revoked.id, revoked: true as const };
    },
  };
};

export const accountsHandlers = (deps: AccountsDeps): Handlers<typeof accounts> => {
  const { store, plans, counters } = deps;
  return {
    plans: async () => ({ plans: await plans.active() }),

    me: async (_, { principal: { accountId } }) => {
      const account = (await store.account(accountId))?.value;
      if (!account) return accountGone();
      const [plan, counted] = await Promise.all([
        plans.of(account.tier),
        counters.read("month", actionsKey(accountId)),
      ]);
      // Refused actions are counted too, but are no use of the plan.
      const most = plan.max_actions_per_month;
      const actions = most < 0 ? counted : Math.min(counted, most);
      return {
        user: shownUser(account),
        plan,
        usage: { sites: account.sites.length, actions_this_month: actions },
      };
    },

    ...signInHandlers(deps),
    ...siteHandlers(deps),
    ...licenceHandlers(deps),
    ...projectHandlers(deps),
  };
};
