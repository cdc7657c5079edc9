/** An authenticator for each kind of credential: log-in tokens, agent tokens, keys of operators, of projects and of the module gateway, tokens of sessions. */
import { gatewayPlanOf } from "../../../schemas/api-key.ts";
import type { Principals } from "../../../src/rpc/contract.ts";
import { fail } from "../../../src/rpc/errors.ts";
import {
  AGENT_CALLS_A_MINUTE,
  AGENTS_OF_AN_ACCOUNT,
  CREDENTIAL_CALLS_A_MINUTE,
} from "../../../src/rpc/limit-rows/row.ts";
import { type AccountStore, activeAccount } from "../../../src/stores/accounts.ts";
import { actionLimits } from "../../../src/stores/action-limits.ts";
import { hashOfKey, isKeyForm } from "../../../src/stores/api-keys.ts";
import { activeKey, findKey } from "../../../src/stores/keys.ts";
import type { Operators } from "../../../src/stores/operators.ts";
import type { Plans } from "../../../src/stores/plans.ts";
import { accountStanding } from "../../../src/stores/standing.ts";
import type { Tokens } from "../../../src/stores/tokens.ts";
import type { Wallets } from "../../../src/stores/wallets.ts";
import { isRevoked, KEY_PREFIXES, lesserPlan, limitsOfKey } from "../../../workers/keys/rules.ts";
import { limitOfProject } from "../../../workers/trust/rules.ts";
import type { Authenticator } from "./access.ts";

/** Operations on a key itself do not count against its quota. */
const UNCOUNTED = "keys";

/**
 * Log-in tokens. One is valid while its account is not suspended and has the token's generation: a new password ends earlier
 * tokens. A log-in that was ended by itself is on its account's list.
 */
export const accountAuthenticator = (
  tokens: Tokens,
  store: AccountStore,
): Authenticator<Principals["account"]> => ({
  identify: async (credential) => {
    const payload = await tokens.read(credential);
    const account = payload && (await activeAccount(store, payload.subject, Number(payload.claims.gen)));
    if (!account || account.endedLogIns?.some(({ id }) => id === payload.id)) return undefined;
    const { accountId, tier, generation } = account;
    return { kind: "account", accountId, tier, generation, logInId: payload.id };
  },
  limits: async ({ accountId }) => [
    {
      name: "minute",
      window: "minute",
      key: `account.${accountId}`,
      quota: CREDENTIAL_CALLS_A_MINUTE.account,
    },
  ],
});

/** Agent tokens. One is valid while its account, in the token's generation, lists it. */
export const agentAuthenticator = (store: AccountStore): Authenticator<Principals["agent"]> => ({
  identify: async (credential) => {
    const found = await findKey(store, "agent", credential);
    if (!found) return undefined;
    const { id: agentId, name, generation, keyHash } = found.key;
    const { accountId, tier } = found.account;
    return { kind: "agent", agentId, name, accountId, tier, generation, keyHash };
  },
  limits: async ({ agentId, accountId, tier }) => {
    const quota = AGENT_CALLS_A_MINUTE[tier as keyof typeof AGENT_CALLS_A_MINUTE];
    return [
      { name: "minute", window: "minute", key: `agent.${agentId}`, quota },
      { name: "account", window: "minute", key: `agents.${accountId}`, quota: quota * AGENTS_OF_AN_ACCOUNT },
    ];
  },
});

/** Keys of operators. One is valid while its account, in the key's generation, lists it and was granted a role with it. */
export const operatorAuthenticator = (
  operators: Pick<Operators, "find">,
): Authenticator<Principals["operator"]> => ({
  identify: async (credential) => {
    const grant = await operators.find(credential);
    return grant && { kind: "operator", accountId: grant.accountId, name: grant.email, role: grant.role };
  },
});

