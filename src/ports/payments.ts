/** The operator's payment provider: who pays for a plan pays there, and the registry asks it what is paid for. */

import type { Tier } from "../../schemas/license.ts";
import type { SubscriptionState } from "../../schemas/plan.ts";

/** What the provider said; it never throws. `detail` is for the log. */
export type Answer<T> = { ok: true; value: T } | { ok: false; detail: string };

/** A price at the provider. */
export interface ProviderPrice {
  /** In units of the currency. */
  amount: number;
  /** ISO 4217, upper case. */
  currency: string;
  cycle: "monthly" | "yearly" | "other";
}

/** A subscription as the provider has it now. Times in milliseconds. */
export interface ProviderSubscription {
  id: string;
  customerId: string;
  /** Of this registry's orders: the account, and the registry's address. */
  accountId: string | undefined;
  registry: string | undefined;
  /** The plan that its price pays for; undefined where no plan has the price any more. */
  tier: Tier | undefined;
  state: SubscriptionState;
  startedAt: number;
  periodEndsAt: number;
  endsThen: boolean;
}

export interface CheckoutOrder {
  accountId: string;
  email: string;
  /** Who paid before, by the provider's id. */
  customerId: string | undefined;
  tier: Tier;
  registry: string;
  /** Milliseconds; the provider takes half an hour to a day from now. */
  expiresAt: number;
  /** Where the browser goes after the payment, and without one. */
  doneUrl: string;
  backUrl: string;
  /** The same order again has the same checkout. */
  key: string;
}

export interface Payments {
  /** Plans that are paid for here. */
  readonly tiers: readonly Tier[];
  price(tier: Tier): Promise<Answer<ProviderPrice>>;
  /** Opens a page of the provider for a first payment. */
  checkout(order: CheckoutOrder): Promise<Answer<{ id: string; url: string }>>;
  /** The subscription that a checkout led to; undefined while nobody has paid. */
  bought(checkoutId: string): Promise<Answer<string | undefined>>;
  /**
   * Opens a page of the provider for cards and invoices.
   * @param change instead, to confirm the move of a subscription to another plan
   */
  portal(
    customerId: string,
    backUrl: string,
    change?: { subscriptionId: string; tier: Tier },
  ): Promise<Answer<{ url: string }>>;
  /** Undefined: there is none of this id. */
  subscription(id: string): Promise<Answer<ProviderSubscription | undefined>>;
  /** Has it end, or not, when what is paid for is over. */
  setEndsThen(id: string, endsThen: boolean): Promise<Answer<undefined>>;
  /** Ends it now; what is left of the paid time is credited. One that has ended is no failure. */
  end(id: string): Promise<Answer<undefined>>;
  /**
   * Verifies an event.
   * @param payload the body as it came
   * @param now milliseconds
   * @returns undefined where it is not the provider's, or too old; no `subscriptionId` where it is of nothing that plans depend on
   */
  event(
    payload: string,
    signature: string,
    now: number,
  ): Promise<{ id: string; subscriptionId: string | undefined } | undefined>;
}
