/** Operations on keys: those of the module gateway with the key itself, and every kind by its id in its account. */
import type { GatewayPlan } from "../../schemas/api-key.ts";
import { type GatewayKeyRecord, MOST_KEYS } from "../../schemas/key.ts";
import { type Counters, periodEnd, periodOf } from "../../src/ports/counters.ts";
import { DAY_MS, iso } from "../../src/ports/time.ts";
import type { Handlers, Principals } from "../../src/rpc/contract.ts";
import { Failure, fail } from "../../src/rpc/errors.ts";
import type { Limiter } from "../../src/rpc/limits.ts";
import { makeKey } from "../../src/stores/api-keys.ts";
import {
  accountKeys,
  endedSince,
  hintOf,
  notListed,
  ownedKey,
  revokeKey,
  rotateKey,
} from "../../src/stores/keys.ts";
import type { keys } from "./contract.ts";
import {
  changeKey,
  type GatewayKeyDeps,
  gatewayKey,
  issuedBefore,
  issueGatewayKey,
  keysInForce,
  revokeGatewayKey,
  rotateGatewayKey,
} from "./gateway-keys.ts";
import {
  dateOf,
  gatewayPlanOf,
  isRevoked,
  KEY_PREFIXES,
  lesserPlan,
  shownAgent,
  shownKey,
  shownLicense,
  shownProject,
  usageKey,
} from "./rules.ts";
import { daysOfUse } from "./unused.ts";

export interface KeysDeps extends GatewayKeyDeps {
  counters: Counters;
  limiter: Limiter;
}

type ListedKeys = Pick<Handlers<typeof keys>, "listKeys" | "rotateListedKey" | "revokeListedKey">;

export const keysHandlers = (deps: KeysDeps): Handlers<typeof keys> => ({
  createKey: async ({ body }, { principal: account, clientAddress, seed }) => {
    const refused = planAsked(body.plan, account);
    if (refused) return refused;
    const accountId = account?.accountId ?? null;
    const wanted = makeKey(KEY_PREFIXES[body.plan], seed);
    // Of an attempt that broke off after it had stored the key, its limits were charged then.
    const before = seed === undefined ? undefined : await issuedBefore(deps, wanted);
    if (before)
      return isRevoked(before.record, deps.now())
        ? endedSince("gateway")
        : { ...shownKey(before.record, deps.now()), key: wanted };
    // Charged to the caller: the address that a key names is proved by nobody, and may be another's.
    const overMost = await deps.limiter.refusal("keys_made", { account: accountId, clientAddress });
    if (overMost) return overMost;
    const issued = await issueGatewayKey(deps, { ...body, accountId }, wanted);
    return issued instanceof Failure ? issued : { ...shownKey(issued.record, deps.now()), key: wanted };
  },

  validateKey: async (_, { principal }) => ({
    ...shownKey(await validated(deps, principal), deps.now()),
    valid: true as const,
  }),

  getKeyUsage: async ({ query }, { principal }) => {
    const record = await validated(deps, principal);
    const { id, plan, usageId } = record;
    const { per_day, per_minute } = shownKey(record, deps.now()).quota;
    const allowance = async (window: "day" | "minute", quota: number) => {
      const counted = await deps.counters.read(window, usageKey(usageId));
      // The counter includes refused calls, which do not use the quota.
      const used = Math.min(counted, quota);
      const resets = iso(periodEnd(window, deps.now()));
      return { quota, used, remaining: quota - used, resets_at: resets };
    };
    return {
      key_id: id,
      plan,
      day: await allowance("day", per_day),
      minute: await allowance("minute", per_minute),
      by_day: await usageByDay(deps, usageId, query.days),
    };
  },

  ...listedKeys(deps),

  revokeKey: async (_, { principal }) =>
    shownKey(await revokeGatewayKey(deps, principal.keyHash), deps.now()),

  rotateKey: async ({ body }, { principal, clientAddress }) => {
    const overMost = await deps.limiter.refusal("key_rotations", { key: principal.usageId, clientAddress });
    if (overMost) return overMost;
    const { key, record, replaced } = await rotateGatewayKey(
      deps,
      principal.keyHash,
      body.grace_seconds * 1_000,
    );
    return { ...shownKey(record, deps.now()), key, replaced };
  },
});

function planAsked(plan: GatewayPlan, account: Principals["account"] | undefined) {
  if (plan === "FREE") return undefined;
  if (!account)
    return fail(
      "authentication_required",
      `A ${plan} key requires an account with that plan: send the token of POST /api/auth/login.`,
    );
  const granted = gatewayPlanOf(account.tier);
  return lesserPlan(plan, granted) === plan
    ? undefined
    : fail("insufficient_plan", `Your account's plan allows keys up to ${granted}.`);
}

