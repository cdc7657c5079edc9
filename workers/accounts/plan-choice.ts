/** The choice of a plan: one without a price is in force at once, others wait for the operator. */
import type { AccountRecord } from "../../schemas/account.ts";
import type { Plan, PlanRequest, PlanRequestRecord } from "../../schemas/plan.ts";
import { iso } from "../../src/ports/time.ts";
import type { Handlers } from "../../src/rpc/contract.ts";
import { Failure, fail } from "../../src/rpc/errors.ts";
import { accountGone, changeAccount } from "../../src/stores/accounts.ts";
import type { accounts } from "./contract.ts";
import type { AccountsDeps } from "./deps.ts";

type Deps = Pick<AccountsDeps, "store" | "plans" | "planRequests" | "limiter" | "now">;

type Chosen = { request?: PlanRequest };

/** Whether nobody has to agree to it. Pure. */
export const needsNoAgreement = ({ price, is_contact_sales }: Plan): boolean =>
  price === 0 && !is_contact_sales;

export function planRequestView(
  request: Pick<PlanRequestRecord, "tier" | "state" | "note" | "at" | "why"> | undefined,
): PlanRequest | null {
  if (!request) return null;
  const { tier, state, note, at, why } = request;
  return { tier, state, note, at, why };
}

export const choosePlan =
  (deps: Deps): Handlers<typeof accounts>["choosePlan"] =>
  async ({ body: { tier, note = "" } }, { principal: { accountId }, clientAddress }) => {
    const { store, plans, limiter } = deps;
    const account = (await store.account(accountId))?.value;
    if (!account) return accountGone();
    const onOffer = (await plans.active()).find((plan) => plan.tier === tier);
    if (!onOffer && tier !== account.tier)
      return fail("not_found", `The plan ${tier} is not on offer; GET /api/plans lists those that are.`);
    const refused = await limiter.refusal("requests_to_operators", { account: accountId, clientAddress });
    if (refused) return refused;
    const chosen: Chosen | Failure<"unavailable" | "authentication_required"> = await choose(
      deps,
      account,
      onOffer ?? (await plans.of(tier)),
      note,
    );
    if (chosen instanceof Failure) return chosen;
    const now = (await store.account(accountId))?.value;
    if (!now) return accountGone();
    return {
      plan: await plans.of(now.tier),
      request: chosen.request ?? null,
    };
  };

async function choose(deps: Deps, account: AccountRecord, wanted: Plan, note: string) {
  const { planRequests, now } = deps;
  const { accountId } = account;
  const { tier } = wanted;
  if (tier === account.tier) {
    // Who stays with the plan that they have asks for no other.
    await planRequests.remove(accountId);
    return {};
  }
  if (needsNoAgreement(wanted)) return take(deps, account, wanted);
  const request = { tier, note, at: iso(now()), state: "waiting" as const, why: "" };
  await planRequests.put({ v: 1, accountId, ...request });
  return { request: planRequestView(request)! };
}

async function take(deps: Deps, account: AccountRecord, { tier }: Plan) {
  const { store, planRequests } = deps;
  const { accountId } = account;
  await planRequests.remove(accountId);
  const changed = await changeAccount(store, accountId, (current) => ({ ...current, tier }));
  return changed instanceof Failure ? changed : {};
}
