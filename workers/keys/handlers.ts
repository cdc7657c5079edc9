import {
  type AccountKeys,
  type ApiKeyRecord,
  type GatewayPlan,
  MOST_ACCOUNT_KEYS,
} from "../../schemas/api-key.ts";
import { type Counters, periodEnd, periodOf } from "../../src/ports/counters.ts";
import { DAY_MS, iso } from "../../src/ports/time.ts";
import type { Handlers, Principals } from "../../src/rpc/contract.ts";
import { fail } from "../../src/rpc/errors.ts";
import { uuidv7 } from "../../src/rpc/ids.ts";
import type { Limiter } from "../../src/rpc/limits.ts";
import { hashOfKey, makeKey } from "../../src/stores/api-keys.ts";
import type { Records } from "../../src/stores/records.ts";
import { keysInForce, listKey } from "./account-keys.ts";
import type { keys } from "./contract.ts";
import { dateOf, gatewayPlanOf, KEY_PREFIXES, lesserPlan, shownKey, usageKey } from "./rules.ts";
import { daysOfUse } from "./unused.ts";

export interface KeysDeps {
  records: Records<ApiKeyRecord>;
  /** By account: the keys that it lists. */
  lists: Records<AccountKeys>;
  counters: Counters;
  limiter: Limiter;
  now: () => number;
}

/** Stores a new key. @returns the key itself, which cannot be retrieved again */
export const issueKey = async (
  deps: Pick<KeysDeps, "records" | "now">,
  wanted: Pick<ApiKeyRecord, "plan" | "owner" | "email" | "accountId"> & { usageId?: string },
  key = makeKey(KEY_PREFIXES[wanted.plan]),
): Promise<{ key: string; record: ApiKeyRecord }> => {
  const record: ApiKeyRecord = {
    v: 1,
    keyId: uuidv7(),
    usageId: wanted.usageId ?? uuidv7(),
    plan: wanted.plan,
    owner: wanted.owner,
    email: wanted.email,
    accountId: wanted.accountId,
    created_at: iso(deps.now()),
    validated_at: null,
    revoked_at: null,
  };
  await deps.records.compareAndSet(hashOfKey(key), record, 0);
  return { key, record };
};

/** Updates a key's record. @returns the new record */
const change = async (
  deps: KeysDeps,
  hash: string,
  edit: (record: ApiKeyRecord) => ApiKeyRecord,
): Promise<ApiKeyRecord> => {
  const changed = await deps.records.update(hash, (record) => {
    if (!record) throw new Error("an API key's record is gone");
    const next = edit(record);
    return next === record ? { result: next } : { next, result: next };
  });
  if (!changed) throw new Error("an API key's record changed under every attempt");
  return changed;
};

/** The first use of a key validates it, by any operation. Its plan is that of its account now. */
const validated = async (deps: KeysDeps, { keyHash, plan }: Principals["key"]): Promise<ApiKeyRecord> => {
  const at = iso(deps.now());
  const today = at.slice(0, 10);
  const record = await change(deps, keyHash, (stored) =>
    stored.validated_at && stored.used_on === today
      ? stored
      : { ...stored, validated_at: stored.validated_at ?? at, used_on: today },
  );
  return { ...record, plan };
};

/** Calls of recent days, today first. */
const usageByDay = async ({ counters, now }: KeysDeps, usageId: string, days: number) => {
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
};

/** The key of an attempt that broke off after it had stored it; its limits were charged then. */
const madeBefore = async (deps: KeysDeps, key: string, accountId: string | undefined) => {
  const made = await deps.records.get(hashOfKey(key));
  if (!made) return undefined;
  if (accountId !== undefined) await listKey(deps, accountId, hashOfKey(key));
  return { ...shownKey(made.value, deps.now()), key };
};

const planAsked = (plan: GatewayPlan, account: Principals["account"] | undefined) => {
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
};

