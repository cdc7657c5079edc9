/** What a subscription makes of an account. Pure. */
import type { AccountRecord } from "../../../schemas/account.ts";
import type { Subscription, SubscriptionRecord } from "../../../schemas/plan.ts";
import type { ProviderSubscription } from "../../../src/ports/payments.ts";
import { HOUR_MS, iso } from "../../../src/ports/time.ts";

/** Events that are remembered: a provider sends one again for some days. */
const MOST_EVENTS = 20;
/** After the end of what was paid for, the provider takes an hour to make the next invoice final. */
const LATE_MS = 2 * HOUR_MS;

/** Whether it gives its plan. A payment that failed is tried again meanwhile. */
export const isLive = (subscription: Pick<SubscriptionRecord, "state"> | undefined): boolean =>
  subscription?.state === "active" || subscription?.state === "past_due";

const grantedBy = (subscription: SubscriptionRecord | undefined) =>
  isLive(subscription) ? subscription!.tier : undefined;

const withEvent = (events: readonly string[], eventId: string | undefined): string[] =>
  eventId === undefined ? [...events] : [...events, eventId].slice(-MOST_EVENTS);

/**
 * The account once its provider said how a subscription stands. The plan follows what is paid for only where that has changed: what
 * an operator gave besides stays.
 * @returns undefined where the subscription is none of a known plan
 */
export const withSubscription = (
  account: AccountRecord,
  seen: ProviderSubscription,
  eventId: string | undefined,
): AccountRecord | undefined => {
  const before = account.subscription;
  const tier = seen.tier ?? (before?.id === seen.id ? before.tier : undefined);
  if (tier === undefined) return undefined;
  const { id, customerId, state, endsThen } = seen;
  const subscription: SubscriptionRecord = {
    ...{ id, customerId, tier, state, endsThen },
    startedAt: iso(seen.startedAt),
    periodEndsAt: iso(seen.periodEndsAt),
    events: withEvent(before?.events ?? [], eventId),
  };
  const [was, is] = [grantedBy(before), grantedBy(subscription)];
  const lost = account.tier === was ? "free" : account.tier;
  return { ...account, subscription, tier: is === was ? account.tier : (is ?? lost) };
};

/** What is to be done about a subscription that its provider was asked for. */
export type Step =
  /** It is the account's; `ends`: another one that was, and would be paid for beside it. */
  | { kind: "adopt"; ends?: string }
  /** It is of nothing any more. */
  | { kind: "ignore" }
  /** It is paid for, and gives nothing. */
  | { kind: "end" };

/** An account has one: the newest that is paid for. @param account undefined: it was closed */
export const stepFor = (account: AccountRecord | undefined, seen: ProviderSubscription): Step => {
  const live = isLive(seen);
  if (!account) return { kind: live ? "end" : "ignore" };
  const before = account.subscription;
  if (!before || before.id === seen.id) return { kind: "adopt" };
  const isNewer = seen.startedAt > Date.parse(before.startedAt);
  if (!isLive(before)) return { kind: live || isNewer ? "adopt" : "ignore" };
  if (!live) return { kind: "ignore" };
  return isNewer ? { kind: "adopt", ends: before.id } : { kind: "end" };
};

/** What an account's holder is told of. */
export type PaymentNews = "begun" | "failed" | "ended";

export const newsOf = (
  before: SubscriptionRecord | undefined,
  after: SubscriptionRecord | undefined,
): PaymentNews | undefined => {
  if (before?.id === after?.id && before?.state === after?.state) return undefined;
  if (after?.state === "past_due") return "failed";
  if (isLive(after)) return isLive(before) ? undefined : "begun";
  return isLive(before) ? "ended" : undefined;
};

/** Whether an event that should have come is late. @param now milliseconds */
export const isOverdue = (subscription: SubscriptionRecord, now: number): boolean =>
  isLive(subscription) && now > Date.parse(subscription.periodEndsAt) + LATE_MS;

export const shownSubscription = (subscription: SubscriptionRecord | undefined): Subscription | null => {
  if (!subscription || subscription.state === "pending") return null;
  const { tier, state, periodEndsAt, endsThen } = subscription;
  return { tier, state, period_ends_at: periodEndsAt, ends_then: endsThen };
};
