/**
 * Accounts follow what their payment provider says of their subscriptions. An event is a reason to ask, never what is believed: events
 * come late, twice and in any order. It is asked between reading the account and writing it, so that of two who ask at once the
 * one with the older answer asks again.
 */
import type { AccountRecord } from "../../../schemas/account.ts";
import type { PayerRecord } from "../../../schemas/plan.ts";
import { every } from "../../../src/concurrency/every.ts";
import type { Payments, ProviderSubscription } from "../../../src/ports/payments.ts";
import { DAY_MS, HOUR_MS } from "../../../src/ports/time.ts";
import type { Handlers } from "../../../src/rpc/contract.ts";
import { Failure, fail } from "../../../src/rpc/errors.ts";
import { accountKey } from "../../../src/stores/accounts.ts";
import type { AccountsDeps } from "../deps.ts";
import { paymentText } from "../mail/texts.ts";
import type { payments as contract } from "./contract.ts";
import { isLive, isOverdue, newsOf, type Step, stepFor, withSubscription } from "./rules.ts";

export type FollowDeps = Pick<
  AccountsDeps,
  "store" | "payments" | "payers" | "outbox" | "limiter" | "publicUrl" | "now" | "log" | "clock"
>;

/** Where the provider did not say. */
export const notNow = (): Failure<"payments_unavailable"> =>
  fail("payments_unavailable", "The payment provider does not answer as it should. Try again in a minute.", {
    retryAfterSeconds: 60,
  });

/** What a provider said, or a failure for who asked; the log has why. */
export const saidBy = <T>(
  { log }: Pick<AccountsDeps, "log">,
  answer: { ok: true; value: T } | { ok: false; detail: string },
): T | Failure<"payments_unavailable"> => {
  if (answer.ok) return answer.value;
  log.warn({ detail: answer.detail }, "the payment provider refused or did not answer");
  return notNow();
};

interface Followed {
  step: Step;
  before?: AccountRecord | undefined;
  after?: AccountRecord | undefined;
}

const tell = async ({ outbox, publicUrl, now }: FollowDeps, { before, after }: Followed): Promise<void> => {
  if (!after) return;
  const news = newsOf(before?.subscription, after.subscription);
  if (!news) return;
  const { tier } = after.subscription!;
  await outbox.post(after, paymentText(publicUrl, news, tier), now() + DAY_MS, { kind: "news" });
};

/** Ends a subscription that somebody would pay for in vain. */
const endIt = async (deps: FollowDeps, payments: Payments, id: string) => {
  deps.log.warn({ subscription: id }, "a subscription beside another, or of no account, is ended");
  return saidBy(deps, await payments.end(id));
};

/** The account as a subscription leaves it, asked for with the account in hand. */
const adopt = async (
  deps: FollowDeps,
  payments: Payments,
  seen: ProviderSubscription,
  eventId: string | undefined,
): Promise<Followed | Failure<"payments_unavailable" | "unavailable">> => {
  const followed = await deps.store.accounts.update<Followed | Failure<"payments_unavailable">>(
    accountKey(seen.accountId!),
    async (account) => {
      const said = saidBy(deps, await payments.subscription(seen.id));
      if (said instanceof Failure) return { result: said };
      const now = said ?? { ...seen, state: "ended" as const };
      const step = stepFor(account, now);
      const after = account && step.kind === "adopt" ? withSubscription(account, now, eventId) : undefined;
      if (account && step.kind === "adopt" && !after)
        deps.log.warn({ subscription: now.id }, "a subscription is of a price that pays for no plan");
      return { ...(after && { next: after }), result: { step, before: account, after } };
    },
  );
  return followed ?? fail("unavailable", "Too many concurrent changes of the account.");
};

/** Asks how a subscription stands, and has its account follow. One of somebody else's is left alone. */
export const followSubscription = async (
  deps: FollowDeps,
  payments: Payments,
  id: string,
  eventId?: string,
): Promise<true | Failure<"payments_unavailable" | "unavailable">> => {
  const seen = saidBy(deps, await payments.subscription(id));
  if (seen instanceof Failure) return seen;
  if (seen?.accountId === undefined || seen.registry !== deps.publicUrl) return true;
  const account = (await deps.store.account(seen.accountId))?.value;
  if (eventId !== undefined && account?.subscription?.events.includes(eventId)) return true;
  const followed = await adopt(deps, payments, seen, eventId);
  if (followed instanceof Failure) return followed;
  const { step } = followed;
  const ends = step.kind === "end" ? id : step.kind === "adopt" ? step.ends : undefined;
  const ended = ends === undefined ? undefined : await endIt(deps, payments, ends);
  await tell(deps, followed);
  return ended instanceof Failure ? ended : true;
};

export const paymentsHandlers = (deps: FollowDeps): Handlers<typeof contract> => ({
  receiveEvent: async ({ body: { payload, signature } }, { clientAddress }) => {
    const { payments, limiter, now } = deps;
    const refused = await limiter.refusal("payment_events", { clientAddress });
    if (refused) return refused;
    if (!payments) return fail("payments_unavailable", "This registry has no payment provider.");
    const event = await payments.event(payload, signature, now());
    if (!event)
      return fail(
        "event_not_signed",
        "Send the body as it was signed, within five minutes of its signature.",
      );
    if (event.subscriptionId === undefined) return { received: true as const };
    const followed = await followSubscription(deps, payments, event.subscriptionId, event.id);
    return followed instanceof Failure ? followed : { received: true as const };
  },
});

/** What one payer's account is asked about: a subscription that should have been heard of, or what came of an order. */
const subscriptionToAsk = async (
  { store, now }: FollowDeps,
  payments: Payments,
  { accountId, checkoutId }: PayerRecord,
): Promise<string | undefined> => {
  const subscription = (await store.account(accountId))?.value.subscription;
  if (subscription && isOverdue(subscription, now())) return subscription.id;
  if (isLive(subscription)) return undefined;
  const bought = await payments.bought(checkoutId);
  return bought.ok && bought.value !== subscription?.id ? bought.value : undefined;
};

/** After this time an order leads to nothing any more, and an ended subscription stays ended. */
const FORGOTTEN_MS = 7 * DAY_MS;

/** Asks about every payer whose events may have been lost. @returns subscriptions that were asked for */
export const sweepPayments = async (deps: FollowDeps, payments: Payments): Promise<number> => {
  let asked = 0;
  for await (const payer of deps.payers.all()) {
    const id = await subscriptionToAsk(deps, payments, payer);
    if (id !== undefined) {
      asked += 1;
      await followSubscription(deps, payments, id);
    } else if (deps.now() - Date.parse(payer.at) > FORGOTTEN_MS) {
      const account = (await deps.store.account(payer.accountId))?.value;
      if (!isLive(account?.subscription)) await deps.payers.remove(payer.accountId);
    }
  }
  return asked;
};

/** Looks once an hour. @returns what ends it */
export const startPayments = (deps: FollowDeps): (() => void) => {
  const { payments } = deps;
  if (!payments) return () => undefined;
  return every(deps.clock, HOUR_MS, () => {
    void sweepPayments(deps, payments).catch((error: unknown) =>
      deps.log.warn({ err: error }, "payers were not looked at; the next look is in an hour"),
    );
  });
};
