/** The choice of a plan: one without a price is in force at once, others wait for the operator. */
import type { Plan, PlanRequest, PlanRequestRecord } from "../../schemas/plan.ts";
import { iso } from "../../src/ports/time.ts";
import type { Handlers } from "../../src/rpc/contract.ts";
import { Failure, fail } from "../../src/rpc/errors.ts";
import { accountGone, changeAccount } from "../../src/stores/accounts.ts";
import type { accounts } from "./contract.ts";
import type { AccountsDeps } from "./deps.ts";

/** Whether nobody has to agree to it. Pure. */
export const isAtOnce = ({ price, is_contact_sales }: Plan): boolean => price === 0 && !is_contact_sales;

export const shownRequest = (
  request: Pick<PlanRequestRecord, "tier" | "state" | "note" | "at" | "why"> | undefined,
): PlanRequest | null => {
  if (!request) return null;
  const { tier, state, note, at, why } = request;
  return { tier, state, note, at, why };
};

export const choosePlan =
  ({ store, plans, planRequests, limiter, now }: AccountsDeps): Handlers<typeof accounts>["choosePlan"] =>
  async ({ body: { tier, note = "" } }, { principal: { accountId }, clientAddress }) => {
    const account = (await store.account(accountId))?.value;
    if (!account) return accountGone();
    const wanted = (await plans.active()).find((plan) => plan.tier === tier);
    if (!wanted && tier !== account.tier)
      return fail("not_found", `The plan ${tier} is not on offer; GET /api/plans lists those that are.`);
    const refused = await limiter.refusal("plan_choices", { account: accountId, clientAddress });
    if (refused) return refused;
    if (tier === account.tier) {
      // Who stays with the plan that they have asks for no other.
      await planRequests.remove(accountId);
      return { plan: await plans.of(tier), request: null };
    }
    if (isAtOnce(wanted!)) {
      const changed = await changeAccount(store, accountId, (current) => ({ ...current, tier }));
      if (changed instanceof Failure) return changed;
      await planRequests.remove(accountId);
      return { plan: wanted!, request: null };
    }
    const request = { tier, note, at: iso(now()), state: "waiting" as const, why: "" };
    await planRequests.put({ v: 1, accountId, ...request });
    return { plan: await plans.of(account.tier), request: shownRequest(request) };
  };
