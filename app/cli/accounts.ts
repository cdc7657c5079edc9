/** `bridge accounts`: what of accounts is no operation, since it takes the broker's rights. */
import { randomBytes } from "node:crypto";
import { TIERS, Tier } from "../../schemas/license.ts";
import { Plan } from "../../schemas/plan.ts";
import { emailIdentity } from "../../src/domain/names/email.ts";
import { Failure } from "../../src/rpc/errors.ts";
import type { Config } from "../../src/runtime/config.ts";
import {
  type AccountStore,
  changeAccount,
  emailKey,
  openAccountStore,
  withPassword,
} from "../../src/stores/accounts.ts";
import { openUploadedDocuments } from "../../src/stores/hosted-documents.ts";
import { loginTokens, sessionTokens, siteTokens } from "../../src/stores/issued-tokens.ts";
import { openOperators } from "../../src/stores/operators.ts";
import { createPasswords } from "../../src/stores/passwords.ts";
import { openPlans, planKey } from "../../src/stores/plans.ts";
import { openWallets } from "../../src/stores/wallets.ts";
import { removeAccount } from "../../workers/accounts/closing.ts";
import { actOn } from "./parts.ts";
import { CommandError, print, printable } from "./terminal.ts";

const PASSWORD_BYTES = 15;

export interface PlanChange {
  price?: number;
  maxSites?: number;
  maxActions?: number;
  rateLimit?: number;
  active?: boolean;
}

/** Removes an account with everything it owns; its address can register again. Safe to repeat after an interruption. */
export const closeAccount = (config: Config, email: string): Promise<void> =>
  actOn(config, "close-account", { email }, async ({ broker, identity: registry }) => {
    const store = openAccountStore(broker);
    const uploaded = openUploadedDocuments(broker);
    const identity = emailIdentity(email);
    const pointer = identity === undefined ? undefined : await store.emails.get(emailKey(identity));
    if (identity === undefined || !pointer) throw nobody(email);
    const wallets = openWallets(broker, registry);
    const deps = { broker, store, uploaded, wallets };
    await openOperators(broker).revoke(identity);
    const { sites, licenses } = await removeAccount(deps, pointer.value.accountId, identity);
    print(`The account of ${printable(email)} is removed: ${sites} sites, ${licenses} licenses.`);
  });

const nobody = (email: string): CommandError =>
  new CommandError(`There is no account with the address ${printable(email)}.`, 4);

/** Gives an account a random password, for its holder to change; invalidates earlier tokens. */
export const resetPassword = (config: Config, email: string): Promise<void> =>
  actOn(config, "reset-password", { email }, async ({ broker }) => {
    const store = openAccountStore(broker);
    const accountId = await accountOf(store, email);
    const password = randomBytes(PASSWORD_BYTES).toString("base64url");
    const passwordHash = (await createPasswords().hash(password))!;
    const changed = await changeAccount(store, accountId, (account) => withPassword(account, passwordHash));
    if (changed instanceof Failure) throw new CommandError(changed.detail);
    print(password);
  });

async function accountOf(store: AccountStore, email: string): Promise<string> {
  const identity = emailIdentity(email);
  const account = identity === undefined ? undefined : await store.byEmail(identity);
  if (!account) throw nobody(email);
  return account.value.accountId;
}

/** Prints a plan, after applying the given changes. Every process follows within seconds. */
export async function changePlan(config: Config, name: string, change: PlanChange): Promise<void> {
  const tier = tierOf(name);
  await actOn(config, "plan", { name, ...change }, async ({ broker }) => {
    const plans = openPlans(broker.buckets.accounts, broker.now);
    await plans.ensure();
    const stored = (await plans.records.get(planKey(tier)))!;
    const given = {
      price: change.price,
      max_sites: change.maxSites,
      max_actions_per_month: change.maxActions,
      rate_limit: change.rateLimit,
    };
    const changes = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
    const next = {
      ...stored.value,
      active: change.active ?? stored.value.active,
      plan: Plan.parse({ ...stored.value.plan, ...changes }),
    };
    if ((await plans.records.compareAndSet(planKey(tier), next, stored.revision)) === undefined)
      throw new CommandError("Another operator changed this plan concurrently: check it and try again.");
    print(JSON.stringify({ active: next.active, ...next.plan }, null, 2));
  });
}

function tierOf(text: string): Tier {
  const tier = Tier.safeParse(text);
  if (!tier.success) throw new CommandError(`${printable(text)} is not a plan: ${TIERS.join(", ")}.`, 2);
  return tier.data;
}

/** Rotates the keys of the tokens of log-ins, agents' sessions and sites. */
export const rotateTokens = (config: Config, { atOnce }: { atOnce: boolean }): Promise<void> =>
  actOn(config, "rotate-tokens", { atOnce }, async (runtime) => {
    for (const tokens of [loginTokens, sessionTokens, siteTokens]) await tokens(runtime).rotate(atOnce);
    print(
      atOnce
        ? "New keys sign the tokens of log-ins, sessions and sites; all earlier tokens end within half a minute."
        : "New keys sign the tokens of log-ins, sessions and sites; earlier tokens stay valid until they expire.",
    );
  });
