/** Payments by Stripe, through its own SDK, which is loaded only where a registry has a key of it. */
import Stripe from "stripe";
import type { Tier } from "../../../schemas/license.ts";
import type { SubscriptionState } from "../../../schemas/plan.ts";
import type {
  Answer,
  CheckoutOrder,
  Payments,
  ProviderPrice,
  ProviderSubscription,
} from "../../ports/payments.ts";

export interface StripeOptions {
  key: string;
  webhookSecret: string;
  prices: readonly { tier: Tier; price: string }[];
  /** Origin of the API. */
  url: string;
}

const TIMEOUT_MS = 7_000;
const MAX_DETAIL = 300;
/** How old a signature may be: what Stripe's own libraries allow. */
const TOLERANCE_SECONDS = 300;

/** https://docs.stripe.com/billing/subscriptions/overview#subscription-statuses */
const STATES: Readonly<Record<string, SubscriptionState>> = {
  trialing: "active",
  active: "active",
  past_due: "past_due",
  incomplete: "pending",
  // What was never paid, what is not tried again, and what stands still gives nothing.
  incomplete_expired: "ended",
  unpaid: "ended",
  paused: "ended",
  canceled: "ended",
};

const idOf = (of: string | { id: string } | null | undefined): string | undefined =>
  typeof of === "string" ? of : of?.id;

/** Units of a currency for its smallest ones, as Stripe counts. */
const unitsOf = (smallest: number, currency: string): number => {
  const { maximumFractionDigits = 2 } = new Intl.NumberFormat("en", {
    style: "currency",
    currency,
  }).resolvedOptions();
  return smallest / 10 ** maximumFractionDigits;
};

const CYCLES = { month: "monthly", year: "yearly" } as const;

const priceOf = ({ unit_amount, currency, recurring }: Stripe.Price): ProviderPrice => ({
  amount: unitsOf(unit_amount ?? Number.NaN, currency),
  currency: currency.toUpperCase(),
  cycle:
    recurring?.interval_count === 1 && Object.hasOwn(CYCLES, recurring.interval)
      ? CYCLES[recurring.interval as keyof typeof CYCLES]
      : "other",
});

const isMissing = (error: unknown): boolean =>
  error instanceof Stripe.errors.StripeInvalidRequestError && error.code === "resource_missing";

const answered = async <T>(ask: () => Promise<T>): Promise<Answer<T>> => {
  try {
    return { ok: true, value: await ask() };
  } catch (error) {
    const { type = "", code = "", message } = error as { type?: string; code?: string; message?: string };
    return { ok: false, detail: `${type} ${code} ${message ?? error}`.trim().slice(0, MAX_DETAIL) };
  }
};

/** Events that what is paid for can depend on, with where they name the subscription. */
const subscriptionOf = ({ type, data }: Stripe.Event): string | undefined => {
  const object = data.object as { id?: string; subscription?: string; parent?: unknown };
  if (type.startsWith("customer.subscription.")) return object.id;
  if (type.startsWith("checkout.session.")) return idOf(object.subscription);
  if (!type.startsWith("invoice.")) return undefined;
  const { parent } = object as {
    parent?: { subscription_details?: { subscription?: string } | null } | null;
  };
  return idOf(parent?.subscription_details?.subscription) ?? idOf(object.subscription);
};

const shown = (subscription: Stripe.Subscription, tiers: ReadonlyMap<string, Tier>): ProviderSubscription => {
  const item = subscription.items.data[0];
  const { account_id, registry } = subscription.metadata;
  return {
    id: subscription.id,
    customerId: idOf(subscription.customer)!,
    accountId: account_id,
    registry,
    tier: tiers.get(item?.price.id ?? ""),
    state: STATES[subscription.status] ?? "ended",
    startedAt: subscription.created * 1_000,
    periodEndsAt: (item?.current_period_end ?? subscription.created) * 1_000,
    endsThen: subscription.cancel_at_period_end || subscription.cancel_at !== null,
  };
};

