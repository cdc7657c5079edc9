/** Sessions of agents: the token of `authenticate`. */

import type { Broker } from "../../../src/adapters/nats/broker.ts";
import type { Principals } from "../../../src/rpc/contract.ts";
import type { AccountStore } from "../../../src/stores/accounts.ts";
import { actionLimits } from "../../../src/stores/action-limits.ts";
import type { Identity } from "../../../src/stores/identity.ts";
import type { Plans } from "../../../src/stores/plans.ts";
import { standingAccount } from "../../../src/stores/standing-account.ts";
import { openTokens, type Tokens } from "../../../src/stores/tokens.ts";
import type { Authenticator } from "./access.ts";
import { tokenIssuer } from "./account.ts";

/** Life of a session and of its token. */
export const SESSION_SECONDS = 3_600;

/** Tokens of sessions, with keys of their own: the same in every process. */
export const sessionTokens = ({ broker, identity }: { broker: Broker; identity: Identity }): Tokens =>
  openTokens({
    bucket: broker.buckets.token_keys,
    use: "session",
    issuer: tokenIssuer(identity),
    now: broker.now,
    lifeSeconds: SESSION_SECONDS,
  });

/** Claims that a session's token carries, all of them text. */
export interface SessionClaims {
  site: string;
  agent: string;
  licence: string;
  account: string;
  /** SHA-256 of the license key: a license that was revoked or replaced takes its sessions with it. */
  key: string;
}

const textOf = (claim: unknown): string => (typeof claim === "string" ? claim : "");

/**
 * A session counts while its license is in its account's list: revoked, replaced or suspended, it ends. That the site is
 * still the account's, and that the session's record is there, is for its actor to say.
 */
export const sessionAuthenticator = (
  tokens: Tokens,
  store: AccountStore,
  plans: Plans,
): Authenticator<Principals["session"]> => ({
  identify: async (credential) => {
    const payload = await tokens.read(credential);
    if (!payload) return undefined;
    const { site, agent, licence, account, key } = payload.claims;
    const holder = await standingAccount(store, textOf(account), "machine");
    if (!holder?.licences.some(({ keyHash }) => keyHash === key)) return undefined;
    return {
      kind: "session",
      sessionId: payload.subject,
      siteId: textOf(site),
      agentId: textOf(agent),
      licenceId: textOf(licence),
      accountId: textOf(account),
    };
  },
  // An account that is gone has no plan: its sessions end at the actor, which asks for the licence.
  limits: async ({ accountId, licenceId }, _service, operation) => {
    const account = (await store.account(accountId))?.value;
    const limits = account ? await actionLimits(plans, { accountId, licenceId, tier: account.tier }) : [];
    return operation === "execute" ? limits : limits.filter(({ window }) => window === "minute");
  },
});