/** The first use of a key validates it, by any operation. Its plan is that of its account now. */
async function validated(deps: KeysDeps, { keyHash, plan }: Principals["key"]): Promise<GatewayKeyRecord> {
  const at = iso(deps.now());
  const today = at.slice(0, 10);
  const record = await changeKey(deps, keyHash, (stored) =>
    stored.validatedAt && stored.usedOn === today
      ? stored
      : { ...stored, validatedAt: stored.validatedAt ?? at, usedOn: today },
  );
  return { ...record, plan };
}

/** Calls of recent days, today first. */
async function usageByDay({ counters, now }: KeysDeps, usageId: string, days: number) {
  const counts = await counters.list("day", `${usageKey(usageId)}.*`);
  return Array.from({ length: days }, (_, back) => {
    const period = periodOf("day", now() - back * DAY_MS);
    const ofDay = counts.filter((count) => count.period === period);
    return {
      date: dateOf(period),
      calls: ofDay.reduce((sum, { total }) => sum + total, 0),
      by_module: Object.fromEntries(
        ofDay.map(({ key, total }) => [key.slice(key.lastIndexOf(".") + 1), total]),
      ),
    };
  });
}

/** What an account may do with the keys that it lists, whatever they open. */
const listedKeys = (deps: KeysDeps): ListedKeys => ({
  listKeys: async (_, { principal: { accountId } }) => {
    const account = (await deps.store.account(accountId))?.value;
    const owned = { keys: account?.keys ?? [] };
    return {
      licenses: accountKeys(owned, "license").map((each) => shownLicense(each, deps.now())),
      agents: accountKeys(owned, "agent").map((each) => shownAgent(each, account!)),
      projects: accountKeys(owned, "project").map(shownProject),
      gateway_keys: await shownGatewayKeys(deps, accountId),
      operator_keys: keysOf(owned, "operator").map(({ id, keyHint, createdAt }) => ({
        ...{ key_id: id, key_hint: keyHint, created_at: createdAt },
      })),
      most: MOST_KEYS,
    };
  },

  rotateListedKey: async ({ params: { keyId } }, { principal: { accountId }, clientAddress }) => {
    const old = await keyInForce(deps, accountId, keyId);
    if (old instanceof Failure) return old;
    if (old.kind === "operator")
      return fail("permission_denied", "A key of an operator is issued on the registry's machine alone.");
    if (old.kind !== "gateway") {
      const rotated = await rotateKey(deps.store, accountId, old);
      if (rotated instanceof Failure) return rotated;
      return { key_id: keyId, kind: old.kind, key: rotated.key, key_hint: rotated.owned.keyHint };
    }
    const { usageId } = (await gatewayKey(deps, old.keyHash))!;
    const refused = await deps.limiter.refusal("key_rotations", { key: usageId, clientAddress });
    if (refused) return refused;
    const { key, record: fresh } = await rotateGatewayKey(deps, old.keyHash, 0);
    return { key_id: fresh.id, kind: old.kind, key, key_hint: hintOf(key) };
  },

  revokeListedKey: async ({ params: { keyId } }, { principal: { accountId } }) => {
    const found = await keyInForce(deps, accountId, keyId);
    if (found instanceof Failure) return found;
    if (found.kind === "gateway") await revokeGatewayKey(deps, found.keyHash);
    else {
      const revoked = await revokeKey(deps.store, accountId, keyId);
      if (revoked instanceof Failure) return revoked;
    }
    return { key_id: keyId, kind: found.kind, revoked: true as const };
  },
});

/** The gateway's keys of an account, with the last day of use of each. */
async function shownGatewayKeys(deps: KeysDeps, accountId: string) {
  const records = (await keysInForce(deps, accountId)).map(({ record }) => record);
  const usedOn = await daysOfUse(deps.counters, records);
  return records.map((record) => shownKey(record, deps.now(), usedOn(record)));
}

/** A key of an account by its id; one of the gateway whose grace is over may still be listed. */
async function keyInForce(deps: KeysDeps, accountId: string, keyId: string) {
  const found = await ownedKey(deps.store, accountId, keyId);
  if (found instanceof Failure || found.kind !== "gateway") return found;
  const record = await gatewayKey(deps, found.keyHash);
  return record && !isRevoked(record, deps.now()) ? found : notListed();
}