const orderOf = (order: CheckoutOrder, price: string): Stripe.Checkout.SessionCreateParams => {
  const { accountId, registry, customerId, email } = order;
  const metadata = { account_id: accountId, registry };
  return {
    mode: "subscription",
    line_items: [{ price, quantity: 1 }],
    client_reference_id: accountId,
    metadata,
    // What events of the subscription are known by.
    subscription_data: { metadata },
    ...(customerId === undefined ? { customer_email: email } : { customer: customerId }),
    expires_at: Math.floor(order.expiresAt / 1_000),
    success_url: order.doneUrl,
    cancel_url: order.backUrl,
  };
};

const clientOf = ({ key, url }: StripeOptions): Stripe => {
  const { protocol, hostname, port } = new URL(url);
  return new Stripe(key, {
    host: hostname,
    port: port || (protocol === "https:" ? 443 : 80),
    protocol: protocol === "https:" ? "https" : "http",
    timeout: TIMEOUT_MS,
    maxNetworkRetries: 1,
    telemetry: false,
  });
};

/** Pages of Stripe for who has paid. */
const openPortal = (stripe: Stripe, priceIds: ReadonlyMap<Tier, string>): Payments["portal"] => {
  /** Stripe asks there for a word of agreement, and says what the change costs. */
  const changeTo = async ({ subscriptionId, tier }: { subscriptionId: string; tier: Tier }) => {
    const { items } = await stripe.subscriptions.retrieve(subscriptionId);
    return {
      type: "subscription_update_confirm" as const,
      subscription_update_confirm: {
        subscription: subscriptionId,
        items: [{ id: items.data[0]!.id, price: priceIds.get(tier)!, quantity: 1 }],
      },
    };
  };
  return (customer, return_url, change) =>
    answered(async () => {
      const flow = change && { flow_data: await changeTo(change) };
      const { url } = await stripe.billingPortal.sessions.create({ customer, return_url, ...flow });
      return { url };
    });
};

export const openStripe = (options: StripeOptions): Payments => {
  const stripe = clientOf(options);
  const priceIds = new Map(options.prices.map(({ tier, price }) => [tier, price]));
  const tiers = new Map(options.prices.map(({ tier, price }) => [price, tier]));
  return {
    tiers: [...priceIds.keys()],
    price: (tier) => answered(async () => priceOf(await stripe.prices.retrieve(priceIds.get(tier)!))),
    checkout: (order) =>
      answered(async () => {
        const params = orderOf(order, priceIds.get(order.tier)!);
        const { id, url } = await stripe.checkout.sessions.create(params, { idempotencyKey: order.key });
        return { id, url: url! };
      }),
    bought: (id) => answered(async () => idOf((await stripe.checkout.sessions.retrieve(id)).subscription)),
    portal: openPortal(stripe, priceIds),
    subscription: (id) =>
      answered(async () => {
        try {
          return shown(await stripe.subscriptions.retrieve(id), tiers);
        } catch (error) {
          if (isMissing(error)) return undefined;
          throw error;
        }
      }),
    setEndsThen: (id, endsThen) =>
      answered(async () => {
        await stripe.subscriptions.update(id, { cancel_at_period_end: endsThen });
        return undefined;
      }),
    end: (id) =>
      answered(async () => {
        try {
          await stripe.subscriptions.cancel(id, { prorate: true, invoice_now: true });
        } catch (error) {
          if (!isMissing(error)) throw error;
        }
        return undefined;
      }),
    event: async (payload, signature, now) => {
      try {
        const event = await stripe.webhooks.constructEventAsync(
          payload,
          signature,
          options.webhookSecret,
          TOLERANCE_SECONDS,
          undefined,
          now,
        );
        return { id: event.id, subscriptionId: subscriptionOf(event) };
      } catch {
        return undefined;
      }
    },
  };
};
