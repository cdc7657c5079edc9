/** Operations on keys: those of the module gateway with the key itself; account-keys.ts has every kind by its id in its account. */
import { type GatewayPlan, gatewayPlanOf } from "../../schemas/api-key.ts";
import type { GatewayKeyRecord } from "../../schemas/key.ts";
import { type Counters, periodEnd, periodOf } from "../../src/ports/counters.ts";
import { DAY_MS, iso } from "../../src/ports/time.ts";
import type { Handlers, Principals } from "../../src/rpc/contract.ts";
import { Failure, fail } from "../../src/rpc/errors.ts";
import type { Limiter } from "../../src/rpc/limits.ts";
import { makeKey } from "../../src/stores/api-keys.ts";
import { endedSince } from "../../src/stores/keys.ts";
import { accountKeyHandlers } from "./account-keys.ts";
import { keys } from "./contract.ts";
import {
  changeKey,
  type GatewayKeyDeps,
  issuedBefore,
  issueGatewayKey,
  revokeGatewayKey,
  rotateGatewayKey,
} from "./gateway-keys.ts";
import { dateOf, isRevoked, KEY_PREFIXES, lesserPlan, shownKey, usageKey } from "./rules.ts";

interface KeysDeps extends GatewayKeyDeps {
  counters: Counters;
  limiter: Limiter;
}

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
    const payer = { account: accountId, clientAddress };
    const { gateway_keys: units } = keys.operations.createKey.charges;
    const overMost = await deps.limiter.refusal("gateway_keys", payer, units);
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

  ...accountKeyHandlers(deps),

  revokeKey: async (_, { principal }) =>
    shownKey(await revokeGatewayKey(deps, principal.keyHash), deps.now()),

  rotateKey: async ({ body }, { principal, clientAddress }) => {
    const overMost = await deps.limiter.refusal("gateway_keys", { key: principal.usageId, clientAddress });
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