/** Project keys, which write to the Ring 4 log. */
export const projectAuthenticator = (store: AccountStore): Authenticator<Principals["project"]> => ({
  identify: async (credential) => {
    const found = await findKey(store, "project", credential);
    return found && { kind: "project", projectId: found.key.id, accountId: found.account.accountId };
  },
  limits: async ({ projectId }) => [limitOfProject(projectId)],
});

/**
 * API keys of the module gateway. An account's key grants at most the account's current plan, and nothing while the account is suspended.
 * @param now milliseconds
 */
export const keyAuthenticator = (
  store: Pick<AccountStore, "account" | "keys">,
  now: () => number,
): Authenticator<Principals["key"]> => ({
  identify: async (credential) => {
    if (!Object.values(KEY_PREFIXES).some((prefix) => isKeyForm(prefix, credential))) return undefined;
    const keyHash = hashOfKey(credential);
    const record = (await store.keys.get(keyHash))?.value;
    if (record?.kind !== "gateway") return undefined;
    const { id: keyId, usageId, plan, accountId } = record;
    if (isRevoked(record, now()))
      return fail(
        "key_revoked",
        "This key was revoked, or ended since nobody used it; create a new one with POST /api/v1/keys/generate.",
      );
    const principal = { kind: "key", keyId, keyHash, usageId, accountId } as const;
    if (accountId === null) return { ...principal, plan, standing: "anonymous" };
    const account = await activeAccount(store, accountId, "machine");
    if (!account) return undefined;
    return {
      ...principal,
      plan: lesserPlan(plan, gatewayPlanOf(account.tier)),
      standing: accountStanding(account, now()),
    };
  },
  limits: async ({ usageId, plan }, service) =>
    service === UNCOUNTED ? [] : limitsOfKey(usageId, plan, service),
});

/**
 * An agent's token in place of an API key: the call is made with the key that its account keeps for its agents, and
 * charged to it. Not for operations on the key itself: an agent must neither read nor end what its account owns.
 */
export const withAgents = (
  keys: Authenticator<Principals["key"]>,
  store: AccountStore,
  wallets: Pick<Wallets, "gatewayKey">,
): Authenticator<Principals["key"]> => ({
  ...keys,
  identify: async (credential, operation) => {
    const direct = await keys.identify(credential, operation);
    if (direct !== undefined || !operation || operation.keyItself) return direct;
    const found = await findKey(store, "agent", credential);
    if (!found) return undefined;
    const key = await wallets.gatewayKey(found.account.accountId);
    return key === undefined ? noGatewayKey() : ((await keys.identify(key, operation)) ?? noGatewayKey());
  },
});

const noGatewayKey = () =>
  fail(
    "insufficient_plan",
    "The agent's account keeps no API key for its agents: create one with POST /api/v1/keys/generate, then PUT /api/account/wallet/gateway.",
  );

/**
 * Agents' sessions, by the token of `authenticate`. One is valid while its account lists its license: revoking, rotating or suspending ends it. The session actor
 * checks that the account still owns the site, and that the session's record exists.
 */
export const sessionAuthenticator = (
  tokens: Tokens,
  store: AccountStore,
  plans: Plans,
): Authenticator<Principals["session"]> => ({
  identify: async (credential) => {
    const payload = await tokens.read(credential);
    if (!payload) return undefined;
    const { site, agent, license, account, key } = payload.claims;
    if (!(await activeKey(store, "license", textOf(key), textOf(account)))) return undefined;
    return {
      kind: "session",
      sessionId: payload.subject,
      siteId: textOf(site),
      agentId: textOf(agent),
      licenseId: textOf(license),
      accountId: textOf(account),
    };
  },
  // A removed account has no plan; the session actor, which checks the license, ends its sessions.
  limits: async ({ accountId, licenseId }, _service, operation) => {
    const account = (await store.account(accountId))?.value;
    const limits = account ? await actionLimits(plans, { accountId, licenseId, tier: account.tier }) : [];
    return operation === "executeAction" ? limits : limits.filter(({ window }) => window === "minute");
  },
});

const textOf = (claim: unknown): string => (typeof claim === "string" ? claim : "");
