/** Choosing a plan that is paid for at the operator's payment provider. */
import type { AccountRecord } from "../../../schemas/account.ts";
import type { Plan } from "../../../schemas/plan.ts";
import type { Payments } from "../../../src/ports/payments.ts";
import { HOUR_MS, iso } from "../../../src/ports/time.ts";
import { Failure } from "../../../src/rpc/errors.ts";
import type { FollowDeps } from "./follow.ts";
import { followSubscription, notNow, saidBy } from "./follow.ts";
import { isLive } from "./rules.ts";

/** A page of the provider, for the browser of who pays. */
export interface Payment {
  url: string;
  expires_at: string | null;
}

type Bought = Payment | null | Failure<"payments_unavailable" | "unavailable">;

/** Whether a plan is paid for there. */
export const isSold = (payments: Payments | undefined, { tier, price, is_contact_sales }: Plan): boolean =>
  payments !== undefined && price > 0 && !is_contact_sales && payments.tiers.includes(tier);

/** What is shown is what is paid: a price that differs from the plan's is not asked for. */
const priceFault = async (deps: FollowDeps, payments: Payments, plan: Plan) => {
  const price = saidBy(deps, await payments.price(plan.tier));
  if (price instanceof Failure) return price;
  const { amount, currency, cycle } = price;
  if (amount === plan.price && currency === plan.currency && cycle === plan.billing_cycle) return undefined;
  deps.log.error({ plan: plan.tier, price }, "the plan's price is not the payment provider's: change one");
  return notNow();
};

/** A first payment. Whoever asks twice within the hour gets the same page, and so cannot pay twice there. */
const firstPayment = async (
  deps: FollowDeps,
  payments: Payments,
  { accountId, email, subscription }: AccountRecord,
  plan: Plan,
): Promise<Bought> => {
  const { publicUrl, now, payers } = deps;
  const hour = Math.floor(now() / HOUR_MS);
  const expiresAt = (hour + 2) * HOUR_MS;
  const order = saidBy(
    deps,
    await payments.checkout({
      ...{ accountId, email, expiresAt, tier: plan.tier },
      customerId: subscription?.customerId,
      registry: publicUrl,
      doneUrl: `${publicUrl}/account?done=paid`,
      backUrl: `${publicUrl}/account/plan`,
      key: `${accountId}.${plan.tier}.${hour}.${subscription?.id ?? "first"}`,
    }),
  );
  if (order instanceof Failure) return order;
  await payers.put({ v: 1, accountId, checkoutId: order.id, at: iso(now()) });
  return { url: order.url, expires_at: iso(expiresAt) };
};

/** Cards and invoices, or the move of what is paid for to another plan. */
const portal = async (
  deps: FollowDeps,
  payments: Payments,
  { id, customerId }: NonNullable<AccountRecord["subscription"]>,
  tier?: Plan["tier"],
): Promise<Bought> => {
  const change = tier === undefined ? undefined : { subscriptionId: id, tier };
  const opened = saidBy(deps, await payments.portal(customerId, `${deps.publicUrl}/account/plan`, change));
  return opened instanceof Failure ? opened : { url: opened.url, expires_at: null };
};

/** Where the browser of an account's holder goes for a plan that is sold; one that ends is to go on. */
export const buy = async (
  deps: FollowDeps,
  payments: Payments,
  account: AccountRecord,
  plan: Plan,
): Promise<Bought> => {
  const { subscription } = account;
  if (subscription && isLive(subscription) && subscription.tier === plan.tier) {
    if (subscription.endsThen) {
      const kept = await endsThen(deps, payments, subscription.id, false);
      if (kept instanceof Failure) return kept;
    }
    return portal(deps, payments, subscription);
  }
  const fault = await priceFault(deps, payments, plan);
  if (fault) return fault;
  return subscription && isLive(subscription)
    ? portal(deps, payments, subscription, plan.tier)
    : firstPayment(deps, payments, account, plan);
};

const endsThen = async (deps: FollowDeps, payments: Payments, id: string, ends: boolean) => {
  const set = saidBy(deps, await payments.setEndsThen(id, ends));
  return set instanceof Failure ? set : followSubscription(deps, payments, id);
};

/**
 * Has what an account pays for end: what is paid stays paid, so at the end of it; at once where a payment failed, or where the
 * account ends.
 */
export const stopPaying = async (
  deps: FollowDeps,
  { subscription }: AccountRecord,
  { atOnce = subscription?.state === "past_due" }: { atOnce?: boolean } = {},
): Promise<true | Failure<"payments_unavailable" | "unavailable">> => {
  if (!subscription || !isLive(subscription)) return true;
  const { payments, log } = deps;
  if (!payments) {
    log.error({ subscription: subscription.id }, "no payment provider is set: end this subscription there");
    return true;
  }
  if (!atOnce) return endsThen(deps, payments, subscription.id, true);
  const ended = saidBy(deps, await payments.end(subscription.id));
  return ended instanceof Failure ? ended : followSubscription(deps, payments, subscription.id);
};