/** What an account may do with the keys that it lists. */
const accountKeysHandlers = (
  deps: KeysDeps,
): Pick<Handlers<typeof keys>, "accountKeys" | "revokeAccountKey"> => ({
  accountKeys: async (_, { principal }) => {
    const listed = await keysInForce(deps, principal.accountId);
    const usedOn = await daysOfUse(
      deps.counters,
      listed.map(({ record }) => record),
    );
    return {
      keys: listed.map(({ record }) => shownKey(record, deps.now(), usedOn(record))),
      most: MOST_ACCOUNT_KEYS,
    };
  },

  revokeAccountKey: async ({ params }, { principal }) => {
    const keys = await keysInForce(deps, principal.accountId);
    const found = keys.find(({ record }) => record.keyId === params.keyId);
    if (!found) return fail("not_found", "Your account lists no key in force with this id.");
    const at = iso(deps.now());
    const record = await change(deps, found.hash, (stored) => ({ ...stored, revoked_at: at }));
    return shownKey(record, deps.now());
  },
});

export const keysHandlers = (deps: KeysDeps): Handlers<typeof keys> => ({
  generate: async ({ body }, { principal: account, clientAddress, seed }) => {
    const refused = planAsked(body.plan, account);
    if (refused) return refused;
    const wanted = makeKey(KEY_PREFIXES[body.plan], seed);
    const made = seed !== undefined && (await madeBefore(deps, wanted, account?.accountId));
    if (made) return made;
    // Charged to the caller: the address that a key names is proved by nobody, and may be another's.
    const payer = { account: account?.accountId ?? null, clientAddress };
    const overMost = await deps.limiter.refusal("keys_made", payer);
    if (overMost) return overMost;
    const accountId = account?.accountId ?? null;
    if (accountId !== null && (await keysInForce(deps, accountId)).length >= MOST_ACCOUNT_KEYS)
      return fail(
        "plan_limit",
        `An account has at most ${MOST_ACCOUNT_KEYS} keys in force: GET /api/account/keys lists them; revoke one.`,
      );
    const { key, record } = await issueKey(deps, { ...body, accountId }, wanted);
    if (accountId !== null) await listKey(deps, accountId, hashOfKey(key));
    return { ...shownKey(record, deps.now()), key };
  },

  validate: async (_, { principal }) => ({
    ...shownKey(await validated(deps, principal), deps.now()),
    valid: true as const,
  }),

  usage: async ({ query }, { principal }) => {
    const record = await validated(deps, principal);
    const { keyId, plan, usageId } = record;
    const { per_day, per_minute } = shownKey(record, deps.now()).quota;
    const allowance = async (window: "day" | "minute", quota: number) => {
      const counted = await deps.counters.read(window, usageKey(usageId));
      // The counter includes refused calls, which do not use the quota.
      const used = Math.min(counted, quota);
      const resets = iso(periodEnd(window, deps.now()));
      return { quota, used, remaining: quota - used, resets_at: resets };
    };
    return {
      key_id: keyId,
      plan,
      day: await allowance("day", per_day),
      minute: await allowance("minute", per_minute),
      by_day: await usageByDay(deps, usageId, query.days),
    };
  },

  ...accountKeysHandlers(deps),

  revoke: async (_, { principal }) => {
    const at = iso(deps.now());
    const record = await change(deps, principal.keyHash, (stored) => ({ ...stored, revoked_at: at }));
    return shownKey(record, deps.now());
  },

  rotate: async ({ body }, { principal, clientAddress }) => {
    const overMost = await deps.limiter.refusal("key_rotations", { key: principal.usageId, clientAddress });
    if (overMost) return overMost;
    const revokedAt = iso(deps.now() + body.grace_seconds * 1_000);
    // A key already in a grace period keeps the earlier end.
    const old = await change(deps, principal.keyHash, (stored) =>
      stored.revoked_at && stored.revoked_at < revokedAt ? stored : { ...stored, revoked_at: revokedAt },
    );
    const { key, record } = await issueKey(deps, old);
    if (old.accountId !== null) await listKey(deps, old.accountId, hashOfKey(key));
    return {
      ...shownKey(record, deps.now()),
      key,
      replaced: { key_id: old.keyId, revoked_at: old.revoked_at ?? revokedAt },
    };
  },
});
